// What a program gets from libnfs that does not wait for each READ: some in flight by its
// asynchronous interface, the data dropped where libnfs has put it, without another copy.
//
//   libnfs_pipeline --size=BYTES [OPTION]... URL
//     --rsize=BYTES    of a READ (1M)
//     --window=N       READs in flight (4)
//     --verify         check the bytes against the pattern (pattern.h)
//     --random=COUNT   so many READs at random offsets, multiples of rsize, instead
//
// Exit status 77 when there is no libnfs.
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "client/options.h"
#include "tests/bench/libnfs.h"
#include "tests/bench/pattern.h"

namespace bench {
namespace {

constexpr int kMissing = 77;

struct Flags {
  uint64_t size = 0;
  uint64_t rsize = 1 << 20;
  uint64_t window = 4;
  uint64_t random = 0;
  bool verify = false;
  std::string url;
};

[[noreturn]] void Die(const std::string& why, int exit_status = 1) {
  std::fprintf(stderr, "libnfs_pipeline: %s\n", why.c_str());
  std::exit(exit_status);
}

uint64_t SizeOf(const char* text) {
  uint64_t size = 0;
  if (!nfs::ParseSize(text, size).ok() || size == 0) Die("no such size");
  return size;
}

Flags Parse(int argc, char** argv) {
  const option kOptions[] = {
      {"size", required_argument, nullptr, 's'},   {"rsize", required_argument, nullptr, 'r'},
      {"window", required_argument, nullptr, 'w'}, {"random", required_argument, nullptr, 'n'},
      {"verify", no_argument, nullptr, 'v'},       {}};
  Flags flags;
  for (int code; (code = getopt_long(argc, argv, "", kOptions, nullptr)) != -1;) {
    if (code == 's') flags.size = SizeOf(optarg);
    if (code == 'r') flags.rsize = SizeOf(optarg);
    if (code == 'w') flags.window = SizeOf(optarg);
    if (code == 'n') flags.random = SizeOf(optarg);
    if (code == 'v') flags.verify = true;
    if (code == '?') std::exit(2);
  }
  if (argc != optind + 1 || flags.size == 0) Die("--size=BYTES [OPTION]... URL", 2);
  flags.url = argv[optind];
  return flags;
}

class Pipeline {
 public:
  Pipeline(const Libnfs& libnfs, const Flags& flags)
      : libnfs_(libnfs),
        flags_(flags),
        context_(libnfs.nfs_init_context()),
        reads_(flags.random != 0 ? flags.random : (flags.size + flags.rsize - 1) / flags.rsize) {
    if (flags.verify) pattern_ = std::make_unique<Pattern>();
  }

  void Run() {
    Open();
    while (asked_ < std::min(flags_.window, reads_)) Ask();
    while (done_ < reads_) Service();
    libnfs_.nfs_close(context_, file_);
    libnfs_.nfs_destroy_context(context_);
  }

 private:
  // One READ in flight, and whose it is.
  struct Read {
    Pipeline* pipeline;
    uint64_t offset;
    uint64_t count;
  };

  [[noreturn]] void Fail() { Die(libnfs_.nfs_get_error(context_)); }

  void Open() {
    Libnfs::Url* const url = libnfs_.nfs_parse_url_full(context_, flags_.url.c_str());
    if (url == nullptr) Fail();
    if (libnfs_.nfs_mount(context_, url->server, url->path) != 0) Fail();
    if (libnfs_.nfs_open(context_, url->file, O_RDONLY, &file_) != 0) Fail();
    libnfs_.nfs_destroy_url(url);
  }

  uint64_t NextOffset() {
    const uint64_t blocks = (flags_.size + flags_.rsize - 1) / flags_.rsize;
    return (flags_.random != 0 ? random_() % blocks : asked_) * flags_.rsize;
  }

  void Ask(Read* read = nullptr) {
    if (read == nullptr) read = new Read{this};
    read->offset = NextOffset();
    read->count = std::min(flags_.rsize, flags_.size - read->offset);
    ++asked_;
    if (libnfs_.nfs_pread_async(context_, file_, read->offset, read->count, OnData, read) != 0) {
      Fail();
    }
  }

  static void OnData(int result, Libnfs::Context*, void* data, void* private_data) {
    Read* const read = static_cast<Read*>(private_data);
    read->pipeline->Take(*read, result, static_cast<const std::byte*>(data));
    if (read->pipeline->asked_ < read->pipeline->reads_) return read->pipeline->Ask(read);
    delete read;
  }

  void Take(const Read& read, int result, const std::byte* data) {
    if (result < 0 || static_cast<uint64_t>(result) != read.count) Fail();
    ++done_;
    if (pattern_ == nullptr) return;
    PatternCheck check(*pattern_, read.offset);
    const absl::Status status = check.Take({data, read.count});
    if (!status.ok()) Die(std::string(status.message()));
  }

  void Service() {
    pollfd event = {libnfs_.nfs_get_fd(context_),
                    static_cast<short>(libnfs_.nfs_which_events(context_)), 0};
    if (poll(&event, 1, -1) < 0) return;
    if (libnfs_.nfs_service(context_, event.revents) < 0) Fail();
  }

  const Libnfs& libnfs_;
  const Flags& flags_;
  Libnfs::Context* const context_;
  const uint64_t reads_;
  Libnfs::File* file_ = nullptr;
  uint64_t asked_ = 0;
  uint64_t done_ = 0;
  std::mt19937_64 random_{1};
  std::unique_ptr<Pattern> pattern_;
};

int Main(const Flags& flags) {
  const auto libnfs = LoadLibnfs();
  if (!libnfs.ok()) Die(std::string(libnfs.status().message()), kMissing);
  Pipeline(*libnfs, flags).Run();
  return 0;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::Main(bench::Parse(argc, argv)); }
