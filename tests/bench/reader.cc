// A program on this project's library that drops what it reads.
//
//   reader [--rsize=BYTES] [--readahead=BYTES] [--verify=SIZE] URL
//
// --verify checks that it is a file of the pattern (pattern.h) of SIZE bytes.
#include <getopt.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "client/file_reader.h"
#include "client/options.h"
#include "tests/bench/pattern.h"

namespace bench {
namespace {

struct Flags {
  nfs::Options options;
  std::optional<uint64_t> verify;
  std::string url;
};

[[noreturn]] void Die(const absl::Status& status) {
  std::fprintf(stderr, "reader: %s\n", std::string(status.message()).c_str());
  std::exit(1);
}

void Must(const absl::Status& status) {
  if (!status.ok()) Die(status);
}

Flags Parse(int argc, char** argv) {
  const option kOptions[] = {{"rsize", required_argument, nullptr, 'r'},
                             {"readahead", required_argument, nullptr, 'a'},
                             {"verify", required_argument, nullptr, 'v'},
                             {}};
  Flags flags;
  for (int code; (code = getopt_long(argc, argv, "", kOptions, nullptr)) != -1;) {
    if (code == 'r') Must(nfs::SetOption("rsize", optarg, flags.options));
    if (code == 'a') Must(nfs::SetOption("readahead", optarg, flags.options));
    if (code == 'v') Must(nfs::ParseSize(optarg, flags.verify.emplace()));
    if (code == '?') std::exit(2);
  }
  if (argc != optind + 1) Die(absl::InvalidArgumentError("reader [OPTION]... URL"));
  flags.url = argv[optind];
  return flags;
}

void ReadToEnd(nfs::FileReader& reader, PatternCheck* check) {
  for (;;) {
    const auto bytes = reader.Next();
    Must(bytes.status());
    if (bytes->empty()) return;
    if (check != nullptr) Must(check->Take(*bytes));
  }
}

int Main(const Flags& flags) {
  auto reader = nfs::FileReader::Open(flags.url, flags.options);
  Must(reader.status());
  if (!flags.verify.has_value()) {
    ReadToEnd(**reader, nullptr);
    return 0;
  }
  const Pattern pattern;
  PatternCheck check(pattern);
  ReadToEnd(**reader, &check);
  Must(check.Finish(*flags.verify));
  return 0;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::Main(bench::Parse(argc, argv)); }
