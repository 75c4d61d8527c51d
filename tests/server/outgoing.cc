// Tested by tests/server/actions_test.cc.
#include "tests/server/outgoing.h"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "xdr/types.h"
#include "xdr/wire.h"

namespace server {

namespace {

constexpr uint32_t kLastFragment = 0x80000000;
constexpr std::byte kJunk{0xee};

// How long the record becomes: cut > 0 counts from its start, < 0 from its end.
size_t CutSize(size_t size, int64_t cut) {
  const auto bytes = static_cast<size_t>(std::abs(cut));
  if (cut >= 0) return std::min(size, bytes);
  return size - std::min(size, bytes);
}

// Of the reply that begins at `start`.
void ChangeLength(ReplyBuffer& bytes, size_t start, const Actions& actions) {
  if (actions.junk) std::ranges::fill(bytes.Extend(*actions.junk), kJunk);
  if (actions.cut) bytes.Truncate(start + CutSize(bytes.size() - start, *actions.cut));
}

void ReplaceBy(absl::string_view raw, ReplyBuffer& bytes) {
  bytes.Clear();
  bytes.Append(xdr::BytesOf(raw));
}

void Mark(std::span<std::byte> at, size_t size, bool last) {
  xdr::StoreUint32(at.data(), static_cast<uint32_t>(size) | (last ? kLastFragment : 0));
}

void MarkWhole(ReplyBuffer& bytes) { Mark(bytes.bytes(), bytes.size() - kMarkBytes, true); }

// The record in fragments of `sizes`, the last of which is used again and again.
ReplyBuffer Fragmented(xdr::ByteView record, const std::vector<size_t>& sizes) {
  ReplyBuffer bytes;
  size_t next = 0;
  do {
    const size_t size = std::min(sizes[next], record.size());
    Mark(bytes.Extend(kMarkBytes), size, size == record.size());
    bytes.Append(record.first(size));
    record = record.subspan(size);
    next = std::min(next + 1, sizes.size() - 1);
  } while (!record.empty());
  return bytes;
}

ReplyBuffer Framed(ReplyBuffer bytes, const Actions& actions) {
  if (actions.raw) {
    ReplaceBy(*actions.raw, bytes);
    return bytes;
  }
  ChangeLength(bytes, kMarkBytes, actions);
  if (actions.fragments) return Fragmented(bytes.view().subspan(kMarkBytes), *actions.fragments);
  MarkWhole(bytes);
  return bytes;
}

std::deque<size_t> Pauses(const std::vector<size_t>& pieces, size_t size) {
  std::deque<size_t> pauses;
  size_t at = 0;
  for (size_t piece : pieces) {
    at += piece;
    if (at >= size) break;
    pauses.push_back(at);
  }
  return pauses;
}

}  // namespace

Outgoing FrameReply(ReplyBuffer bytes, const Actions& actions) {
  Outgoing outgoing;
  outgoing.bytes = Framed(std::move(bytes), actions);
  outgoing.ending = actions.ending;
  outgoing.refuse = actions.refuse.value_or(absl::ZeroDuration());
  if (outgoing.ending && outgoing.ending->after_bytes < outgoing.bytes.size()) {
    outgoing.bytes.Truncate(outgoing.ending->after_bytes);
  }
  if (actions.split) outgoing.pauses = Pauses(*actions.split, outgoing.bytes.size());
  return outgoing;
}

ReplyBuffer DatagramReply(ReplyBuffer bytes, const Actions& actions) {
  if (actions.raw) {
    ReplaceBy(*actions.raw, bytes);
  } else {
    ChangeLength(bytes, 0, actions);
  }
  return bytes;
}

}  // namespace server
