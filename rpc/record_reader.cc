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

// Half of what is foreseen: the server works on the rest meanwhile, and on what is asked for
// when this has come.
size_t LikelySoon(const Staging::Layout& foreseen) {
  size_t bytes = 0;
  for (const std::span<std::byte> payload : foreseen.payloads.first(foreseen.payloads.size() / 2)) {
    bytes += foreseen.head_bytes + payload.size();
  }
  return bytes;
}

}  // namespace

RecordReader::RecordReader(const Limits& limits)
    : limits_(limits),
      receive_ahead_(limits.staging_bytes),
      staging_(limits.staging_bytes, limits.foreseen_bytes),
      head_(limits.head_bytes) {}

void RecordReader::set_receive_ahead(size_t bytes) {
  receive_ahead_ = std::clamp<size_t>(bytes, 4, staging_.own_bytes());
}

void RecordReader::Reset() {
  staging_.Clear();
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

bool RecordReader::EndsWithPayload() const {
  const size_t left = payload_.size() - payload_filled_;
  if (left != 0) return last_fragment_ && left == fragment_left_;
  return record_size_ == 0 && mark_size_ == 0;
}

ReceiveSpans RecordReader::GetReceiveSpans(const Staging::Layout& foreseen) {
  const bool foresees = staging_.CanOffer(foreseen) && EndsWithPayload();
  const auto staged = foresees ? staging_.Offer(foreseen) : staging_.Offer(receive_ahead_);
  const std::span<std::byte> left = payload_.subspan(payload_filled_);
  direct_bytes_ = std::min(left.size(), fragment_left_);
  ReceiveSpans spans = {left.first(direct_bytes_), staged.front(), staged.subspan(1)};
  offered_bytes_ = spans.size();
  spans.promised = std::clamp<size_t>(fragment_left_, 1, offered_bytes_);
  spans.expected = spans.promised;
  if (foresees) spans.expected += LikelySoon(foreseen);
  return spans;
}

void RecordReader::OnReceived(size_t size) {
  assert(size <= offered_bytes_);
  const size_t direct = std::min(size, direct_bytes_);
  payload_filled_ += direct;
  fragment_left_ -= direct;
  direct_bytes_ = 0;
  staging_.OnReceived(size - direct);
  CheckInvariants();
}

size_t RecordReader::MoveStaged(std::byte* to, size_t at_most) {
  const std::span<std::byte> staged = staging_.front();
  const size_t size = std::min({at_most, fragment_left_, staged.size()});
  const bool is_there = to == staged.data();
  if (to != nullptr && size != 0 && !is_there) std::memcpy(to, staged.data(), size);
  staging_.Use(size);
  fragment_left_ -= size;
  return size;
}

RecordReader::Progress RecordReader::EnterFragment() {
  while (fragment_left_ == 0) {
    if (last_fragment_) return Progress::kRecordEnded;
    const Progress progress = ReadMark();
    if (progress != Progress::kDone) return progress;
  }
  return staging_.empty() ? Progress::kNeedBytes : Progress::kDone;
}

RecordReader::Progress RecordReader::ReadMark() {
  if (!status_.ok()) return Progress::kFailed;
  while (mark_size_ < mark_.size()) {
    if (staging_.empty()) return Progress::kNeedBytes;
    mark_[mark_size_++] = staging_.front().front();
    staging_.Use(1);
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
    std::byte* const at = payload_.data() + payload_filled_;
    if (staging_.front().data() != at) staging_.LeaveForeign();
    payload_filled_ += MoveStaged(at, payload_.size() - payload_filled_);
  }
  return Progress::kDone;
}

void RecordReader::OnPayloadPassed(size_t size) {
  assert(size <= PayloadAhead() && staging_.empty());
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
  staging_.OnRecordEnd();
  BeginRecord();
  return Progress::kDone;
}

void RecordReader::CheckInvariants() const {
  assert(payload_filled_ <= payload_.size());
  assert(head_size_ <= head_.size());
  assert(fragment_left_ <= record_size_ && record_size_ <= limits_.record_bytes + 1);
}

}  // namespace rpc
