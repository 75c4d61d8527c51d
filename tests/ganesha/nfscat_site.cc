#include "tests/ganesha/nfscat_site.h"

#include <filesystem>

#include "absl/status/status.h"
#include "tests/support/runfile.h"

namespace ganesha {
namespace {

Settings SiteSettings() {
  return {.exports = {{.path = kDeepExport},
                      {.path = kOtherExport},
                      {.path = kSquashedExport, .squash = "Root_Squash"},
                      {.path = kReservedExport, .privileged_port = true},
                      {.path = kAnonymousExport, .sec_type = "none"},
                      {.path = kWatchedExport, .attr_expiration_s = 0}},
          .nfs_port = kNfsPort,
          .mount_port = kMountPort};
}

// Destroyed at the program's end, and the servers with it: rpcbind changes its user,
// which makes the kernel forget that it shall die with its parent.
GaneshaServer& Site() {
  static GaneshaServer site(SiteSettings());
  return site;
}

}  // namespace

void NfscatTest::SetUp() {
  const absl::Status machine = PrepareMachine();
  if (!machine.ok()) GTEST_SKIP() << "no real server here: " << machine;
  std::filesystem::create_directories(kNotExported);
  const absl::Status started = Site().Start();
  ASSERT_TRUE(started.ok()) << started;
}

GaneshaServer& NfscatTest::server() { return Site(); }

support::Command NfscatCommand(const std::vector<std::string>& arguments) {
  support::Command command;
  command.argv = {support::Runfile("client/tools/nfscat")};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  return command;
}

support::Outcome Nfscat(const std::vector<std::string>& arguments) {
  return support::RunProgram(NfscatCommand(arguments));
}

std::string Url(const std::string& path) { return "nfs://127.0.0.1" + path; }

}  // namespace ganesha
