// A program on this project's library that reads pieces of a file at random offsets, many at
// a time, and drops them.
//
//   random_reads --size=BYTES [--rsize=BYTES] [--window=N] [--random=COUNT] [--verify] URL
//
// COUNT pieces of rsize bytes, at multiples of rsize, `window` of them under way. --verify
// checks them against the pattern (pattern.h).
#include <getopt.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/options.h"
#include "client/random_reader.h"
#include "tests/bench/pattern.h"

namespace bench {
namespace {

struct Flags {
  nfs::Options options;
  uint64_t size = 0;
  uint64_t rsize = 4096;
  uint64_t window = 64;
  uint64_t count = 1000;
  bool verify = false;
  std::string url;
};

[[noreturn]] void Die(const absl::Status& status, int exit_status = 1) {
  std::fprintf(stderr, "random_reads: %s\n", std::string(status.message()).c_str());
  std::exit(exit_status);
}

void Must(const absl::Status& status) {
  if (!status.ok()) Die(status);
}

Flags Parse(int argc, char** argv) {
  const option kOptions[] = {
      {"size", required_argument, nullptr, 's'},   {"rsize", required_argument, nullptr, 'r'},
      {"window", required_argument, nullptr, 'w'}, {"random", required_argument, nullptr, 'n'},
      {"verify", no_argument, nullptr, 'v'},       {}};
  Flags flags;
  for (int code; (code = getopt_long(argc, argv, "", kOptions, nullptr)) != -1;) {
    if (code == 's') Must(nfs::ParseSize(optarg, flags.size));
    if (code == 'r') Must(nfs::ParseSize(optarg, flags.rsize));
    if (code == 'w') Must(nfs::ParseSize(optarg, flags.window));
    if (code == 'n') Must(nfs::ParseSize(optarg, flags.count));
    if (code == 'v') flags.verify = true;
    if (code == '?') std::exit(2);
  }
  if (argc != optind + 1 || flags.size < flags.rsize || flags.rsize == 0) {
    Die(absl::InvalidArgumentError("--size=BYTES [OPTION]... URL"), 2);
  }
  flags.window = std::clamp<uint64_t>(flags.window, 1, nfs::RandomReader::kMostPieces);
  flags.options.slots = static_cast<int>(flags.window);
  flags.url = argv[optind];
  return flags;
}

class Reads {
 public:
  Reads(const Flags& flags, nfs::RandomReader& reader)
      : flags_(flags),
        reader_(reader),
        memory_(flags.window * flags.rsize),
        offsets_(flags.window) {}

  void Run() {
    for (uint64_t i = 0; i < std::min(flags_.window, flags_.count); ++i) Start(i);
    while (const auto done = reader_.Next()) {
      Must(done->status);
      if (flags_.verify) Check(done->tag, done->bytes);
      if (started_ < flags_.count) Start(done->tag);
    }
  }

 private:
  std::span<std::byte> MemoryOf(uint64_t place) {
    return std::span(memory_).subspan(place * flags_.rsize, flags_.rsize);
  }

  void Start(uint64_t place) {
    offsets_[place] = random_() % (flags_.size / flags_.rsize) * flags_.rsize;
    reader_.Start(offsets_[place], MemoryOf(place), place);
    ++started_;
  }

  void Check(uint64_t place, size_t bytes) {
    if (bytes != flags_.rsize) Die(absl::DataLossError("a piece is too short"));
    PatternCheck check(pattern_, offsets_[place]);
    Must(check.Take(MemoryOf(place)));
  }

  const Flags& flags_;
  nfs::RandomReader& reader_;
  std::vector<std::byte> memory_;
  std::vector<uint64_t> offsets_;
  uint64_t started_ = 0;
  std::mt19937_64 random_{1};
  const Pattern pattern_;
};

int Main(const Flags& flags) {
  const auto reader = nfs::RandomReader::Open(flags.url, flags.options);
  Must(reader.status());
  Reads(flags, **reader).Run();
  return 0;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::Main(bench::Parse(argc, argv)); }
