// Tested by tests/client/json_text_test.cc.
#include "client/tools/json_text.h"

#include <cstddef>
#include <cstdint>

#include "absl/strings/str_format.h"

namespace nfs {

namespace {

uint8_t At(absl::string_view bytes, size_t index) {
  return index < bytes.size() ? static_cast<uint8_t>(bytes[index]) : 0;
}

// How many bytes the character has that `bytes` begin with; 0: it is none. RFC 3629 section 4.
size_t Utf8Length(absl::string_view bytes) {
  const uint8_t lead = At(bytes, 0), next = At(bytes, 1);
  if (lead < 0x80) return 1;
  const size_t length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  // Longer than it need be, half of a pair, or beyond the last character.
  if (lead == 0xe0 && next < 0xa0) return 0;
  if (lead == 0xed && next > 0x9f) return 0;
  if (lead == 0xf0 && next < 0x90) return 0;
  if (lead == 0xf4 && next > 0x8f) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((At(bytes, i) & 0xc0) != 0x80) return 0;
  }
  return length;
}

std::string Escaped(uint8_t byte) {
  if (byte == '"' || byte == '\\') return {'\\', static_cast<char>(byte)};
  if (byte < 0x20) return absl::StrFormat("\\u%04x", byte);
  return std::string(1, static_cast<char>(byte));
}

}  // namespace

std::string JsonText(absl::string_view bytes) {
  std::string text = "\"";
  while (!bytes.empty()) {
    const size_t length = Utf8Length(bytes);
    if (length == 0) {
      text += absl::StrFormat("\\udc%02x", At(bytes, 0));
    } else if (length == 1) {
      text += Escaped(At(bytes, 0));
    } else {
      text += std::string(bytes.substr(0, length));
    }
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return text + "\"";
}

}  // namespace nfs
