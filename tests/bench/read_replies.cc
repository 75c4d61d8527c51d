// Tested by tests/bench/load_server_test.cc.
#include "tests/bench/read_replies.h"

#include <algorithm>
#include <cassert>

#include "client/protocol/nfs3_read.h"
#include "rpc/message.h"
#include "xdr/encoder.h"
#include "xdr/wire.h"

namespace bench {

namespace {

// IOV_MAX is 1024; a reply takes up to three spans.
constexpr size_t kMostReplies = 340;

constexpr uint32_t kLastFragment = 0x80000000;
constexpr size_t kMarkBytes = 4;
constexpr std::byte kZeros[4] = {};

// Where the fields of a reply lie that differ from READ to READ.
constexpr size_t kXidAt = kMarkBytes;
constexpr size_t kCountAt = kReadHeadBytes - 12;
constexpr size_t kEofAt = kReadHeadBytes - 8;
constexpr size_t kLengthAt = kReadHeadBytes - 4;

uint64_t LoadUint64(const std::byte* at) {
  return uint64_t{xdr::LoadUint32(at)} << 32 | xdr::LoadUint32(at + 4);
}

// Offset of what comes after the opaque at `at`, whose length word is there; past the end
// when the record ends before.
size_t AfterOpaque(xdr::ByteView record, size_t at) {
  if (at + 4 > record.size()) return record.size() + 1;
  return at + 4 + xdr::PaddedSize(xdr::LoadUint32(record.data() + at));
}

bool IsRead(xdr::ByteView record) {
  constexpr size_t kProgramAt = 12;
  const uint32_t wanted[] = {nfs3::kProgram, nfs3::kVersion, nfs3::kRead.number};
  if (record.size() < kProgramAt + sizeof(wanted)) return false;
  for (size_t i = 0; i < std::size(wanted); ++i) {
    if (xdr::LoadUint32(record.data() + kProgramAt + 4 * i) != wanted[i]) return false;
  }
  return true;
}

iovec SpanOf(xdr::ByteView bytes) { return {const_cast<std::byte*>(bytes.data()), bytes.size()}; }

}  // namespace

ServedFile MakeServedFile(const nfs3::FileHandle3& handle, const nfs3::Fattr3& attributes) {
  ServedFile file = {.handle = handle, .size = attributes.size};
  xdr::Encoder encoder{std::span(file.head).subspan(kMarkBytes)};
  encoder.Put(rpc::ReplyHeader());
  encoder.Put(nfs3::Read3Head{.file_attributes = attributes});
  assert(encoder.ok() && encoder.size() == kReadHeadBytes - kMarkBytes);
  return file;
}

std::optional<ReadCall> FindReadCall(xdr::ByteView record) {
  constexpr size_t kCredentialsAt = 28;  // their length
  constexpr size_t kArgumentBytes = 12;  // after the handle
  if (!IsRead(record)) return std::nullopt;
  const size_t verifier = AfterOpaque(record, kCredentialsAt) + 4;
  const size_t handle = AfterOpaque(record, verifier);
  const size_t rest = AfterOpaque(record, handle);
  if (rest + kArgumentBytes > record.size()) return std::nullopt;
  const std::byte* const at = record.data() + rest;
  return ReadCall{.xid = xdr::LoadUint32(record.data()),
                  .handle = record.subspan(handle + 4, xdr::LoadUint32(record.data() + handle)),
                  .offset = LoadUint64(at),
                  .count = xdr::LoadUint32(at + 8)};
}

ReadReplies::ReadReplies(const Pattern& pattern, uint32_t most_bytes)
    : pattern_(pattern), most_bytes_(most_bytes), heads_(kMostReplies) {
  assert(most_bytes <= Pattern::kMostBytes);
  spans_.reserve(3 * kMostReplies);
}

void ReadReplies::Add(const ServedFile& file, const ReadCall& call) {
  const uint64_t left = file.size - std::min(file.size, call.offset);
  const auto count = static_cast<uint32_t>(std::min<uint64_t>({left, call.count, most_bytes_}));
  const auto padding = static_cast<uint32_t>(xdr::PaddedSize(count) - count);
  ReadHead& head = heads_[replies_++];
  head = file.head;
  xdr::StoreUint32(head.data(), kLastFragment | static_cast<uint32_t>(kReadHeadBytes - kMarkBytes +
                                                                      count + padding));
  xdr::StoreUint32(head.data() + kXidAt, call.xid);
  xdr::StoreUint32(head.data() + kCountAt, count);
  xdr::StoreUint32(head.data() + kEofAt, count == left ? 1 : 0);
  xdr::StoreUint32(head.data() + kLengthAt, count);
  spans_.push_back(SpanOf(head));
  if (count != 0) spans_.push_back(SpanOf(pattern_.At(call.offset, count)));
  if (padding != 0) spans_.push_back(SpanOf(std::span(kZeros).first(padding)));
}

void ReadReplies::Clear() {
  replies_ = 0;
  spans_.clear();
}

}  // namespace bench
