// One description of a type serves encoding, decoding and printing.
//
// A type that travels says once, in wire order, what it is made of:
//
//   struct Diropargs3 {                       // RFC 1813, 2.6
//     FileHandle3 dir;
//     FileName3 name;
//     static void Describe(auto& coder, auto& self) {
//       coder.Field("dir", self.dir);
//       coder.Field("name", self.name);
//     }
//   };
//
// and `Encoder`, `Decoder` and `Printer` (the coders) each walk it their own
// way; `self` is const for the first and the last. A discriminated union is an
// `if` on a field that has been described already.
//
// What a field may be: bool, (u)int32_t, (u)int64_t, an enum with a 32-bit
// underlying type, std::optional (RFC 4506, 4.19), the types of xdr/types.h,
// and any other type with a `Describe`.
#ifndef XDR_DESCRIBE_H_
#define XDR_DESCRIBE_H_

#include <cstdint>
#include <optional>
#include <type_traits>

namespace xdr {

template <typename T>
inline constexpr bool kIsOptional = false;
template <typename T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

// Hands `value` to the primitive of `coder` that fits its type.
template <typename Coder, typename T>
void Visit(Coder& coder, T& value) {
  using Type = std::remove_const_t<T>;
  if constexpr (std::is_same_v<Type, bool>) {
    coder.Bool(value);
  } else if constexpr (std::is_enum_v<Type>) {
    static_assert(sizeof(Type) == 4, "RFC 4506 enums have 32 bits");
    coder.Enum(value);
  } else if constexpr (std::is_integral_v<Type>) {
    static_assert(sizeof(Type) == 4 || sizeof(Type) == 8);
    coder.Integer(value);
  } else if constexpr (kIsOptional<Type>) {
    coder.Optional(value);
  } else {
    Type::Describe(coder, value);
  }
}

}  // namespace xdr

#endif  // XDR_DESCRIBE_H_
