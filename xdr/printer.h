// Shows a described value to a person, on one line.
#ifndef XDR_PRINTER_H_
#define XDR_PRINTER_H_

#include <array>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "xdr/describe.h"
#include "xdr/types.h"

namespace xdr {

// Writes `{dir=0x01ab name="etc" size=512}`. An enum that has a function
// `Name(E)` beside it is shown as `NFS3ERR_STALE(70)`, others as their number;
// opaque bytes in hexadecimal, cut after 32; text with its control bytes escaped.
class Printer {
 public:
  const std::string& text() const { return text_; }

  template <typename T>
  void Field(const char* name, const T& value) {
    if (text_.back() != '{') text_ += ' ';
    absl::StrAppend(&text_, name, "=");
    Show(value);
  }
  template <typename T>
  void Show(const T& value) {
    constexpr bool kDescribed = requires(Printer& p) { T::Describe(p, value); };
    if constexpr (kDescribed && !requires { typename T::HasNoFields; }) {
      text_ += '{';
      Visit(*this, value);
      text_ += '}';
    } else {
      Visit(*this, value);
    }
  }
  void Bool(bool value) { text_ += value ? "true" : "false"; }
  template <typename E>
  void Enum(E value) {
    const auto number = static_cast<uint32_t>(value);
    if constexpr (requires { Name(value); }) {
      absl::StrAppend(&text_, Name(value), "(", number, ")");
    } else {
      absl::StrAppend(&text_, number);
    }
  }
  template <typename I>
  void Integer(I value) {
    absl::StrAppend(&text_, value);
  }
  template <typename O>
  void Optional(const O& value) {
    if (value.has_value()) {
      Show(*value);
    } else {
      text_ += "none";
    }
  }
  template <size_t kSize>
  void Fixed(const std::array<std::byte, kSize>& bytes) {
    ShowHex(bytes);
  }
  template <typename O>
  void Opaque(const O& opaque) {
    ShowHex(opaque.view());
  }
  template <typename S>
  void Text(const S& text) {
    ShowQuoted(text.text());
  }
  template <typename A>
  void Counted(const A& array) {
    ShowElements(array.elements);
  }
  template <typename L>
  void Linked(const L& list) {
    ShowElements(list.elements);
  }

 private:
  template <typename Elements>
  void ShowElements(const Elements& elements) {
    text_ += '[';
    for (const auto& element : elements) {
      if (text_.back() != '[') text_ += ' ';
      Show(element);
    }
    text_ += ']';
  }
  void ShowHex(ByteView bytes);
  void ShowQuoted(absl::string_view text);

  std::string text_;
};

// `value` as one line of text.
template <typename T>
std::string Print(const T& value) {
  Printer printer;
  printer.Show(value);
  return printer.text();
}

}  // namespace xdr

#endif  // XDR_PRINTER_H_
