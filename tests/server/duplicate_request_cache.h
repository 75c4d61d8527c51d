// Replies that a server keeps, for calls that come again because the reply was lost.
#ifndef TESTS_SERVER_DUPLICATE_REQUEST_CACHE_H_
#define TESTS_SERVER_DUPLICATE_REQUEST_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/server/call.h"
#include "xdr/types.h"

namespace server {

// Knows a call by the client's address and its xid, and by nothing else: not by its port,
// and not by what it asks. That is what servers do, more or less, and it is a trap for a
// client whose xids begin anew with each run. Thread-compatible.
class DuplicateRequestCache {
 public:
  // Keeps the last so many replies from now on; 0, as at first: none.
  void SetCapacity(size_t entries);

  // The reply to the same call, or to what passes for it. Null when there is none.
  const std::vector<std::byte>* Find(const Call& call) const;
  void Store(const Call& call, xdr::ByteView reply);
  void Clear();

 private:
  using Key = std::pair<std::string, uint32_t>;

  static Key KeyOf(const Call& call) { return {call.peer.address, call.xid}; }
  void Shrink(size_t entries);

  size_t capacity_ = 0;
  std::map<Key, std::vector<std::byte>> replies_;
  std::deque<Key> by_age_;  // the oldest first
};

}  // namespace server

#endif  // TESTS_SERVER_DUPLICATE_REQUEST_CACHE_H_
