// Tested by tests/io/output_contract_test.cc and tests/io/splice_contract_test.cc.
// The outputs of SimulatedTransport.
#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cmath>
#include <utility>

#include "io/errno_status.h"
#include "io/simulated_transport.h"

namespace io {

namespace {

void WriteTo(SimulatedOutput& output, std::span<const std::byte> bytes,
             std::optional<uint64_t> offset) {
  const size_t begin = offset.value_or(output.bytes.size());
  output.bytes.resize(std::max(output.bytes.size(), begin + bytes.size()));
  std::ranges::copy(bytes, output.bytes.begin() + static_cast<ptrdiff_t>(begin));
}

}  // namespace

void SimulatedTransport::StartWrite(int fd, std::span<const std::byte> bytes) {
  assert(!write_.active);
  write_ = BeginWrite(fd, bytes, std::nullopt);
}

void SimulatedTransport::StartWriteAt(int fd, std::span<const std::byte> bytes, uint64_t offset,
                                      WriteTag tag) {
  assert(CanWriteAt(fd) && !bytes.empty() && !writes_at_[tag].active);
  writes_at_[tag] = BeginWrite(fd, bytes, offset);
}

SimulatedTransport::Write SimulatedTransport::BeginWrite(int fd, std::span<const std::byte> bytes,
                                                         std::optional<uint64_t> offset) {
  SimulatedOutput& output = outputs_[fd];
  const auto taken = bytes.first(std::min(bytes.size(), output.max_write));
  Write write = {.active = true, .output = &output, .bytes = taken, .offset = offset};
  write.ends = std::max(Now(), output.has_room_at) + TimeOf(output, taken.size());
  write.lent = LentMemory::ToSend(taken);
  network_.At(write.ends, [] {});  // so that the time comes
  Poison(taken);
  return write;
}

absl::Duration SimulatedTransport::TimeOf(const SimulatedOutput& output, size_t bytes) {
  if (std::isinf(output.bytes_per_second)) return absl::ZeroDuration();
  return absl::Seconds(static_cast<double>(bytes) / output.bytes_per_second);
}

absl::Status SimulatedTransport::CanSplice(int fd) {
  const SimulatedOutput& output = outputs_[fd];
  if (!output.is_pipe) return absl::FailedPreconditionError("splice: the output is not a pipe");
  if (!output.has_refused) return absl::OkStatus();
  return absl::UnimplementedError(OutputError("splice", output.refuses_splice_with).message());
}

void SimulatedTransport::StartSplice(ConnectionId id, int fd, size_t bytes) {
  assert(!connections_.Get(id).connecting && !connections_.Get(id).receiving);
  assert(!splice_.active && !write_.active && bytes >= 1);
  splice_ = {.active = true, .connection = id, .output = &outputs_[fd], .bytes = bytes};
}

// The youngest first: whoever counts on an order is found.
void SimulatedTransport::SettleWrites() {
  if (auto event = EndWrite(write_, Event::Kind::kWritten)) gathered_.push_back(*event);
  for (WriteTag tag = kMostWritesAt; tag-- != 0;) {
    auto event = EndWrite(writes_at_[tag], Event::Kind::kWrittenAt);
    if (!event.has_value()) continue;
    event->tag = tag;
    gathered_.push_back(*std::move(event));
  }
}

std::optional<Event> SimulatedTransport::EndWrite(Write& write, Event::Kind kind) {
  if (!write.active) return std::nullopt;
  SimulatedOutput& output = *write.output;
  if (Now() < write.ends || (output.stalled && output.error == 0)) return std::nullopt;
  write.active = false;
  Unpoison(write.bytes);
  if (!write.lent.GiveBack()) Report(Trouble::kMemoryTouched, "memory being written was touched");
  Event event;
  event.kind = kind;
  if (write.bytes.empty()) return event;
  const size_t begin = write.offset.value_or(output.bytes.size());
  const size_t room = output.room > begin ? output.room - begin : 0;
  const int error = output.error != 0 ? output.error : room == 0 ? ENOSPC : 0;
  if (error != 0) event.status = OutputError(error);
  if (error != 0) return event;
  event.bytes = std::min(room, write.bytes.size());
  WriteTo(output, write.bytes.first(event.bytes), write.offset);
  return event;
}

void SimulatedTransport::SettleSplice() {
  Connection& connection = connections_.Get(splice_.connection);
  SimulatedConnection& end = *connection.end;
  SimulatedOutput& output = *splice_.output;
  if (!end.HasArrived() && !end.HasEnded()) return;
  if (end.HasEnded()) {
    const int error = end.error();
    return EndSplice(0,
                     error == 0 ? PeerClosed(connection.address)
                                : SocketError("recv", error, connection.address),
                     OutputState::kTakes);
  }
  output.has_refused |= output.refuses_splice_with != 0;
  if (output.error != 0 || output.has_refused) {
    return EndSplice(0, absl::OkStatus(), OutputState::kRefuses);
  }
  if (output.stalled || Now() < output.has_room_at) {
    return EndSplice(0, absl::OkStatus(), OutputState::kFull);
  }
  std::vector<std::byte> bytes(std::min({splice_.bytes, output.max_write, end.link().max_receive}));
  bytes.resize(end.ClientReceive(bytes));
  WriteTo(output, bytes, std::nullopt);
  output.has_room_at = Now() + TimeOf(output, bytes.size());
  EndSplice(bytes.size(), absl::OkStatus(), OutputState::kTakes);
}

void SimulatedTransport::EndSplice(size_t bytes, absl::Status status, OutputState output) {
  splice_.active = false;
  AddEvent(Event::Kind::kSpliced, splice_.connection, bytes, std::move(status));
  gathered_.back().output = output;
}

}  // namespace io
