#include "tests/support/runfile.h"

#include <filesystem>

namespace support {

// Both `bazel test` and `bazel run` start a program in the folder that has its data.
std::string Runfile(const std::string& path) { return std::filesystem::absolute(path).string(); }

}  // namespace support
