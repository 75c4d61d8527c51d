// Tested by tests/xdr/coders_test.cc.
#include "xdr/decoder.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "xdr/wire.h"

namespace xdr {

void Decoder::Fail(Error error) {
  if (ok()) error_ = error;
}

const char* Decoder::Describe(Error error) {
  switch (error) {
    case Error::kNone: return "no error";
    case Error::kTruncated: return "the message ends before it";
    case Error::kTooLong: return "longer than its type allows";
    case Error::kBadBool: return "a boolean that is neither 0 nor 1";
  }
  return "unknown error";
}

absl::Status Decoder::status() const {
  if (ok()) return absl::OkStatus();
  const char* field = failed_field_ == nullptr ? "value" : failed_field_;
  return absl::DataLossError(
      absl::StrCat("XDR: ", field, " at byte ", position_, ": ", Describe(error_)));
}

absl::Status Decoder::Finish() const {
  if (!ok() || rest().empty()) return status();
  return absl::DataLossError(
      absl::StrCat("XDR: ", rest().size(), " bytes after the end of the message"));
}

ByteView Decoder::TakePadded(size_t size) {
  const size_t left = bytes_.size() - position_;
  if (!ok() || size > left || PaddedSize(size) > left) {
    Fail(Error::kTruncated);
    return {};
  }
  const ByteView taken = bytes_.subspan(position_, size);
  position_ += PaddedSize(size);
  return taken;
}

uint32_t Decoder::TakeUint32() {
  const ByteView bytes = TakePadded(4);
  return bytes.empty() ? 0 : LoadUint32(bytes.data());
}

uint64_t Decoder::TakeUint64() {
  const ByteView bytes = TakePadded(8);
  if (bytes.empty()) return 0;
  return uint64_t{LoadUint32(bytes.data())} << 32 | LoadUint32(bytes.data() + 4);
}

ByteView Decoder::TakeOpaque(size_t max) {
  const uint32_t size = TakeUint32();
  if (size > max) {
    Fail(Error::kTooLong);
    return {};
  }
  return TakePadded(size);
}

void Decoder::CopyPadded(std::span<std::byte> to) {
  const ByteView from = TakePadded(to.size());
  if (!from.empty()) std::memcpy(to.data(), from.data(), from.size());
}

void Decoder::Bool(bool& value) {
  const uint32_t number = TakeUint32();
  if (number > 1) Fail(Error::kBadBool);
  value = number == 1;
}

bool Decoder::NextFollows() {
  bool follows = false;
  if (ok()) Bool(follows);
  return follows && ok();
}

}  // namespace xdr
