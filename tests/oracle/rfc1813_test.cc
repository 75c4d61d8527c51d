// Every NFS and MOUNT message of client/protocol/, held to what rpcgen and libtirpc make
// of RFC 1813.
#include <cstdint>

#include "gtest/gtest.h"
#include "tests/oracle/judge.h"
#include "tests/oracle/random_value.h"
#include "tests/oracle/rfc1813_judges.h"

namespace oracle {

// The arms of the results' unions: success often enough, and some errors.
template <>
inline constexpr std::array<uint32_t, 4> kNumbersOf<nfs3::Status>{0, 0, 2, 70};
template <>
inline constexpr std::array<uint32_t, 3> kNumbersOf<mount3::Status>{0, 0, 13};

namespace {

template <typename T>
void AgreeOnRandomValues(const Judge<T>& judge, int values = 400) {
  for (int seed = 0; seed < values; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomCoder random(static_cast<uint64_t>(seed));
    ExpectAgreement(random.Get<T>(), judge);
    if (testing::Test::HasFailure()) return;
  }
}

template <typename T>
void AgreeOnCuts(const Judge<T>& judge) {
  for (uint64_t seed = 0; seed < 3; ++seed) {
    RandomCoder random(seed);
    ExpectAgreementOnCuts(random.Get<T>(), judge);
  }
}

TEST(Getattr, IsWhatLibtirpcMakesOfIt) {
  AgreeOnRandomValues(kGetattr3Args);
  AgreeOnRandomValues(kGetattr3Res);
  AgreeOnCuts(kGetattr3Args);
  AgreeOnCuts(kGetattr3Res);
}

TEST(Lookup, IsWhatLibtirpcMakesOfIt) {
  AgreeOnRandomValues(kLookup3Args);
  AgreeOnRandomValues(kLookup3Res);
  AgreeOnCuts(kLookup3Res);
}

TEST(Access, IsWhatLibtirpcMakesOfIt) {
  AgreeOnRandomValues(kAccess3Args);
  AgreeOnRandomValues(kAccess3Res);
  AgreeOnCuts(kAccess3Res);
}

TEST(Readlink, IsWhatLibtirpcMakesOfIt) {
  AgreeOnRandomValues(kReadlink3Args);
  AgreeOnRandomValues(kReadlink3Res);
  AgreeOnCuts(kReadlink3Args);
}

TEST(Read, IsWhatLibtirpcMakesOfIt) {
  AgreeOnRandomValues(kRead3Args);
  AgreeOnRandomValues(kRead3Res);
  AgreeOnCuts(kRead3Args);
}

// Read3Head describes the same message a second time, up to its data.
TEST(Read, HeadAndWholeAreOneMessage) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomCoder random(seed);
    const auto whole = random.Get<nfs3::Read3Res>();
    nfs3::Read3Head head = {.status = whole.status, .file_attributes = whole.file_attributes};
    head.count = whole.count;
    head.eof = whole.eof;
    head.data = static_cast<uint32_t>(whole.data.size());
    const Bytes bytes = Encoded(whole);
    const Bytes first = Encoded(head);
    ASSERT_LE(first.size(), bytes.size());
    EXPECT_EQ(Hex(first), Hex(xdr::ByteView(bytes).first(first.size())));
  }
}

TEST(Fsinfo, IsWhatLibtirpcMakesOfIt) {
  AgreeOnRandomValues(kFsinfo3Args);
  AgreeOnRandomValues(kFsinfo3Res);
  AgreeOnCuts(kFsinfo3Res);
}

TEST(Mount, IsWhatLibtirpcMakesOfIt) {
  AgreeOnRandomValues(kDirPath);
  AgreeOnRandomValues(kMountres3);
  AgreeOnCuts(kMountres3);
}

TEST(Export, IsWhatLibtirpcMakesOfIt) {
  mount3::Exports exports;
  for (int count : {0, 1, 2, 5}) {
    exports.exports.elements.clear();
    for (int i = 0; i < count; ++i) {
      mount3::ExportNode& node = exports.exports.elements.emplace_back();
      node.dir = decltype(node.dir)("/export" + std::string(static_cast<size_t>(i), 'x'));
      for (int group = 0; group < i; ++group) {
        node.groups.elements.push_back({decltype(mount3::GroupNode::name)("10.0.0.0/8")});
      }
    }
    ExpectAgreement(exports, kExports);
    ExpectAgreementOnCuts(exports, kExports);
  }
}

}  // namespace
}  // namespace oracle
