// Serves a Server in the simulated network (io/simulated_network.h), in virtual time.
//
//   io::SimulatedNetwork network;
//   io::SimulatedTransport transport(network);
//   server::Server served;
//   server::SimulatedServer simulated(served, network);
//   simulated.Listen(io::Address::Loopback(2049), {});
#ifndef TESTS_SERVER_SIMULATED_SERVER_H_
#define TESTS_SERVER_SIMULATED_SERVER_H_

#include <memory>

#include "io/address.h"
#include "io/simulated_network.h"
#include "tests/server/server.h"

namespace server {

struct SimulatedPlaces;

// Thread-compatible. `served` and `network` must outlive it.
class SimulatedServer {
 public:
  SimulatedServer(Server& served, io::SimulatedNetwork& network);
  // As Stop().
  ~SimulatedServer();

  // Serves these programs at this address from now on. The rpcbind table of `served`
  // is the test's business.
  void Listen(const io::Address& address, const Programs& programs);

  // The server dies: every connection is reset, nobody listens. Start() has it listen
  // where it did before, booted (Server::Boot).
  void Stop();
  void Start();

 private:
  // Shared with the peers, which live as long as the network.
  const std::shared_ptr<SimulatedPlaces> state_;
};

}  // namespace server

#endif  // TESTS_SERVER_SIMULATED_SERVER_H_
