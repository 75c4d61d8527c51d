// Compares a type of ours with an outside implementation of the same type: a misreading of
// an RFC that encoder and decoder share cannot hide from it.
//
// To add a type: give it a Judge (for libtirpc's types in tirpc_judges.cc), and call
// ExpectAgreement with values of it, made up or random (random_value.h).
#ifndef TESTS_ORACLE_JUDGE_H_
#define TESTS_ORACLE_JUDGE_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "gtest/gtest.h"
#include "xdr/decoder.h"
#include "xdr/encoder.h"
#include "xdr/printer.h"
#include "xdr/types.h"

namespace oracle {

using Bytes = std::vector<std::byte>;

// How an outside implementation sees our T.
template <typename T>
struct Judge {
  // `value` as they encode it; nothing when they refuse to.
  std::optional<Bytes> (*encode)(const T& value);
  // What they decode from `bytes`, shown to `seen` while it exists; false when they cannot
  // decode it, or do not use all of `bytes`.
  bool (*decode)(xdr::ByteView bytes, const std::function<void(const T& value)>& seen);
};

inline std::string Hex(xdr::ByteView bytes) { return absl::BytesToHexString(xdr::TextOf(bytes)); }

// `value` as we encode it.
template <typename T>
Bytes Encoded(const T& value) {
  Bytes space(16 * 1024);
  xdr::Encoder encoder(space);
  encoder.Put(value);
  EXPECT_TRUE(encoder.ok());
  space.resize(encoder.size());
  return space;
}

// Both encode `value` to the same bytes, and each decodes from the bytes of the other what
// encodes to them again.
template <typename T>
void ExpectAgreement(const T& value, const Judge<T>& judge) {
  SCOPED_TRACE(xdr::Print(value));
  const Bytes ours = Encoded(value);
  const std::optional<Bytes> theirs = judge.encode(value);
  ASSERT_TRUE(theirs.has_value()) << "they refuse to encode it";
  ASSERT_EQ(Hex(ours), Hex(*theirs));

  xdr::Decoder decoder(*theirs);
  const T decoded = decoder.Get<T>();
  EXPECT_TRUE(decoder.Finish().ok()) << decoder.Finish();
  EXPECT_EQ(Hex(Encoded(decoded)), Hex(ours)) << "we decoded " << xdr::Print(decoded);

  const bool decoded_by_them = judge.decode(ours, [&](const T& seen) {
    EXPECT_EQ(Hex(Encoded(seen)), Hex(ours)) << "they decoded " << xdr::Print(seen);
  });
  EXPECT_TRUE(decoded_by_them) << "they refuse to decode it";
}

// Neither decodes `value` when its bytes end anywhere before they should.
template <typename T>
void ExpectAgreementOnCuts(const T& value, const Judge<T>& judge) {
  const Bytes whole = Encoded(value);
  for (size_t size = 0; size < whole.size(); ++size) {
    SCOPED_TRACE(testing::Message() << xdr::Print(value) << " cut after " << size);
    const xdr::ByteView cut = xdr::ByteView(whole).first(size);
    xdr::Decoder decoder(cut);
    decoder.Get<T>();
    EXPECT_FALSE(decoder.ok());
    EXPECT_FALSE(judge.decode(cut, [](const T&) {}));
  }
}

}  // namespace oracle

#endif  // TESTS_ORACLE_JUDGE_H_
