// A real server for nfscat to read from: the same one for all tests of a program.
#ifndef TESTS_GANESHA_NFSCAT_SITE_H_
#define TESTS_GANESHA_NFSCAT_SITE_H_

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ganesha/ganesha_server.h"
#include "tests/support/subprocess.h"

namespace ganesha {

// The exports. What a test writes there it reads over NFS.
inline constexpr char kDeepExport[] = "/srv/x/y";
inline constexpr char kOtherExport[] = "/srv/other";
inline constexpr char kSquashedExport[] = "/srv/squashed";    // root is nobody
inline constexpr char kReservedExport[] = "/srv/reserved";    // source ports below 1024 only
inline constexpr char kAnonymousExport[] = "/srv/anonymous";  // AUTH_NONE only
inline constexpr char kWatchedExport[] = "/srv/watched";      // the server caches no attributes
inline constexpr char kNotExported[] = "/srv/secret";

// Not the usual ones: who does not ask rpcbind does not find them.
inline constexpr int kNfsPort = 20490;
inline constexpr int kMountPort = 20491;

class NfscatTest : public ::testing::Test {
 protected:
  // Skips where no real server can run; fails where one can and does not.
  void SetUp() override;

  // Running, or not if a test has stopped it. REQUIRES: SetUp() let the test run.
  static GaneshaServer& server();
};

// A run of the program under test.
support::Command NfscatCommand(const std::vector<std::string>& arguments);
// The same, run to its end.
support::Outcome Nfscat(const std::vector<std::string>& arguments);

// "nfs://127.0.0.1/srv/x/y/file" for "/srv/x/y/file".
std::string Url(const std::string& path);

}  // namespace ganesha

#endif  // TESTS_GANESHA_NFSCAT_SITE_H_
