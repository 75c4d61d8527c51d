// Tested by tests/bench/compare_flags_test.cc.
#include "tests/bench/compare_flags.h"

#include <getopt.h>

#include <algorithm>
#include <cstdlib>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/options.h"
#include "tests/bench/pattern.h"

namespace bench {

const char kCompareHelp[] =
    "Usage: compare [OPTION]...\n"
    "Read one file by turns with this project's clients and with others, and print the\n"
    "medians of what each took. Needs no root; with it, all run in a network of their own.\n"
    "\n"
    "  --rsize=SIZE,...   bytes of a READ, at most 1M (1M)\n"
    "  --server=KIND      load: answers from memory, faster than any client;\n"
    "                     ganesha: nfs-ganesha, as root (load)\n"
    "  --output=KIND      null, pipe (into cat), file (a new one on tmpfs) (null)\n"
    "  --runs=N           rounds (5)\n"
    "  --mib=N            size of the file (2048 for READs of 256K and more, less below)\n"
    "  --window=N         READs in flight of those that are told (4 MiB, 4 to 64 READs)\n"
    "  --readahead=SIZE   for this project's clients (their own choice)\n"
    "  --nconnect=N       for nfscat (its own choice)\n"
    "  --only=NAME,...    these contenders only\n"
    "  --latency          one READ of 4K at a time, and how long it takes\n"
    "  --random=COUNT     so many READs of 4K at random offsets\n"
    "  --json             one object a line\n"
    "  --plot=FILE.svg    also draws processor time per GiB over the size of a READ\n";

namespace {

absl::Status Wrong(const std::string& name, absl::string_view value) {
  return absl::InvalidArgumentError(absl::StrCat("--", name, "=", value, ": no such value"));
}

absl::Status SetRsizes(absl::string_view value, CompareFlags& flags) {
  flags.rsizes.clear();
  for (absl::string_view text : absl::StrSplit(value, ',')) {
    uint64_t size = 0;
    if (!nfs::ParseSize(text, size).ok() || size == 0 || size > Pattern::kMostBytes) {
      return Wrong("rsize", text);
    }
    flags.rsizes.push_back(static_cast<uint32_t>(size));
  }
  return absl::OkStatus();
}

// One of the words, as the enumerator of that number.
template <typename Kind>
absl::Status SetKind(const std::string& name, absl::string_view value,
                     std::initializer_list<absl::string_view> words, Kind& kind) {
  const auto found = std::find(words.begin(), words.end(), value);
  if (found == words.end()) return Wrong(name, value);
  kind = static_cast<Kind>(found - words.begin());
  return absl::OkStatus();
}

template <typename Number>
absl::Status SetNumber(const std::string& name, absl::string_view value, Number& number) {
  return absl::SimpleAtoi(value, &number) && number > 0 ? absl::OkStatus() : Wrong(name, value);
}

absl::Status Set(const std::string& name, const std::string& value, CompareFlags& flags) {
  if (name == "rsize") return SetRsizes(value, flags);
  if (name == "server") return SetKind(name, value, {"load", "ganesha"}, flags.server);
  if (name == "output") return SetKind(name, value, {"null", "pipe", "file"}, flags.output);
  if (name == "runs") return SetNumber(name, value, flags.runs);
  if (name == "mib") return SetNumber(name, value, flags.mib);
  if (name == "window") return SetNumber(name, value, flags.window);
  if (name == "random") return SetNumber(name, value, flags.random);
  if (name == "readahead") flags.readahead = value;
  if (name == "nconnect") flags.nconnect = value;
  if (name == "plot") flags.plot = value;
  if (name == "only") flags.only = absl::StrSplit(value, ',');
  if (name == "latency") flags.latency = true;
  if (name == "json") flags.json = true;
  if (name == "help") flags.help = true;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CompareFlags> ParseCompareFlags(int argc, char** argv) {
  static const option kOptions[] = {{"rsize", required_argument, nullptr, 0},
                                    {"server", required_argument, nullptr, 0},
                                    {"output", required_argument, nullptr, 0},
                                    {"runs", required_argument, nullptr, 0},
                                    {"mib", required_argument, nullptr, 0},
                                    {"window", required_argument, nullptr, 0},
                                    {"readahead", required_argument, nullptr, 0},
                                    {"nconnect", required_argument, nullptr, 0},
                                    {"only", required_argument, nullptr, 0},
                                    {"latency", no_argument, nullptr, 0},
                                    {"random", required_argument, nullptr, 0},
                                    {"json", no_argument, nullptr, 0},
                                    {"plot", required_argument, nullptr, 0},
                                    {"help", no_argument, nullptr, 0},
                                    {}};
  CompareFlags flags;
  optind = 0;  // so that it may be called more than once
  int index = 0;
  for (int code; (code = getopt_long(argc, argv, "", kOptions, &index)) != -1;) {
    if (code == '?') return absl::InvalidArgumentError("try --help");
    const absl::Status status = Set(kOptions[index].name, optarg != nullptr ? optarg : "", flags);
    if (!status.ok()) return status;
  }
  // Random READs are small ones, unless it is said otherwise.
  if (flags.random != 0 && flags.rsizes.empty()) flags.rsizes = {4096};
  if (flags.rsizes.empty()) flags.rsizes = {1 << 20};
  if (optind < argc) return absl::InvalidArgumentError(absl::StrCat(argv[optind], ": what for?"));
  return flags;
}

uint64_t FileSize(const CompareFlags& flags, uint32_t rsize) {
  if (flags.mib != 0) return flags.mib << 20;
  if (rsize >= 256 << 10) return uint64_t{2} << 30;
  return rsize >= 32 << 10 ? uint64_t{1} << 30 : uint64_t{256} << 20;
}

uint32_t WindowFor(const CompareFlags& flags, uint32_t rsize) {
  if (flags.window != 0) return flags.window;
  return std::clamp<uint32_t>((4 << 20) / rsize, 4, 64);
}

}  // namespace bench
