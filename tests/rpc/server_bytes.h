// What a server sends, put together by hand: no encoder of ours has a part in it.
#ifndef TESTS_RPC_SERVER_BYTES_H_
#define TESTS_RPC_SERVER_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "rpc/slot_table.h"
#include "tests/rpc/segmented_feed.h"
#include "xdr/types.h"
#include "xdr/wire.h"

namespace rpc {

inline void AppendWord(Bytes& to, uint32_t word) {
  for (int shift = 24; shift >= 0; shift -= 8) to.push_back(static_cast<std::byte>(word >> shift));
}

inline Bytes Words(std::initializer_list<uint32_t> words) {
  Bytes bytes;
  for (uint32_t word : words) AppendWord(bytes, word);
  return bytes;
}

// A length, the bytes, and their padding.
inline void AppendOpaque(Bytes& to, xdr::ByteView bytes) {
  AppendWord(to, static_cast<uint32_t>(bytes.size()));
  Append(to, bytes);
  while (to.size() % 4 != 0) to.push_back(std::byte{0});
}

// `size` bytes of which no two neighbours, and no two with different seeds, look alike.
inline Bytes Pattern(size_t size, uint32_t seed = 1) {
  Bytes bytes(size);
  uint32_t state = seed * 2654435761u + 1;
  for (std::byte& byte : bytes) {
    state = state * 1664525u + 1013904223u;
    byte = static_cast<std::byte>(state >> 24);
  }
  return bytes;
}

struct Verifier {
  uint32_t flavor = 0;
  Bytes body;
};

// An accepted reply (RFC 5531, section 9) with accept_stat 0.
inline Bytes SuccessReply(uint32_t xid, xdr::ByteView results, const Verifier& verifier = {}) {
  Bytes reply = Words({xid, 1, 0, verifier.flavor});
  AppendOpaque(reply, verifier.body);
  AppendWord(reply, 0);
  Append(reply, results);
  return reply;
}

// One whose call was not executed.
inline Bytes FailedReply(uint32_t xid, uint32_t accept_stat,
                         std::initializer_list<uint32_t> more = {}) {
  Bytes reply = Words({xid, 1, 0, 0, 0, accept_stat});
  Append(reply, Words(more));
  return reply;
}

inline Bytes DeniedReply(uint32_t xid, std::initializer_list<uint32_t> reject) {
  Bytes reply = Words({xid, 1, 1});
  Append(reply, Words(reject));
  return reply;
}

// READ3res (RFC 1813, 3.3.6) up to its data: what LocateReadData leaves in the results.
inline Bytes ReadResultsHead(uint32_t data_bytes, bool attributes, bool eof) {
  Bytes head = Words({0, attributes ? 1u : 0u});
  if (attributes) Append(head, Pattern(84, 84));
  Append(head, Words({data_bytes, eof ? 1u : 0u, data_bytes}));
  return head;
}

// ... and with it.
inline Bytes ReadResults(xdr::ByteView data, bool attributes = true, bool eof = false) {
  Bytes results = ReadResultsHead(static_cast<uint32_t>(data.size()), attributes, eof);
  Append(results, data);
  while (results.size() % 4 != 0) results.push_back(std::byte{0});
  return results;
}

// Finds the data in READ3res.
inline PayloadPlace LocateReadData(xdr::ByteView results) {
  PayloadPlace place;
  place.results_bytes = 4;
  if (results.size() < 4) return place;
  if (xdr::LoadUint32(results.data()) != 0) {
    place.results_bytes = kNoPayload;
    return place;
  }
  place.results_bytes = 8;
  if (results.size() < 8) return place;
  const bool attributes = xdr::LoadUint32(results.data() + 4) != 0;
  place.results_bytes = 8 + (attributes ? 84 : 0) + 12;
  if (results.size() < place.results_bytes) return place;
  place.found = true;
  place.payload_bytes = xdr::LoadUint32(results.data() + place.results_bytes - 4);
  return place;
}

}  // namespace rpc

#endif  // TESTS_RPC_SERVER_BYTES_H_
