// Tested by tests/bench/load_server_test.cc.
#include "tests/bench/load_connection.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "tests/server/call.h"
#include "xdr/wire.h"

namespace bench {

namespace {

constexpr size_t kReceiveBytes = 256 << 10;
constexpr uint32_t kLastFragment = 0x80000000;
constexpr size_t kMarkBytes = 4;

// Drops `sent` bytes from the front.
std::span<iovec> Rest(std::span<iovec> spans, size_t sent) {
  while (!spans.empty() && sent >= spans.front().iov_len) {
    sent -= spans.front().iov_len;
    spans = spans.subspan(1);
  }
  if (sent != 0) {
    spans.front().iov_base = static_cast<std::byte*>(spans.front().iov_base) + sent;
    spans.front().iov_len -= sent;
  }
  return spans;
}

}  // namespace

LoadConnection::LoadConnection(int fd, LoadState& state)
    : fd_(fd), state_(state), received_(kReceiveBytes), replies_(state.pattern, state.rsize) {}

void LoadConnection::Run() {
  while (Receive() && TakeRecords() && Flush()) continue;
}

bool LoadConnection::Receive() {
  std::memmove(received_.data(), received_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  const ssize_t size = recv(fd_, received_.data() + end_, received_.size() - end_, 0);
  if (size <= 0) return size < 0 && errno == EINTR;
  end_ += static_cast<size_t>(size);
  return true;
}

// All that have come whole.
bool LoadConnection::TakeRecords() {
  while (end_ - begin_ >= kMarkBytes) {
    const std::byte* const at = received_.data() + begin_;
    const uint32_t mark = xdr::LoadUint32(at);
    const size_t size = mark & ~kLastFragment;
    if ((mark & kLastFragment) == 0 || kMarkBytes + size > received_.size()) return false;
    if (end_ - begin_ < kMarkBytes + size) return true;
    begin_ += kMarkBytes + size;
    if (!TakeRecord({at + kMarkBytes, size})) return false;
  }
  return true;
}

bool LoadConnection::TakeRecord(xdr::ByteView record) {
  const std::optional<ReadCall> read = FindReadCall(record);
  return read.has_value() ? AnswerRead(*read) : AnswerOther(record);
}

bool LoadConnection::AnswerRead(const ReadCall& call) {
  const ServedFile* const file = FindFile(call.handle);
  if (file == nullptr) return false;
  CountRead();
  if (replies_.full() && !Flush()) return false;
  replies_.Add(*file, call);
  return true;
}

void LoadConnection::CountRead() {
  if (state_.reads.fetch_add(1, std::memory_order_relaxed) != 0) return;
  state_.calls_before_read = state_.other_calls.load();
  state_.connections_before_read = state_.connections.load();
}

bool LoadConnection::AnswerOther(xdr::ByteView record) {
  const std::optional<server::Call> call = server::DecodeCall(record);
  if (!call.has_value() || !Flush()) return false;
  ++state_.other_calls;
  other_.Clear();
  other_.Extend(kMarkBytes);
  state_.served.Answer(*call, {}, {}, other_);
  xdr::StoreUint32(other_.bytes().data(),
                   kLastFragment | static_cast<uint32_t>(other_.size() - kMarkBytes));
  iovec whole = {other_.bytes().data(), other_.size()};
  return Send({&whole, 1});
}

const ServedFile* LoadConnection::FindFile(xdr::ByteView handle) const {
  const auto file = std::ranges::find_if(state_.files, [&](const ServedFile& candidate) {
    const xdr::ByteView own = candidate.handle.data.view();
    return own.size() == handle.size() && std::memcmp(own.data(), handle.data(), own.size()) == 0;
  });
  return file == state_.files.end() ? nullptr : &*file;
}

bool LoadConnection::Flush() {
  const bool sent = replies_.empty() || Send(replies_.spans());
  replies_.Clear();
  return sent;
}

bool LoadConnection::Send(std::span<iovec> spans) {
  while (!spans.empty()) {
    msghdr message = {.msg_iov = spans.data(), .msg_iovlen = spans.size()};
    const ssize_t sent = sendmsg(fd_, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR) return false;
    if (sent > 0) spans = Rest(spans, static_cast<size_t>(sent));
  }
  return true;
}

}  // namespace bench
