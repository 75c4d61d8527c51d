#include "client/tools/json_text.h"

#include "gtest/gtest.h"

namespace nfs {
namespace {

TEST(JsonText, LeavesTextAsItIs) {
  EXPECT_EQ(JsonText(""), "\"\"");
  EXPECT_EQ(JsonText("nfs://host/a b"), "\"nfs://host/a b\"");
  EXPECT_EQ(JsonText("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x99\x82"),
            "\"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x99\x82\"");
}

TEST(JsonText, EscapesWhatWouldEndIt) {
  EXPECT_EQ(JsonText("a\"b\\c\nd\x01"), R"("a\"b\\c\u000ad\u0001")");
}

TEST(JsonText, KeepsBytesThatAreNoText) {
  EXPECT_EQ(JsonText("\xff"), R"("\udcff")");
  EXPECT_EQ(JsonText("a\xc3"), R"("a\udcc3")") << "cut off";
  EXPECT_EQ(JsonText("\xc0\xaf"), R"("\udcc0\udcaf")") << "longer than it need be";
  EXPECT_EQ(JsonText("\xed\xa0\x80"), R"("\udced\udca0\udc80")") << "half of a pair";
  EXPECT_EQ(JsonText("\xf4\x90\x80\x80"), R"("\udcf4\udc90\udc80\udc80")") << "beyond the last";
}

}  // namespace
}  // namespace nfs
