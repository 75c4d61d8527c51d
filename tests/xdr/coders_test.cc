// The three coders of xdr/ over one description: what RFC 4506 says, byte by byte.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xdr/decoder.h"
#include "xdr/encoder.h"
#include "xdr/printer.h"
#include "xdr/types.h"

namespace xdr {
namespace {

enum class Color : uint32_t { kRed = 2, kBlue = 5 };
const char* Name(Color color) { return color == Color::kRed ? "RED" : "BLUE"; }

struct Point {
  int32_t x = 0;
  uint64_t y = 0;
  bool operator==(const Point&) const = default;
  static void Describe(auto& coder, auto& self) {
    coder.Field("x", self.x);
    coder.Field("y", self.y);
  }
};

// One field of every kind.
struct Everything {
  bool flag = false;
  Color color = Color::kRed;
  int64_t wide = 0;
  std::optional<Point> maybe;
  FixedOpaque<6> fixed;
  InlineOpaque<8> opaque;
  String<10> name;
  Array<uint32_t, 4> array;
  List<Point, 3> list;
  bool operator==(const Everything&) const = default;
  static void Describe(auto& coder, auto& self) {
    coder.Field("flag", self.flag);
    coder.Field("color", self.color);
    coder.Field("wide", self.wide);
    coder.Field("maybe", self.maybe);
    coder.Field("fixed", self.fixed);
    coder.Field("opaque", self.opaque);
    coder.Field("name", self.name);
    coder.Field("array", self.array);
    coder.Field("list", self.list);
  }
};

Everything Sample() {
  Everything sample;
  sample.flag = true;
  sample.color = Color::kBlue;
  sample.wide = -2;
  sample.maybe = Point{-1, 0x0102030405060708};
  sample.fixed.bytes.fill(std::byte{0xab});
  sample.opaque.Assign(BytesOf("hello"));
  sample.name = String<10>("a\"b\n");
  sample.array.elements = {7, 8};
  sample.list.elements = {{1, 2}, {3, 4}};
  return sample;
}

std::vector<std::byte> Encoded(const auto& value) {
  std::vector<std::byte> space(4096);
  Encoder encoder(space);
  encoder.Put(value);
  EXPECT_TRUE(encoder.ok());
  space.resize(encoder.size());
  return space;
}

std::vector<std::byte> Bytes(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

TEST(Encoding, IsWhatTheRfcSays) {
  EXPECT_EQ(Encoded(uint32_t{0x01020304}), Bytes({1, 2, 3, 4}));
  EXPECT_EQ(Encoded(int32_t{-2}), Bytes({255, 255, 255, 254}));
  EXPECT_EQ(Encoded(uint64_t{0x0102030405060708}), Bytes({1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(Encoded(true), Bytes({0, 0, 0, 1}));
  EXPECT_EQ(Encoded(Color::kBlue), Bytes({0, 0, 0, 5}));
  EXPECT_EQ(Encoded(String<8>("sillyprg")),
            Bytes({0, 0, 0, 8, 's', 'i', 'l', 'l', 'y', 'p', 'r', 'g'}));
  EXPECT_EQ(Encoded(InlineOpaque<5>(BytesOf("abcde"))),
            Bytes({0, 0, 0, 5, 'a', 'b', 'c', 'd', 'e', 0, 0, 0}));
  EXPECT_EQ(Encoded(std::optional<uint32_t>()), Bytes({0, 0, 0, 0}));
  EXPECT_EQ(Encoded(std::optional<uint32_t>(9)), Bytes({0, 0, 0, 1, 0, 0, 0, 9}));
}

TEST(Encoding, StopsAtTheEndOfItsSpaceWhereverThatIs) {
  const std::vector<std::byte> whole = Encoded(Sample());
  for (size_t size = 0; size < whole.size(); ++size) {
    std::vector<std::byte> space(whole.size(), std::byte{0xee});
    Encoder encoder{std::span(space).first(size)};
    encoder.Put(Sample());
    EXPECT_FALSE(encoder.ok()) << size;
    for (size_t i = size; i < space.size(); ++i) EXPECT_EQ(space[i], std::byte{0xee}) << size;
  }
}

TEST(RoundTrip, GivesTheSameValueAndUsesEveryByte) {
  const std::vector<std::byte> bytes = Encoded(Sample());
  Decoder decoder(bytes);
  EXPECT_EQ(decoder.Get<Everything>(), Sample());
  EXPECT_TRUE(decoder.Finish().ok()) << decoder.Finish();
}

TEST(Decoding, FailsAtEveryCutAndNamesTheField) {
  const std::vector<std::byte> bytes = Encoded(Sample());
  for (size_t size = 0; size < bytes.size(); ++size) {
    Decoder decoder{std::span(bytes).first(size)};
    decoder.Get<Everything>();
    EXPECT_FALSE(decoder.ok()) << size;
    EXPECT_EQ(decoder.status().code(), absl::StatusCode::kDataLoss);
  }
  Decoder decoder{std::span(bytes).first(2)};
  decoder.Get<Everything>();
  EXPECT_THAT(std::string(decoder.status().message()), testing::HasSubstr("flag at byte 0"));
}

TEST(Decoding, LeftOverBytesAreAnErrorOnlyForFinish) {
  const std::vector<std::byte> bytes = Bytes({0, 0, 0, 1, 9});
  Decoder decoder(bytes);
  EXPECT_EQ(decoder.Get<uint32_t>(), 1u);
  EXPECT_TRUE(decoder.status().ok());
  EXPECT_FALSE(decoder.Finish().ok());
  EXPECT_EQ(decoder.rest().size(), 1u);
}

TEST(Decoding, RefusesALengthAboveTheBoundBeforeItLooksAtTheBytes) {
  const auto nine = Bytes({0, 0, 0, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0});
  Decoder decoder(nine);
  EXPECT_EQ(decoder.Get<InlineOpaque<8>>().size(), 0u);
  EXPECT_THAT(std::string(decoder.status().message()), testing::HasSubstr("longer than"));
}

// C07: lengths near 2^31 and 2^32, and a count of 250 million in eight bytes.
TEST(Decoding, RefusesHostileLengthsWithoutAllocating) {
  for (auto bytes : {Bytes({255, 255, 255, 252, 0, 0, 0, 0}), Bytes({128, 0, 0, 1, 0, 0, 0, 0}),
                     Bytes({127, 255, 255, 255, 0, 0, 0, 0}), Bytes({255, 255, 255, 255})}) {
    Decoder opaque(bytes);
    EXPECT_EQ(opaque.Get<OpaqueView<0xffffffff>>().size(), 0u);
    EXPECT_FALSE(opaque.ok());
    Decoder text(bytes);
    text.Get<String<255>>();
    EXPECT_FALSE(text.ok());
  }
  const auto count = Bytes({0x0e, 0xe6, 0xb2, 0x80, 0, 0, 0, 1});
  Decoder array(count);
  EXPECT_TRUE((array.Get<Array<uint32_t, 0xffffffff>>().elements.empty()));
  EXPECT_FALSE(array.ok());
}

TEST(Decoding, AListLongerThanItsBoundIsRefused) {
  std::vector<std::byte> bytes;
  for (int i = 0; i < 5; ++i) {
    for (auto byte : Bytes({0, 0, 0, 1, 0, 0, 0, i})) bytes.push_back(byte);
  }
  Decoder decoder(bytes);
  EXPECT_LE((decoder.Get<List<uint32_t, 4>>().elements.size()), 4u);
  EXPECT_FALSE(decoder.ok());
}

TEST(Decoding, ABooleanIsZeroOrOne) {
  const auto two = Bytes({0, 0, 0, 2});
  Decoder decoder(two);
  EXPECT_FALSE(decoder.Get<bool>());
  EXPECT_THAT(std::string(decoder.status().message()), testing::HasSubstr("boolean"));
}

TEST(Decoding, PaddingIsSkippedWhateverIsInIt) {
  const auto bytes = Bytes({0, 0, 0, 1, 'x', 9, 9, 9});
  Decoder decoder(bytes);
  EXPECT_EQ(decoder.Get<String<4>>().text(), "x");
  EXPECT_TRUE(decoder.Finish().ok());
}

TEST(Decoding, TheFirstErrorSticksAndLaterFieldsAreZero) {
  const auto bytes = Bytes({0, 0, 0, 7, 0, 0, 0, 1});
  Decoder decoder(bytes);
  decoder.Get<bool>();
  EXPECT_EQ(decoder.Get<uint32_t>(), 0u);
  EXPECT_THAT(std::string(decoder.status().message()), testing::HasSubstr("boolean"));
}

TEST(Printing, ShowsEveryKindOfFieldOnOneLine) {
  EXPECT_EQ(Print(Sample()),
            "{flag=true color=BLUE(5) wide=-2 maybe={x=-1 y=72623859790382856} "
            "fixed=0xabababababab opaque=0x68656c6c6f name=\"a\\\"b\\n\" array=[7 8] "
            "list=[{x=1 y=2} {x=3 y=4}]}");
  EXPECT_EQ(Print(std::optional<uint32_t>()), "none");
}

TEST(Printing, CutsLongOpaqueBytes) {
  const std::vector<std::byte> bytes(100, std::byte{1});
  EXPECT_THAT(Print(OpaqueView<100>(bytes)), testing::EndsWith("..(100 bytes)"));
}

}  // namespace
}  // namespace xdr
