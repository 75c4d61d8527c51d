// Headers of calls and replies, what a refusal is called, and credentials.
#include "rpc/message.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rpc/auth.h"
#include "tests/rpc/segmented_feed.h"
#include "tests/rpc/server_bytes.h"
#include "xdr/decoder.h"
#include "xdr/encoder.h"
#include "xdr/printer.h"

namespace rpc {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Ne;
using testing::SizeIs;

Bytes Encoded(const auto& value) {
  Bytes space(4096);
  xdr::Encoder encoder(space);
  encoder.Put(value);
  EXPECT_TRUE(encoder.ok());
  space.resize(encoder.size());
  return space;
}

absl::Status StatusOf(const Bytes& reply) {
  xdr::Decoder decoder(reply);
  const auto header = decoder.Get<ReplyHeader>();
  EXPECT_TRUE(decoder.Finish().ok()) << decoder.Finish();
  return ToStatus(header);
}

// --- Headers ---------------------------------------------------------------------

TEST(ACallHeader, IsWhatTheRfcSays) {
  CallHeader header;
  header.xid = 0x11223344;
  header.program = 100003;
  header.version = 3;
  header.procedure = 6;
  header.credentials.flavor = AuthFlavor::kSys;
  header.credentials.body.Assign(xdr::BytesOf("abcdef"));
  Bytes expected = Words({0x11223344, 0, 2, 100003, 3, 6, 1});
  AppendOpaque(expected, xdr::BytesOf("abcdef"));
  Append(expected, Words({0, 0}));
  EXPECT_EQ(Encoded(header), expected);
}

TEST(AReplyHeader, EndsWhereTheResultsBegin) {
  const Bytes bytes = SuccessReply(7, Words({1, 2}), {2, Pattern(5)});
  xdr::Decoder decoder(bytes);
  const auto header = decoder.Get<ReplyHeader>();
  ASSERT_TRUE(decoder.ok()) << decoder.status();
  EXPECT_EQ(header.xid, 7u);
  EXPECT_EQ(header.type, MessageType::kReply);
  EXPECT_EQ(header.state, ReplyState::kAccepted);
  EXPECT_EQ(header.verifier.flavor, AuthFlavor::kShort);
  EXPECT_EQ(Bytes(header.verifier.body.view().begin(), header.verifier.body.view().end()),
            Pattern(5));
  EXPECT_EQ(header.accept, AcceptState::kSuccess);
  EXPECT_EQ(Bytes(decoder.rest().begin(), decoder.rest().end()), Words({1, 2}));
}

TEST(AReplyHeader, IsRefusedAtEveryCut) {
  for (const Bytes& whole : {SuccessReply(7, {}, {6, Pattern(9)}), FailedReply(7, 2, {2, 4}),
                             DeniedReply(7, {0, 2, 2}), DeniedReply(7, {1, 5})}) {
    for (size_t size = 0; size < whole.size(); ++size) {
      xdr::Decoder decoder(xdr::ByteView(whole).first(size));
      decoder.Get<ReplyHeader>();
      EXPECT_FALSE(decoder.ok()) << size;
    }
  }
}

TEST(AReplyHeader, MayHaveAVerifierOf400BytesAndNotOfMore) {
  for (uint32_t size : {400u, 401u, 0x80000000u, 0xffffffffu}) {
    Bytes bytes = Words({7, 1, 0, 0, size});
    Append(bytes, Pattern(408));
    xdr::Decoder decoder(bytes);
    decoder.Get<ReplyHeader>();
    EXPECT_EQ(decoder.ok(), size == 400) << size;
  }
}

TEST(AReplyHeader, CanBeShown) {
  const Bytes bytes = FailedReply(7, 2, {2, 4});
  xdr::Decoder decoder(bytes);
  EXPECT_EQ(xdr::Print(decoder.Get<ReplyHeader>()),
            "{xid=7 type=1 reply_stat=0 verf={flavor=AUTH_NONE(0) body=0x} "
            "accept_stat=PROG_MISMATCH(2) mismatch={low=2 high=4}}");
}

// --- Refusals (C49) -----------------------------------------------------------------

TEST(AnAcceptedCall, ThatWasExecutedIsOk) { EXPECT_TRUE(StatusOf(SuccessReply(7, {})).ok()); }

TEST(AnAcceptedCall, ThatWasNotExecutedSaysWhyByTheRfcsOwnName) {
  EXPECT_EQ(
      StatusOf(FailedReply(7, 1)),
      absl::UnimplementedError("RPC: PROG_UNAVAIL (1): the server does not have this program"));
  EXPECT_EQ(StatusOf(FailedReply(7, 2, {2, 4})),
            absl::UnimplementedError("RPC: PROG_MISMATCH (2): the server does not have this "
                                     "version of the program; it has versions 2 to 4"));
  EXPECT_EQ(
      StatusOf(FailedReply(7, 3)),
      absl::UnimplementedError("RPC: PROC_UNAVAIL (3): the server does not have this procedure"));
  EXPECT_EQ(
      StatusOf(FailedReply(7, 4)),
      absl::DataLossError("RPC: GARBAGE_ARGS (4): the server could not decode the arguments"));
  EXPECT_EQ(StatusOf(FailedReply(7, 5)),
            absl::UnavailableError("RPC: SYSTEM_ERR (5): the server met a system error"));
}

TEST(AnAcceptedCall, InAStateThatNobodyKnowsIsALossOfData) {
  for (uint32_t state : {6u, 77u, 0x7fffffffu, 0xffffffffu}) {
    EXPECT_EQ(StatusOf(FailedReply(7, state)),
              absl::DataLossError(absl::StrCat("RPC: unknown accept_stat (", state,
                                               "): not a state that RFC 5531 knows")));
  }
}

TEST(ADeniedCall, ForItsRpcVersionNamesTheVersions) {
  EXPECT_EQ(StatusOf(DeniedReply(7, {0, 3, 4})),
            absl::UnimplementedError("RPC: RPC_MISMATCH (0): the server does not speak ONC RPC "
                                     "version 2; it has versions 3 to 4"));
}

TEST(ADeniedCall, ForItsCredentialsNamesTheReason) {
  const struct {
    uint32_t state;
    const char* text;
  } cases[] = {
      {0, "RPC: AUTH_OK (0): the server does not accept the credentials"},
      {1, "RPC: AUTH_BADCRED (1): the credentials are malformed"},
      {2, "RPC: AUTH_REJECTEDCRED (2): the server wants new credentials"},
      {3, "RPC: AUTH_BADVERF (3): the server does not accept the credentials"},
      {4, "RPC: AUTH_REJECTEDVERF (4): the server does not accept the credentials"},
      {5, "RPC: AUTH_TOOWEAK (5): the server wants a stronger authentication flavor"},
      {6, "RPC: AUTH_INVALIDRESP (6): the server does not accept the credentials"},
      {7, "RPC: AUTH_FAILED (7): the server does not accept the credentials"},
      {13, "RPC: unknown auth_stat (13): the server does not accept the credentials"},
      {99, "RPC: unknown auth_stat (99): the server does not accept the credentials"},
      {0xffffffff,
       "RPC: unknown auth_stat (4294967295): the server does not accept the credentials"},
  };
  for (const auto& [state, text] : cases) {
    EXPECT_EQ(StatusOf(DeniedReply(7, {1, state})), absl::UnauthenticatedError(text));
  }
}

TEST(ADeniedCall, ForAReasonThatNobodyKnowsIsALossOfData) {
  for (uint32_t reject : {2u, 0xffffffffu}) {
    EXPECT_EQ(
        StatusOf(DeniedReply(7, {reject})),
        absl::DataLossError(absl::StrCat("RPC: denied with the unknown reject_stat ", reject)));
  }
}

bool WantsNewCredentials(const Bytes& reply) {
  xdr::Decoder decoder(reply);
  return rpc::WantsNewCredentials(decoder.Get<ReplyHeader>());
}

TEST(ADeniedCall, WantsNewCredentialsWhenTheOldAreRejected) {
  for (uint32_t state = 0; state < 20; ++state) {
    EXPECT_EQ(WantsNewCredentials(DeniedReply(7, {1, state})), state == 2 || state == 4) << state;
    EXPECT_FALSE(WantsNewCredentials(DeniedReply(7, {0, state, state}))) << state;
    EXPECT_FALSE(WantsNewCredentials(DeniedReply(7, {2, state}))) << state;
    EXPECT_FALSE(WantsNewCredentials(FailedReply(7, state, {4, 4}))) << state;
  }
}

TEST(AReply, NeitherAcceptedNorDeniedIsALossOfData) {
  EXPECT_EQ(StatusOf(Words({7, 1, 2, 1, 5})), absl::DataLossError("RPC: unknown reply_stat 2"));
}

TEST(AFlavor, HasItsName) {
  EXPECT_EQ(xdr::Print(AuthFlavor::kNone), "AUTH_NONE(0)");
  EXPECT_EQ(xdr::Print(AuthFlavor::kSys), "AUTH_SYS(1)");
  EXPECT_EQ(xdr::Print(AuthFlavor::kShort), "AUTH_SHORT(2)");
  EXPECT_EQ(xdr::Print(AuthFlavor::kDh), "AUTH_DH(3)");
  EXPECT_EQ(xdr::Print(AuthFlavor::kRpcSecGss), "RPCSEC_GSS(6)");
  EXPECT_EQ(xdr::Print(static_cast<AuthFlavor>(390003)), "unknown auth_flavor(390003)");
}

// --- Credentials (C50) -----------------------------------------------------------------

AuthSysParms ParmsOf(const OpaqueAuth& auth) {
  EXPECT_EQ(auth.flavor, AuthFlavor::kSys);
  xdr::Decoder decoder(auth.body.view());
  const auto parms = decoder.Get<AuthSysParms>();
  EXPECT_TRUE(decoder.Finish().ok()) << decoder.Finish();
  return parms;
}

TEST(AuthNone, IsEmpty) { EXPECT_EQ(Encoded(AuthNone()), Words({0, 0})); }

TEST(AuthSys, IsWhatTheRfcSays) {
  Bytes body = Words({0xabcd});
  AppendOpaque(body, xdr::BytesOf("host7"));
  Append(body, Words({1000, 100, 2, 4, 24}));
  Bytes expected = Words({1});
  AppendOpaque(expected, body);
  EXPECT_EQ(Encoded(AuthSys({1000, 100, {4, 24}}, "host7", 0xabcd)), expected);
}

TEST(AuthSys, TakesTheFirst16Groups) {
  for (uint32_t count : {0u, 1u, 15u, 16u, 17u, 1000u}) {
    Identity identity;
    for (uint32_t i = 0; i < count; ++i) identity.groups.push_back(100 + i);
    const auto gids = ParmsOf(AuthSys(identity, "h", 0)).gids.elements;
    EXPECT_THAT(gids, SizeIs(std::min(count, 16u)));
    for (uint32_t i = 0; i < gids.size(); ++i) EXPECT_EQ(gids[i], 100 + i);
  }
}

TEST(AuthSys, LeavesOutTheGroupThatMeansNone) {
  constexpr uint32_t kNone = UINT32_MAX;
  EXPECT_THAT(ParmsOf(AuthSys({1, 2, {kNone, 7, kNone, 8, kNone}}, "h", 0)).gids.elements,
              ElementsAre(7, 8));
  EXPECT_THAT(ParmsOf(AuthSys({1, 2, {kNone}}, "h", 0)).gids.elements, SizeIs(0));
}

// It must not count among the sixteen.
TEST(AuthSys, Takes16GroupsBesidesTheOneThatMeansNone) {
  Identity identity;
  for (uint32_t i = 0; i < 20; ++i) identity.groups.insert(identity.groups.end(), {UINT32_MAX, i});
  const auto gids = ParmsOf(AuthSys(identity, "h", 0)).gids.elements;
  EXPECT_THAT(gids, SizeIs(16));
  EXPECT_THAT(gids, Each(Ne(UINT32_MAX)));
}

TEST(AuthSys, CutsTheMachinesNameAfter255Bytes) {
  for (size_t size : {0, 1, 254, 255, 256, 1000}) {
    const std::string name(size, 'm');
    EXPECT_EQ(ParmsOf(AuthSys({}, name, 0)).machine_name.text(),
              name.substr(0, std::min<size_t>(size, 255)));
  }
}

TEST(AuthSys, IsNeverLongerThanAnAuthenticatorMayBe) {
  Identity identity{UINT32_MAX, UINT32_MAX, std::vector<uint32_t>(100, 0xfffffffe)};
  const OpaqueAuth auth = AuthSys(identity, std::string(1000, '\xff'), UINT32_MAX);
  EXPECT_EQ(auth.body.size(), 340u);
  const AuthSysParms parms = ParmsOf(auth);
  EXPECT_EQ(parms.uid, UINT32_MAX);
  EXPECT_EQ(parms.gid, UINT32_MAX);
}

TEST(RenewedCredentials, DifferInTheirStampAlone) {
  const Identity identity{1000, 100, {4, 24, 30}};
  for (uint32_t stamp : {0u, 0xabcdu, 0x00ffffffu, UINT32_MAX}) {
    EXPECT_EQ(Renewed(AuthSys(identity, "host7", stamp)), AuthSys(identity, "host7", stamp + 1));
  }
  const Identity largest{UINT32_MAX, UINT32_MAX, std::vector<uint32_t>(16, 0xfffffffe)};
  const std::string name(255, 'm');
  EXPECT_EQ(Renewed(AuthSys(largest, name, 1)), AuthSys(largest, name, 2));
}

TEST(RenewedCredentials, WithoutAStampAreWhatTheyWere) {
  EXPECT_EQ(Renewed(AuthNone()), AuthNone());
  for (AuthFlavor flavor : {AuthFlavor::kNone, AuthFlavor::kShort, AuthFlavor::kRpcSecGss}) {
    OpaqueAuth auth;
    auth.flavor = flavor;
    auth.body.Assign(Pattern(400));
    EXPECT_EQ(Renewed(auth), auth);
  }
  for (size_t size : {0, 1, 3}) {
    OpaqueAuth cut;
    cut.flavor = AuthFlavor::kSys;
    cut.body.Assign(Pattern(size));
    EXPECT_EQ(Renewed(cut), cut) << size;
  }
}

}  // namespace
}  // namespace rpc
