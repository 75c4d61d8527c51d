// What the contract tests need of a world: a transport, peers that follow a script, and
// outputs. There is one of the kernel and one of the simulated network.
#ifndef TESTS_IO_HARNESS_H_
#define TESTS_IO_HARNESS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/address.h"
#include "io/transport.h"

namespace io {

// What the peer of a connection does, one step after the other. After the last it keeps
// what it is sent until the client closes.
struct Step {
  enum class Kind {
    kSend,    // `bytes`, in pieces of at most `size`, each by itself
    kAwait,   // until `size` more bytes have come
    kClose,   // ends its stream
    kReset,   // breaks the connection off
    kIgnore,  // takes nothing more from its socket, for ever
  };
  Kind kind;
  std::string bytes = {};
  size_t size = SIZE_MAX;
};
using Script = std::vector<Step>;

enum class World { kUring, kPoll, kSimulated };
std::string NameOf(World world);

class Harness {
 public:
  virtual ~Harness() = default;

  virtual Transport& transport() = 0;

  // Listens, once; the n-th connection is served by scripts[n].
  virtual Address Serve(std::vector<Script> scripts) = 0;
  // An address where nothing listens.
  virtual Address Refusing() = 0;
  // When the client has closed its connections: what the n-th peer was sent, and the
  // port that it saw the client come from.
  virtual std::string Received(size_t n) = 0;
  virtual uint16_t ClientPort(size_t n) = 0;

  // A pipe that nobody reads until ReadPipe(); then everything is read. EndPipe() gives
  // all that went through it.
  virtual int OpenPipe() = 0;
  virtual void ReadPipe() = 0;
  virtual std::string EndPipe() = 0;
  // Outputs that fail with ENOSPC, and with EPIPE.
  virtual int OpenFull() = 0;
  virtual int OpenBroken() = 0;
  virtual int OpenFile() = 0;
  virtual std::string FileContents() = 0;
};

std::unique_ptr<Harness> MakeSimulatedHarness();
std::unique_ptr<Harness> MakeKernelHarness(std::unique_ptr<Transport> transport);
// Null, and why, when this machine has no such transport.
std::unique_ptr<Harness> MakeHarness(World world, std::string* why_not);

}  // namespace io

#endif  // TESTS_IO_HARNESS_H_
