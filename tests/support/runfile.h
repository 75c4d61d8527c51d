// What a test has as `data` in its BUILD file.
#ifndef TESTS_SUPPORT_RUNFILE_H_
#define TESTS_SUPPORT_RUNFILE_H_

#include <string>

namespace support {

// The path of a file of this project, for instance "client/tools/nfscat". REQUIRES:
// run by Bazel, in the folder it starts programs in, and a data dependency.
std::string Runfile(const std::string& path);

}  // namespace support

#endif  // TESTS_SUPPORT_RUNFILE_H_
