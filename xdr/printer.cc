// Tested by tests/xdr/coders_test.cc.
#include "xdr/printer.h"

#include <algorithm>

#include "absl/strings/escaping.h"

namespace xdr {

void Printer::ShowHex(ByteView bytes) {
  constexpr size_t kShown = 32;
  const ByteView shown = bytes.first(std::min(bytes.size(), kShown));
  absl::StrAppend(&text_, "0x", absl::BytesToHexString(TextOf(shown)));
  if (shown.size() < bytes.size()) absl::StrAppend(&text_, "..(", bytes.size(), " bytes)");
}

void Printer::ShowQuoted(absl::string_view text) {
  absl::StrAppend(&text_, "\"", absl::CHexEscape(text), "\"");
}

}  // namespace xdr
