// Peers of the kernel's TCP, on the loopback address, that follow scripts.
#ifndef TESTS_IO_SCRIPTED_LISTENER_H_
#define TESTS_IO_SCRIPTED_LISTENER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "io/address.h"
#include "io/unique_fd.h"
#include "tests/io/harness.h"

namespace io {

// Accepts as many connections as there are scripts, and runs each script in a thread.
class ScriptedListener {
 public:
  explicit ScriptedListener(std::vector<Script> scripts);
  // The client must have closed its connections, or never have made them.
  ~ScriptedListener();

  const Address& address() const { return address_; }

  // Of the n-th connection; wait until its peer is done.
  const std::string& Received(size_t n);
  uint16_t ClientPort(size_t n);

 private:
  struct Peer {
    Script script;
    UniqueFd fd;
    Address client;
    std::string received;
    std::thread thread;
    std::atomic<bool> done = false;
  };

  void Accept();
  void Run(Peer& peer);
  bool Do(const Step& step, Peer& peer);
  // Takes bytes until there are so many, or no more; whether so many came.
  bool Take(size_t size, Peer& peer);

  std::vector<Peer> peers_;
  UniqueFd listener_;
  UniqueFd stop_;  // an eventfd: readable when peers must not wait for anything any more
  Address address_;
  std::thread thread_;
};

}  // namespace io

#endif  // TESTS_IO_SCRIPTED_LISTENER_H_
