// The load server as a program: prints the port that it serves, then serves until it is
// killed.
//
//   load_server [--rsize=BYTES] [--port=N] [NAME=BYTES]...
//
// A file "file" of 4 GiB when none is named.
#include <getopt.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "client/options.h"
#include "tests/bench/load_server.h"

namespace bench {
namespace {

[[noreturn]] void Usage(const std::string& why) {
  std::fprintf(stderr, "load_server: %s\n", why.c_str());
  std::exit(2);
}

uint64_t SizeOf(const std::string& text) {
  uint64_t size = 0;
  if (!nfs::ParseSize(text, size).ok()) Usage(text + ": not a size");
  return size;
}

LoadOptions::File FileOf(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos) Usage(text + ": not NAME=BYTES");
  return {text.substr(0, equals), SizeOf(text.substr(equals + 1))};
}

LoadOptions Parse(int argc, char** argv) {
  const option kOptions[] = {
      {"rsize", required_argument, nullptr, 'r'}, {"port", required_argument, nullptr, 'p'}, {}};
  LoadOptions options;
  for (int code; (code = getopt_long(argc, argv, "", kOptions, nullptr)) != -1;) {
    if (code == 'r') options.rsize = static_cast<uint32_t>(SizeOf(optarg));
    if (code == 'p') options.port = static_cast<uint16_t>(std::atoi(optarg));
    if (code == '?') std::exit(2);
  }
  if (options.rsize == 0 || options.rsize > Pattern::kMostBytes) Usage("--rsize is at most 1M");
  for (int i = optind; i < argc; ++i) options.files.push_back(FileOf(argv[i]));
  if (options.files.empty()) options.files.push_back({"file", uint64_t{4} << 30});
  return options;
}

int Main(const LoadOptions& options) {
  auto server = LoadServer::Start(options);
  if (!server.ok()) Usage(std::string(server.status().message()));
  std::printf("%d\n", int{(*server)->port()});
  for (const LoadOptions::File& file : options.files) {
    std::printf("%s\n", LoadUrl((*server)->port(), file.name).c_str());
  }
  std::fflush(stdout);
  for (;;) pause();
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::Main(bench::Parse(argc, argv)); }
