// A server that is faster than any client: NFSv3 and MOUNT on loopback TCP, files of the
// pattern (pattern.h) out of memory. What limits a stream from it is the client, or the
// kernel between the two.
//
// Only READ is quick: its calls are looked up at their offsets, its replies are sent many at a
// time and straight from one buffer. The rest is answered by tests/server.
#ifndef TESTS_BENCH_LOAD_SERVER_H_
#define TESTS_BENCH_LOAD_SERVER_H_

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "io/unique_fd.h"
#include "tests/bench/load_connection.h"

namespace bench {

struct LoadOptions {
  struct File {
    std::string name = "file";  // below /export
    uint64_t size = 0;
  };
  // FSINFO's rtmax and rtpref, and what a READ gives at most. At most Pattern::kMostBytes.
  uint32_t rsize = 1 << 20;
  uint16_t port = 0;  // 0: the kernel picks one
  std::vector<File> files;
};

// One thread that accepts, and one for each connection. The destructor closes all of them.
class LoadServer {
 public:
  // Listens on 127.0.0.1, and serves from then on. Fails when the port cannot be had.
  static absl::StatusOr<std::unique_ptr<LoadServer>> Start(const LoadOptions& options);
  ~LoadServer();
  LoadServer(const LoadServer&) = delete;
  LoadServer& operator=(const LoadServer&) = delete;

  // Of NFS and MOUNT alike.
  uint16_t port() const { return port_; }
  // What it has been asked; changes while clients are connected.
  const LoadState& state() const { return state_; }

 private:
  explicit LoadServer(const LoadOptions& options);
  void Serve();
  void Accept();

  LoadState state_;
  uint16_t port_;
  io::UniqueFd listener_;
  io::UniqueFd stop_;  // an eventfd: readable when it is time to end
  struct Client {
    io::UniqueFd fd;
    std::thread thread;
  };
  std::list<Client> clients_;  // of the thread that accepts
  std::thread thread_;
};

// The URL of a file of a server at `port`, in the words that nfscat and libnfs both know.
std::string LoadUrl(uint16_t port, const std::string& name);

}  // namespace bench

#endif  // TESTS_BENCH_LOAD_SERVER_H_
