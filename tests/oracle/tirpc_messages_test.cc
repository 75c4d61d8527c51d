// The messages of rpc/ against libtirpc: the same bytes from both, and each understands
// the other.
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "rpc/auth.h"
#include "rpc/message.h"
#include "rpc/rpcbind.h"
#include "tests/oracle/judge.h"
#include "tests/oracle/random_value.h"
#include "tests/oracle/tirpc_judges.h"
#include "xdr/decoder.h"
#include "xdr/types.h"

namespace oracle {

// libtirpc decodes no other arms of its unions.
template <>
inline constexpr std::array<uint32_t, 2> kNumbersOf<rpc::ReplyState> = {0, 1};
template <>
inline constexpr std::array<uint32_t, 6> kNumbersOf<rpc::AcceptState> = {0, 1, 2, 3, 4, 5};
template <>
inline constexpr std::array<uint32_t, 2> kNumbersOf<rpc::RejectState> = {0, 1};

namespace {

// Compares 2,000 random values, each made legal by `adjust`.
template <typename T, typename Adjust>
void ExpectAgreementOnRandomValues(const Judge<T>& judge, Adjust adjust) {
  for (uint64_t seed = 1; seed <= 2000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomCoder random(seed);
    T value = random.Get<T>();
    adjust(value);
    ExpectAgreement(value, judge);
    if (seed <= 20) ExpectAgreementOnCuts(value, judge);
  }
}

template <typename T>
void ExpectAgreementOnRandomValues(const Judge<T>& judge) {
  ExpectAgreementOnRandomValues(judge, [](T&) {});
}

TEST(CallHeaders, AreThoseOfTirpc) {
  ExpectAgreementOnRandomValues(kTirpcCallHeader, [](rpc::CallHeader& header) {
    header.type = rpc::MessageType::kCall;
    header.rpc_version = rpc::kRpcVersion;
  });
}

TEST(ReplyHeaders, AcceptedAndDeniedAreThoseOfTirpc) {
  ExpectAgreementOnRandomValues(
      kTirpcReplyHeader, [](rpc::ReplyHeader& header) { header.type = rpc::MessageType::kReply; });
}

TEST(AuthSysParms, AreThoseOfTirpc) { ExpectAgreementOnRandomValues(kTirpcAuthSysParms); }

TEST(Mappings, AreThoseOfTirpc) {
  ExpectAgreementOnRandomValues(kTirpcMapping);
  ExpectAgreementOnRandomValues(kTirpcGetportResult);
}

TEST(Rpcbs, AreThoseOfTirpc) {
  ExpectAgreementOnRandomValues(kTirpcRpcb);
  ExpectAgreementOnRandomValues(kTirpcGetaddrResult);
}

// What AuthSys makes of an identity is what authunix_create makes of it.
TEST(AuthSys, MakesTheCredentialsThatTirpcMakes) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const auto parms = RandomCoder(seed).Get<rpc::AuthSysParms>();
    rpc::Identity identity{parms.uid, parms.gid, {}};
    for (uint32_t gid : parms.gids.elements) {
      if (gid != UINT32_MAX) identity.groups.push_back(gid);
    }
    const std::string name = parms.machine_name.text();
    const Bytes theirs = TirpcAuthSysBody(identity, name.c_str());
    xdr::Decoder decoder(theirs);
    const auto stamp = decoder.Get<uint32_t>();
    const rpc::OpaqueAuth ours = rpc::AuthSys(identity, name, stamp);
    EXPECT_EQ(Hex(ours.body.view()), Hex(theirs));
  }
}

// What AuthSys cuts is decoded by a server that allows no more.
TEST(AuthSys, MakesCredentialsOfAnyIdentityThatTirpcDecodes) {
  for (size_t groups : {0, 16, 17, 500}) {
    for (size_t name : {0, 255, 256, 2000}) {
      const rpc::Identity identity{UINT32_MAX, 0, std::vector<uint32_t>(groups, 7)};
      const rpc::OpaqueAuth auth = rpc::AuthSys(identity, std::string(name, 'x'), 1);
      EXPECT_TRUE(kTirpcAuthSysParms.decode(auth.body.view(), [&](const auto& seen) {
        EXPECT_EQ(seen.uid, UINT32_MAX);
        EXPECT_EQ(seen.gids.elements.size(), std::min<size_t>(groups, 16));
        EXPECT_EQ(seen.machine_name.text().size(), std::min<size_t>(name, 255));
      }));
    }
  }
}

}  // namespace
}  // namespace oracle
