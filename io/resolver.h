// The addresses of a server that may move: asked for again and again, without waiting.
#ifndef IO_RESOLVER_H_
#define IO_RESOLVER_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "io/address.h"

namespace io {

using Addresses = std::vector<Address>;

// Thread-compatible.
class Resolver {
 public:
  virtual ~Resolver() = default;

  // The answer to what was asked last, once it has come, and only once; then it is asked
  // anew. Begins to ask when it is called for the first time. Never waits: a resolver without an
  // answer takes many seconds to say so, and the server may be back before.
  virtual std::optional<absl::StatusOr<Addresses>> Poll() = 0;
};

// Asks the system's resolver, as Resolve(host, 0), in a thread that may outlive the
// object (nothing can interrupt it) but touches nothing of the caller's.
std::unique_ptr<Resolver> MakeResolver(std::string host);

}  // namespace io

#endif  // IO_RESOLVER_H_
