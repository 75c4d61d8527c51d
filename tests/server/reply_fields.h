// Coders (xdr/describe.h) that get at the fields of a reply by their names, so that a
// script can leave them out or overwrite them.
#ifndef TESTS_SERVER_REPLY_FIELDS_H_
#define TESTS_SERVER_REPLY_FIELDS_H_

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "client/protocol/nfs3.h"
#include "xdr/describe.h"
#include "xdr/wire.h"

namespace server {

// Makes the post_op_attr `name` of a value absent, or every one when `name` is empty.
class AttributeStripper {
 public:
  explicit AttributeStripper(absl::string_view name) : name_(name) {}

  template <typename T>
  void Field(const char* name, T& value) {
    is_meant_ = name_.empty() || name_ == name;
    xdr::Visit(*this, value);
  }
  template <typename T>
  void Optional(std::optional<T>& value) {
    if (std::is_same_v<T, nfs3::Fattr3> && is_meant_) value.reset();
  }
  void Bool(bool&) {}
  void Enum(auto&) {}
  void Integer(auto&) {}
  void Fixed(auto&) {}
  void Opaque(auto&) {}
  void Text(auto&) {}
  void Counted(auto&) {}
  void Linked(auto&) {}

 private:
  const absl::string_view name_;
  bool is_meant_ = false;  // the field at hand
};

// Finds out where the fields of a value lie once it is encoded, and how long it is.
class FieldLocator {
 public:
  struct Place {
    size_t offset = 0;
    size_t bytes = 0;  // 4 or 8; of something with a length or a flag, that word
  };

  // All fields whose path is `wanted` or ends with "." and `wanted`. A path is the
  // names down to the field, with dots between; "[]" stands for the elements of lists.
  explicit FieldLocator(absl::string_view wanted) : wanted_(absl::StrCat(".", wanted)) {}

  const std::vector<Place>& places() const { return places_; }
  size_t encoded_size() const { return offset_; }

  template <typename T>
  void Field(const char* name, const T& value) {
    const size_t outer = path_.size();
    absl::StrAppend(&path_, ".", name);
    xdr::Visit(*this, value);
    path_.resize(outer);
  }
  void Bool(bool) { Number(4); }
  template <typename E>
  void Enum(E) {
    Number(4);
  }
  template <typename I>
  void Integer(I) {
    Number(sizeof(I));
  }
  template <typename O>
  void Optional(const O& value) {
    Number(4);
    if (value.has_value()) xdr::Visit(*this, *value);
  }
  template <size_t kSize>
  void Fixed(const std::array<std::byte, kSize>&) {
    offset_ += xdr::PaddedSize(kSize);
  }
  template <typename O>
  void Opaque(const O& opaque) {
    Number(4);
    offset_ += xdr::PaddedSize(opaque.view().size());
  }
  template <typename S>
  void Text(const S& text) {
    Opaque(text);
  }
  template <typename A>
  void Counted(const A& array) {
    Number(4);
    for (const auto& element : array.elements) Field("[]", element);
  }
  template <typename L>
  void Linked(const L& list) {
    for (const auto& element : list.elements) {
      Number(4);
      Field("[]", element);
    }
    Number(4);
  }

 private:
  void Number(size_t bytes) {
    if (absl::EndsWith(path_, wanted_)) places_.push_back({offset_, bytes});
    offset_ += bytes;
  }

  const std::string wanted_;
  std::string path_;
  size_t offset_ = 0;
  std::vector<Place> places_;
};

// How many bytes `value` takes when it is encoded.
template <typename T>
size_t EncodedSize(const T& value) {
  FieldLocator locator("");
  xdr::Visit(locator, value);
  return locator.encoded_size();
}

}  // namespace server

#endif  // TESTS_SERVER_REPLY_FIELDS_H_
