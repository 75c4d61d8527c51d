// Hands a stream of bytes to a receiver (rpc::Channel, rpc::RecordReader) as a transport
// does, cut in every way that record marking and TCP can cut it.
//
//   message --AsRecord(fragments)--> record, record, ...  --Feed(pieces)--> receiver
//
// The pieces are what lies in the socket when a receive is made. A receiver must come to
// the same results however its messages are cut into fragments, and however the stream
// is cut into pieces.
#ifndef TESTS_RPC_SEGMENTED_FEED_H_
#define TESTS_RPC_SEGMENTED_FEED_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "rpc/record_reader.h"
#include "xdr/types.h"
#include "xdr/wire.h"

namespace rpc {

using Bytes = std::vector<std::byte>;
using Random = std::mt19937_64;

inline void Append(Bytes& to, xdr::ByteView bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

// A number from `low` to `high`, both included.
inline size_t Draw(Random& random, size_t low, size_t high) {
  return low + random() % (high - low + 1);
}

// Of what is tried completely, a sanitizer looks at only a part: it takes ten times as
// long, and finds what it is for all the same.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr size_t kEvery = 8;
#else
inline constexpr size_t kEvery = 1;
#endif

// --- Messages into fragments -------------------------------------------------

inline void AppendFragment(Bytes& to, xdr::ByteView bytes, bool last) {
  std::byte mark[4];
  xdr::StoreUint32(mark, static_cast<uint32_t>(bytes.size()) | (last ? 0x80000000 : 0));
  Append(to, mark);
  Append(to, bytes);
}

inline constexpr size_t kOneFragment = SIZE_MAX;

// How a message is cut into fragments (RFC 5531, section 11).
struct Fragments {
  size_t bytes = kOneFragment;  // of each but the last
  bool empty_ones = false;      // an empty one before each of them, and as the last

  std::string Name() const {
    const std::string size = bytes == kOneFragment ? "one fragment" : std::to_string(bytes);
    return "fragments: " + size + (empty_ones ? " and empty ones" : "");
  }
};

inline Bytes AsRecord(xdr::ByteView message, const Fragments& fragments = {}) {
  Bytes record;
  size_t begin = 0;
  do {
    const size_t size = std::min(fragments.bytes, message.size() - begin);
    const bool last = begin + size == message.size();
    if (fragments.empty_ones) AppendFragment(record, {}, false);
    AppendFragment(record, message.subspan(begin, size), last && !fragments.empty_ones);
    begin += size;
  } while (begin < message.size());
  if (fragments.empty_ones) AppendFragment(record, {}, true);
  return record;
}

// Fragments of random sizes, small, large and empty ones.
inline Bytes AsRandomRecord(xdr::ByteView message, Random& random) {
  Bytes record;
  const size_t usual = Draw(random, 1, message.size() + 1);
  size_t begin = 0;
  bool last = false;
  while (!last) {
    const size_t size = std::min(Draw(random, 0, usual), message.size() - begin);
    last = begin + size == message.size() && Draw(random, 0, 3) != 0;
    AppendFragment(record, message.subspan(begin, size), last);
    begin += size;
  }
  return record;
}

// --- A stream into pieces ----------------------------------------------------

// The sizes of the pieces in which a stream arrives; the rest of it is one more.
struct Pieces {
  std::string name;
  std::vector<size_t> sizes;
};

inline Pieces Whole() { return {"whole", {}}; }

inline Pieces CutAt(size_t position) { return {"cut at " + std::to_string(position), {position}}; }

inline Pieces PiecesOf(size_t size, size_t stream_bytes) {
  return {"pieces of " + std::to_string(size), std::vector<size_t>(stream_bytes / size, size)};
}

inline Pieces ByteByByte(size_t stream_bytes) { return PiecesOf(1, stream_bytes); }

inline Pieces RandomPieces(size_t stream_bytes, Random& random) {
  Pieces pieces{"random pieces", {}};
  const size_t usual = Draw(random, 1, std::min<size_t>(stream_bytes + 1, 1000));
  for (size_t sum = 0; sum < stream_bytes; sum += pieces.sizes.back()) {
    pieces.sizes.push_back(Draw(random, 1, usual));
  }
  return pieces;
}

// --- The transport -----------------------------------------------------------

// When a receive comes back: as soon as there is a byte, or as late as it may, when all
// that was promised is there (SO_RCVLOWAT).
enum class Waits : uint8_t { kForAByte, kForWhatIsPromised };

// One receive: copies as much of `bytes` as the spans take, and returns how much.
inline size_t CopyInto(const ReceiveSpans& spans, xdr::ByteView bytes) {
  const size_t size = bytes.size();
  const auto copy = [&bytes](std::span<std::byte> span) {
    const size_t part = std::min(bytes.size(), span.size());
    if (part != 0) std::memcpy(span.data(), bytes.data(), part);
    bytes = bytes.subspan(part);
  };
  copy(spans.first);
  copy(spans.second);
  std::ranges::for_each(spans.more, copy);
  return size - bytes.size();
}

// Receives what is there of a stream, from `begin` to `end`, and returns where it
// stopped: at `end`, or before it because `drain` gave false or, under
// kForWhatIsPromised, because less is there than was promised.
template <typename Receiver, typename Drain>
size_t FeedPiece(Receiver& receiver, xdr::ByteView stream, size_t begin, size_t end, Waits waits,
                 Drain& drain) {
  while (begin < end) {
    const ReceiveSpans spans = receiver.GetReceiveSpans();
    EXPECT_GE(spans.promised, 1u);
    EXPECT_LE(spans.promised, spans.size()) << "a receive that could not end";
    if (waits == Waits::kForWhatIsPromised && end - begin < spans.promised) break;
    const size_t size = CopyInto(spans, stream.subspan(begin, end - begin));
    receiver.OnReceived(size);
    begin += size;
    if (!drain()) break;
  }
  return begin;
}

// Receives all of `stream`, and calls `drain` after each receive to use it up; `drain`
// returns false when the receiver is not to receive any more. Returns how many bytes were
// received; less than all of them without a false from `drain` is a receiver that was
// promised more than there is.
template <typename Receiver, typename Drain>
size_t Feed(Receiver& receiver, xdr::ByteView stream, const Pieces& pieces, Waits waits,
            Drain drain) {
  size_t taken = 0;
  size_t there = 0;
  bool wanted = true;
  auto drain_if_wanted = [&] { return wanted = drain(); };
  for (size_t i = 0; i <= pieces.sizes.size() && wanted; ++i) {
    const size_t left = stream.size() - there;
    there += i < pieces.sizes.size() ? std::min(pieces.sizes[i], left) : left;
    taken = FeedPiece(receiver, stream, taken, there, waits, drain_if_wanted);
  }
  return taken;
}

}  // namespace rpc

#endif  // TESTS_RPC_SEGMENTED_FEED_H_
