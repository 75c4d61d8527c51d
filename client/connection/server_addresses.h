// Where a server is to be found: its addresses, the best one first.
#ifndef CLIENT_CONNECTION_SERVER_ADDRESSES_H_
#define CLIENT_CONNECTION_SERVER_ADDRESSES_H_

#include <memory>
#include <string>

#include "io/address.h"
#include "io/resolver.h"

namespace nfs {

// Shared by all connections to the server, so that what one of them finds out about the
// addresses serves the others too. Thread-compatible.
class ServerAddresses {
 public:
  // `host`: what people call the server. `addresses`: as they were resolved, in the
  // resolver's order; their ports do not matter. `resolver` may be null: then they stay.
  // REQUIRES: at least one address.
  ServerAddresses(std::string host, io::Addresses addresses,
                  std::unique_ptr<io::Resolver> resolver = nullptr);

  const std::string& host() const { return host_; }
  const io::Addresses& list() const { return addresses_; }

  // `address` has taken a connection: the next ones try it first.
  void Prefer(const io::Address& address);
  // None of them takes a connection: looks whether the name leads elsewhere by now. What
  // the resolver says replaces the list, now or at a later call, when it has come; an
  // error of the resolver is no reason to forget what worked before.
  void AskAgain();

 private:
  const std::string host_;
  io::Addresses addresses_;
  const std::unique_ptr<io::Resolver> resolver_;
};

}  // namespace nfs

#endif  // CLIENT_CONNECTION_SERVER_ADDRESSES_H_
