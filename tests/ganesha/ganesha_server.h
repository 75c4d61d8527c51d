// nfs-ganesha and rpcbind, from Debian, as a test's own server.
//
//   GaneshaServer server({.exports = {{.path = "/srv/data"}}});
//   if (absl::Status status = server.Start(); !status.ok()) ...
//
// They run on this machine's loopback and see its files: what is in /srv/data here is
// what the export has.
#ifndef TESTS_GANESHA_GANESHA_SERVER_H_
#define TESTS_GANESHA_GANESHA_SERVER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tests/support/subprocess.h"

namespace ganesha {

// The names and values are those of ganesha-export-config(8).
struct Export {
  std::string path;  // is made if it is not there
  std::string squash = "No_Root_Squash";
  std::string sec_type = "sys, none";
  std::string access_type = "RW";
  bool privileged_port = false;
  uint64_t max_read = 4 << 20;
  uint64_t pref_read = 1 << 20;
  // How long it takes its own word for a file's attributes. 0: looks every time, so that
  // it sees at once what is done to the file here.
  int attr_expiration_s = 60;
};

struct Settings {
  std::vector<Export> exports;
  // Known to rpcbind as well.
  int nfs_port = 2049;
  int mount_port = 20048;
  // It closes connections on which so long nothing came.
  int idle_timeout_s = 300;
};

// Gives the process a machine of its own (support::EnterPrivateMachine) to run servers
// on. An error says why none can run here: what is not installed, or not permitted.
absl::Status PrepareMachine();

// The two programs. REQUIRES: PrepareMachine() succeeded; one at a time has a port.
// Thread-compatible. Ganesha dies with the thread that starts it, rpcbind with this object.
class GaneshaServer {
 public:
  explicit GaneshaServer(Settings settings);
  // Stops both.
  ~GaneshaServer();

  // Starts what is not running, and waits until it answers NFS and MOUNT calls at the
  // ports that rpcbind tells. An error has the end of ganesha's log. May be called
  // again after Stop() and Kill(): file handles keep their meaning.
  absl::Status Start();

  // Rpcbind forgets the ports: only a Stop() and a Start() make them known again.
  void StopRpcbind();
  // Ends ganesha in an orderly way; rpcbind stays. REQUIRES: it runs.
  void Stop();
  // The same as a crash: its sockets are closed, nothing is written or unregistered.
  void Kill();
  // Between the two it answers nothing and keeps its connections.
  void Freeze();
  void Thaw();

  bool running() const { return ganesha_ != nullptr && ganesha_->running(); }
  // All that ganesha logged so far.
  std::string Log() const;

 private:
  absl::Status AwaitAnswers() const;
  std::string Fault() const;  // empty: none
  absl::Status CheckExports() const;
  absl::Status StartupError(const std::string& what) const;

  const Settings settings_;
  const std::string folder_;  // configuration, log and state
  std::unique_ptr<support::Subprocess> rpcbind_;
  std::unique_ptr<support::Subprocess> ganesha_;
};

}  // namespace ganesha

#endif  // TESTS_GANESHA_GANESHA_SERVER_H_
