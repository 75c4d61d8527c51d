// The least that a client can do: READs in flight by blocking send, their replies taken by
// recv(MSG_WAITALL) in pieces as large as a READ, to the same memory each time. No XDR, no
// order, nothing looked at. What a client costs is to be compared with this.
//
//   floor [OPTION]... URL
//     --rsize=BYTES   of a READ (1M)
//     --window=N      READs in flight (4)
//     --lowat=BYTES   SO_RCVLOWAT while as much is in flight
//     --write         write what comes to standard output, heads of replies and all
//     --verify        check the bytes of the file against the pattern instead (pattern.h);
//                     REQUIRES a server that answers in order
//     --latency=N     N times one READ, the next after its reply; prints the distribution
#include <getopt.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "client/options.h"
#include "tests/bench/latencies.h"
#include "tests/bench/opened_file.h"
#include "tests/bench/pattern.h"
#include "tests/bench/read_replies.h"
#include "tests/bench/read_train.h"

namespace bench {
namespace {

struct Flags {
  uint32_t rsize = 1 << 20;
  uint32_t window = 4;
  uint64_t lowat = 0;
  bool write = false;
  bool verify = false;
  uint64_t latency = 0;
  std::string url;
};

[[noreturn]] void Die(const absl::Status& status) {
  std::fprintf(stderr, "floor: %s\n", std::string(status.message()).c_str());
  std::exit(1);
}

void Must(const absl::Status& status) {
  if (!status.ok()) Die(status);
}

uint64_t SizeOf(const char* text) {
  uint64_t size = 0;
  Must(nfs::ParseSize(text, size));
  return size;
}

Flags Parse(int argc, char** argv) {
  const option kOptions[] = {{"rsize", required_argument, nullptr, 'r'},
                             {"window", required_argument, nullptr, 'w'},
                             {"lowat", required_argument, nullptr, 'l'},
                             {"write", no_argument, nullptr, 'o'},
                             {"latency", required_argument, nullptr, 't'},
                             {"verify", no_argument, nullptr, 'v'},
                             {}};
  Flags flags;
  for (int code; (code = getopt_long(argc, argv, "", kOptions, nullptr)) != -1;) {
    if (code == 'r') flags.rsize = static_cast<uint32_t>(SizeOf(optarg));
    if (code == 'w') flags.window = static_cast<uint32_t>(SizeOf(optarg));
    if (code == 'l') flags.lowat = SizeOf(optarg);
    if (code == 'o') flags.write = true;
    if (code == 't') flags.latency = SizeOf(optarg);
    if (code == 'v') flags.verify = true;
    if (code == '?') std::exit(2);
  }
  if (argc != optind + 1 || flags.rsize == 0 || flags.window == 0) {
    Die(absl::InvalidArgumentError("floor [OPTION]... URL"));
  }
  flags.url = argv[optind];
  return flags;
}

// SO_RCVLOWAT, taken back before it could hold back what is the last to come.
class LowWater {
 public:
  LowWater(int fd, uint64_t bytes) : fd_(fd), bytes_(bytes) {
    if (bytes_ != 0) Set(static_cast<int>(bytes_));
  }
  void BeforeReceive(uint64_t size, uint64_t in_flight) {
    if (bytes_ == 0 || in_flight >= size + bytes_) return;
    Set(1);
    bytes_ = 0;
  }

 private:
  void Set(int bytes) const { setsockopt(fd_, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof(bytes)); }

  const int fd_;
  uint64_t bytes_;
};

void WriteAll(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) Die(absl::ErrnoToStatus(errno, "write"));
    if (written > 0) bytes = bytes.subspan(static_cast<size_t>(written));
  }
}

// Finds the data among the heads and checks it.
class ReplyCheck {
 public:
  ReplyCheck(uint32_t rsize, uint64_t size) : rsize_(rsize), size_(size) {}

  void Take(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const bool in_head = at_ < kReadHeadBytes;
      const size_t end = in_head ? kReadHeadBytes : kReadHeadBytes + rsize_;
      const size_t part = std::min(bytes.size(), end - at_);
      if (!in_head) TakeData(bytes.first(part));
      bytes = bytes.subspan(part);
      at_ = (at_ + part) % (kReadHeadBytes + rsize_);
    }
  }
  void Finish() const { Must(check_.Finish(size_)); }

 private:
  // The padding of the last is no data.
  void TakeData(std::span<const std::byte> bytes) {
    const uint64_t left = size_ - check_.position();
    Must(check_.Take(bytes.first(std::min<uint64_t>(bytes.size(), left))));
  }

  const size_t rsize_;
  const uint64_t size_;  // of the file
  const Pattern pattern_;
  PatternCheck check_{pattern_};
  size_t at_ = 0;  // in the reply at hand
};

void ReceiveAll(int fd, std::span<std::byte> to) {
  const ssize_t size = recv(fd, to.data(), to.size(), MSG_WAITALL);
  if (size == static_cast<ssize_t>(to.size())) return;
  Die(size < 0 ? absl::ErrnoToStatus(errno, "recv") : absl::DataLossError("the server hung up"));
}

void Stream(const OpenedFile& file, const Flags& flags) {
  ReadTrain train(file.fd.get(), file.handle, {file.size, file.rsize, flags.window});
  std::vector<std::byte> memory(file.rsize);
  LowWater lowat(file.fd.get(), flags.lowat);
  std::unique_ptr<ReplyCheck> check;
  if (flags.verify) check = std::make_unique<ReplyCheck>(file.rsize, file.size);
  while (train.bytes_left() != 0) {
    Must(train.Send());
    const uint64_t size = std::min<uint64_t>(memory.size(), train.bytes_in_flight());
    lowat.BeforeReceive(size, train.bytes_in_flight());
    const std::span<std::byte> piece = std::span(memory).first(size);
    ReceiveAll(file.fd.get(), piece);
    train.OnReceived(size);
    if (flags.write) WriteAll(piece);
    if (check != nullptr) check->Take(piece);
  }
  if (check != nullptr) check->Finish();
}

// What lies beyond `latency` READs of the file is not read.
void Latency(const OpenedFile& file, const Flags& flags) {
  const uint64_t reads = std::min(flags.latency, file.size / file.rsize);
  ReadTrain train(file.fd.get(), file.handle, {reads * file.rsize, file.rsize, 1});
  std::vector<std::byte> memory(kReadHeadBytes + file.rsize);
  std::vector<absl::Duration> times;
  times.reserve(reads);
  while (train.bytes_left() != 0) {
    const absl::Time begin = absl::Now();
    Must(train.Send());
    ReceiveAll(file.fd.get(), memory);
    train.OnReceived(memory.size());
    times.push_back(absl::Now() - begin);
  }
  PrintLatencies(std::move(times));
}

int Main(const Flags& flags) {
  const absl::StatusOr<OpenedFile> file = OpenFile(flags.url, flags.rsize);
  if (!file.ok()) Die(file.status());
  if (flags.latency != 0) {
    Latency(*file, flags);
  } else {
    Stream(*file, flags);
  }
  return 0;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::Main(bench::Parse(argc, argv)); }
