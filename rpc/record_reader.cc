// Tested by tests/rpc/record_reader_test.cc.
#include "rpc/record_reader.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "xdr/wire.h"

namespace rpc {

namespace {

constexpr uint32_t kLastFragment = 0x80000000;

bool IsPrintable(std::span<const std::byte> bytes) {
  return std::ranges::all_of(
      bytes, [](std::byte byte) { return byte >= std::byte{' '} && byte <= std::byte{'~'}; });
}

}  // namespace

RecordReader::RecordReader(const Limits& limits)
    : limits_(limits),
      receive_ahead_(limits.staging_bytes),
      staging_(limits.staging_bytes),
      head_(limits.head_bytes) {}

void RecordReader::set_receive_ahead(size_t bytes) {
  receive_ahead_ = std::clamp<size_t>(bytes, 4, staging_.size());
}

void RecordReader::Reset() {
  staged_begin_ = staged_end_ = 0;
  mark_size_ = 0;
  direct_bytes_ = 0;
  status_ = absl::OkStatus();
  BeginRecord();
}

void RecordReader::BeginRecord() {
  head_size_ = 0;
  payload_ = {};
  payload_filled_ = 0;
  fragment_left_ = 0;
  record_size_ = 0;
  last_fragment_ = false;
}

ReceiveSpans RecordReader::GetReceiveSpans() {
  assert(staged_begin_ == staged_end_ && "use up what was received before receiving more");
  staged_begin_ = staged_end_ = 0;
  const std::span<std::byte> left = payload_.subspan(payload_filled_);
  direct_bytes_ = std::min(left.size(), fragment_left_);
  ReceiveSpans spans;
  spans.first = left.first(direct_bytes_);
  spans.second = std::span(staging_).first(receive_ahead_);
  offered_bytes_ = spans.size();
  spans.promised = std::clamp<size_t>(fragment_left_, 1, offered_bytes_);
  return spans;
}

void RecordReader::OnReceived(size_t size) {
  assert(size <= offered_bytes_);
  const size_t direct = std::min(size, direct_bytes_);
  payload_filled_ += direct;
  fragment_left_ -= direct;
  direct_bytes_ = 0;
  staged_end_ = size - direct;
  CheckInvariants();
}

size_t RecordReader::MoveStaged(std::byte* to, size_t at_most) {
  const size_t size = std::min({at_most, fragment_left_, staged_end_ - staged_begin_});
  if (to != nullptr && size != 0) std::memcpy(to, staging_.data() + staged_begin_, size);
  staged_begin_ += size;
  fragment_left_ -= size;
  return size;
}

RecordReader::Progress RecordReader::EnterFragment() {
  while (fragment_left_ == 0) {
    if (last_fragment_) return Progress::kRecordEnded;
    const Progress progress = ReadMark();
    if (progress != Progress::kDone) return progress;
  }
  return staged_begin_ == staged_end_ ? Progress::kNeedBytes : Progress::kDone;
}

RecordReader::Progress RecordReader::ReadMark() {
  if (!status_.ok()) return Progress::kFailed;
  while (mark_size_ < mark_.size()) {
    if (staged_begin_ == staged_end_) return Progress::kNeedBytes;
    mark_[mark_size_++] = staging_[staged_begin_++];
  }
  const uint32_t mark = xdr::LoadUint32(mark_.data());
  const uint32_t fragment_bytes = mark & ~kLastFragment;
  status_ = CheckMark(fragment_bytes);
  if (!status_.ok()) return Progress::kFailed;
  mark_size_ = 0;
  fragment_left_ = fragment_bytes;
  // An endless row of empty fragments must not pass for an endless record.
  record_size_ += std::max<size_t>(fragment_bytes, 1);
  last_fragment_ = (mark & kLastFragment) != 0;
  return Progress::kDone;
}

absl::Status RecordReader::CheckMark(uint32_t fragment_bytes) const {
  if (record_size_ + fragment_bytes <= limits_.record_bytes) return absl::OkStatus();
  std::string text =
      absl::StrCat("RPC: a record of ", record_size_ + fragment_bytes, " bytes, when none over ",
                   limits_.record_bytes, " was asked for");
  if (IsPrintable(mark_)) {
    absl::StrAppend(&text, "; the bytes are \"", absl::CHexEscape(xdr::TextOf(mark_)),
                    "\": this port does not speak ONC RPC");
  }
  return absl::DataLossError(text);
}

RecordReader::Progress RecordReader::TakeHead(size_t size) {
  assert(size <= head_.size());
  while (head_size_ < size) {
    const Progress progress = EnterFragment();
    if (progress != Progress::kDone) return progress;
    head_size_ += MoveStaged(head_.data() + head_size_, size - head_size_);
  }
  return Progress::kDone;
}

RecordReader::Progress RecordReader::TakeHeadToEnd() {
  const Progress progress = TakeHead(head_.size());
  return progress == Progress::kRecordEnded ? Progress::kDone : progress;
}

RecordReader::Progress RecordReader::TakePayload(std::span<std::byte> to) {
  if (payload_.data() != to.data()) payload_filled_ = 0;
  payload_ = to;
  while (payload_filled_ < payload_.size()) {
    const Progress progress = EnterFragment();
    if (progress != Progress::kDone) return progress;
    payload_filled_ +=
        MoveStaged(payload_.data() + payload_filled_, payload_.size() - payload_filled_);
  }
  return Progress::kDone;
}

void RecordReader::OnPayloadPassed(size_t size) {
  assert(size <= PayloadAhead() && staged_begin_ == staged_end_);
  payload_filled_ += size;
  fragment_left_ -= size;
  CheckInvariants();
}

RecordReader::Progress RecordReader::Skip() {
  payload_ = {};
  payload_filled_ = 0;
  for (;;) {
    const Progress progress = EnterFragment();
    if (progress == Progress::kRecordEnded) break;
    if (progress != Progress::kDone) return progress;
    MoveStaged(nullptr, fragment_left_);
  }
  BeginRecord();
  return Progress::kDone;
}

void RecordReader::CheckInvariants() const {
  assert(staged_begin_ <= staged_end_ && staged_end_ <= staging_.size());
  assert(payload_filled_ <= payload_.size());
  assert(head_size_ <= head_.size());
  assert(fragment_left_ <= record_size_ && record_size_ <= limits_.record_bytes + 1);
}

}  // namespace rpc
