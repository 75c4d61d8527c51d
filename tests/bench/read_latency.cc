// How long this project's client takes for one READ: one at a time, each asked for when the
// one before has come. Prints the distribution.
//
//   read_latency [--rsize=BYTES] [--reads=N] [--io=ENGINE] URL
//
// The counterpart of `floor --latency`.
#include <getopt.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "client/options.h"
#include "client/session/session.h"
#include "client/stream/file_stream.h"
#include "client/target.h"
#include "tests/bench/latencies.h"

namespace bench {
namespace {

struct Flags {
  nfs::Options options;
  uint64_t reads = 20000;
  std::string url;
};

void Must(const absl::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "read_latency: %s\n", std::string(status.message()).c_str());
  std::exit(1);
}

Flags Parse(int argc, char** argv) {
  const option kOptions[] = {{"rsize", required_argument, nullptr, 'r'},
                             {"reads", required_argument, nullptr, 'n'},
                             {"io", required_argument, nullptr, 'i'},
                             {}};
  Flags flags;
  flags.options.rsize = 4096;
  flags.options.readahead = 0;
  flags.options.slots = 1;
  for (int code; (code = getopt_long(argc, argv, "", kOptions, nullptr)) != -1;) {
    if (code == 'r') Must(nfs::SetOption("rsize", optarg, flags.options));
    if (code == 'n') Must(nfs::ParseSize(optarg, flags.reads));
    if (code == 'i') Must(nfs::SetOption("io", optarg, flags.options));
    if (code == '?') std::exit(2);
  }
  if (argc != optind + 1) Must(absl::InvalidArgumentError("read_latency [OPTION]... URL"));
  flags.url = argv[optind];
  return flags;
}

// From the moment that the consumer wants a piece until it has it.
std::vector<absl::Duration> TimeReads(nfs::FileStream& stream, uint64_t reads) {
  std::vector<absl::Duration> times;
  times.reserve(reads);
  absl::Time begin = absl::Now();
  while (!stream.AtEnd() && stream.status().ok()) {
    if (!stream.Lend().has_value()) {
      stream.Turn(/*consumer_waits=*/true, absl::InfiniteFuture());
      continue;
    }
    const absl::Time now = absl::Now();
    times.push_back(now - std::exchange(begin, now));
    stream.Release();
  }
  Must(stream.status());
  return times;
}

int Main(Flags flags) {
  const auto target = nfs::ParseTarget(flags.url);
  Must(target.status());
  Must(nfs::ApplyTarget(*target, flags.options));
  auto session = nfs::Session::Open(*target, flags.options);
  Must(session.status());
  const uint64_t size = (*session)->file().attributes.size;
  const uint64_t bytes = std::min(size, flags.reads * (*session)->rsize());
  auto stream = nfs::FileStream::Make(**session, {.length = bytes}, /*lent_chunks=*/1);
  Must(stream.status());
  PrintLatencies(TimeReads(**stream, flags.reads));
  return 0;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::Main(bench::Parse(argc, argv)); }
