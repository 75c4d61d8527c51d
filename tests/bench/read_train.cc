// Tested by tests/bench/load_server_test.cc.
#include "tests/bench/read_train.h"

#include <sys/socket.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>

#include "client/protocol/nfs3_read.h"
#include "rpc/auth.h"
#include "rpc/message.h"
#include "tests/bench/read_replies.h"
#include "xdr/encoder.h"
#include "xdr/wire.h"

namespace bench {

namespace {

constexpr size_t kMarkBytes = 4;

// A whole record, for xid 0 and offset 0.
std::vector<std::byte> EncodeRead(const nfs3::FileHandle3& handle, uint32_t count) {
  rpc::CallHeader header;
  header.program = nfs3::kProgram;
  header.version = nfs3::kVersion;
  header.procedure = nfs3::kRead.number;
  header.credentials = rpc::AuthSys({}, "bench", 0);
  std::vector<std::byte> record(1024);
  xdr::Encoder encoder{std::span(record).subspan(kMarkBytes)};
  encoder.Put(header);
  encoder.Put(nfs3::Read3Args{.file = handle, .count = count});
  assert(encoder.ok());
  record.resize(kMarkBytes + encoder.size());
  xdr::StoreUint32(record.data(), 0x80000000 | static_cast<uint32_t>(encoder.size()));
  return record;
}

}  // namespace

ReadTrain::ReadTrain(int fd, const nfs3::FileHandle3& handle, const Shape& shape)
    : fd_(fd),
      shape_(shape),
      reads_((shape.size + shape.rsize - 1) / shape.rsize),
      call_(EncodeRead(handle, shape.rsize)),
      calls_(call_.size() * shape.window) {}

absl::Status ReadTrain::Send() {
  const uint64_t answered = received_ / (kReadHeadBytes + shape_.rsize);
  const uint64_t batch = std::max<uint32_t>(shape_.window / 4, 1);
  const uint64_t room = shape_.window - (sent_ - answered);
  const uint64_t count = std::min(room, reads_ - sent_);
  if (count == 0 || room < batch) return absl::OkStatus();
  PutCalls(count);
  const auto bytes = static_cast<ssize_t>(count * call_.size());
  if (send(fd_, calls_.data(), bytes, MSG_NOSIGNAL) == bytes) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, "send");
}

void ReadTrain::PutCalls(uint64_t count) {
  for (uint64_t i = 0; i < count; ++i, ++sent_) {
    std::byte* const at = calls_.data() + i * call_.size();
    std::memcpy(at, call_.data(), call_.size());
    const uint64_t offset = sent_ * shape_.rsize;
    std::byte* const offset_at = at + call_.size() - 12;
    xdr::StoreUint32(at + kMarkBytes, static_cast<uint32_t>(sent_));
    xdr::StoreUint32(offset_at, static_cast<uint32_t>(offset >> 32));
    xdr::StoreUint32(offset_at + 4, static_cast<uint32_t>(offset));
  }
  asked_ = ReplyBytes(sent_);
}

uint64_t ReadTrain::ReplyBytes(uint64_t reads) const {
  return reads * kReadHeadBytes + xdr::PaddedSize(std::min(reads * shape_.rsize, shape_.size));
}

}  // namespace bench
