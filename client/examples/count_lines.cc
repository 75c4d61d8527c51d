// Counts the lines of a file on an NFS server: all there is to embedding the reader.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>

#include "client/file_reader.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "Usage: count_lines nfs://host/path\n");
    return 2;
  }
  auto reader = nfs::FileReader::Open(argv[1]);
  absl::Status status = reader.status();
  uint64_t lines = 0;
  while (status.ok()) {
    auto bytes = (*reader)->Next();
    status = bytes.status();
    if (!status.ok() || bytes->empty()) break;
    lines += static_cast<uint64_t>(std::ranges::count(*bytes, std::byte{'\n'}));
  }
  if (!status.ok()) {
    std::fprintf(stderr, "count_lines: %s\n", std::string(status.message()).c_str());
    return 1;
  }
  std::printf("%llu\n", static_cast<unsigned long long>(lines));
  return 0;
}
