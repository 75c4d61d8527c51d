// Records that are cut, bent or made up, through the whole client: what a server sends
// either gives the file or a clear error, and never costs memory.
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/cases/stream_case.h"
#include "tests/server/loopback_server.h"
#include "tests/support/subprocess.h"

namespace nfs {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Where the length word of a READ reply's data is, with attributes and an empty verifier,
// in the record.
constexpr size_t kDataLength = 124;
constexpr size_t kData = kDataLength + 4;

class Records : public StreamCase {};

// --- Fragments -----------------------------------------------------------------------

TEST_F(Records, InFragmentsArePutTogetherForEveryProcedure) {
  for (const char* sizes : {"12,12", "8,8,8", "9,1,14", "1", "4", "28", "1000,0,3"}) {
    OnlyRules(absl::StrCat("* frag=", sizes));
    SCOPED_TRACE(sizes);
    ExpectWhole();
  }
}

TEST_F(Records, WhoseFirstFragmentEndsInTheLengthTheDataOrThePadGiveTheFile) {
  world_.tree().SetContents("/export/file", server::PatternContents(20001));
  for (size_t head = kDataLength - 8; head <= kData + 9; ++head) {
    OnlyRules(absl::StrCat("READ frag=", head, ",100000"));
    SCOPED_TRACE(head);
    ExpectWhole(20001);
  }
  // The last READ has 20001 - 2 * 8192 = 3617 bytes, and three of padding.
  for (size_t head = kData + 3610; head <= kData + 3620; ++head) {
    OnlyRules(absl::StrCat("READ frag=", head, ",1"));
    SCOPED_TRACE(head);
    ExpectWhole(20001);
  }
}

// --- Bytes of another protocol ----------------------------------------------------------

struct Greeting {
  const char* name;
  const char* bytes;
  const char* words;
};

// The program itself, for its memory and its exit status.
class Greetings : public testing::TestWithParam<Greeting> {};

TEST_P(Greetings, OfSomethingElseThanRpcEndWithEightAtOnceAndWithLittleMemory) {
  server::Server served;
  served.tree().AddFile("/export/file", server::PatternContents(1000));
  ASSERT_TRUE(served.AddRules(absl::StrCat("CONNECT raw=", GetParam().bytes)).ok());
  auto loopback = server::LoopbackServer::Start(served);
  ASSERT_TRUE(loopback.ok()) << loopback.status();
  const auto start = std::chrono::steady_clock::now();
  const support::Outcome outcome =
      support::RunProgram({.argv = {"client/tools/nfscat", (*loopback)->Url("/export/file")}});
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30)) << "timeo is 60 s";
  EXPECT_EQ(outcome.exit_status, 8) << outcome.err;
  EXPECT_THAT(outcome.err, StartsWith("nfscat: "));
  EXPECT_THAT(outcome.err, HasSubstr(GetParam().words));
  EXPECT_EQ(outcome.out, "");
  if (support::kPeakIsTheProgramsOwn) {
    EXPECT_LT(outcome.peak_resident_bytes, 32u << 20);
  }
  EXPECT_LE(served.log().counters().connections, 4u) << "it tries again and again";
}

INSTANTIATE_TEST_SUITE_P(
    Protocols, Greetings,
    testing::Values(
        Greeting{"Http", "HTTP/1.1%20400%20Bad%20Request%0d%0a", "does not speak ONC RPC"},
        Greeting{"Ssh", "SSH-2.0-OpenSSH_9.2%0d%0a", "does not speak ONC RPC"},
        Greeting{"TlsAlert", "%15%03%03%00%02%02%28", "a record of 352518912 bytes"},
        Greeting{"LastFragmentOf2GiB", "%ff%ff%ff%ff", "a record of 2147483647 bytes"},
        Greeting{"FirstFragmentOf2GiB", "%7f%ff%ff%ff", "a record of 2147483647 bytes"}),
    [](const auto& test) { return std::string(test.param.name); });

// --- Records that are longer or shorter than their contents --------------------------------

TEST_F(Records, WithBytesBehindTheResultsGiveTheFileForEveryProcedure) {
  for (int surplus : {1, 3, 4, 4096}) {
    OnlyRules(absl::StrCat("* junk=", surplus));
    SCOPED_TRACE(surplus);
    ExpectWhole();
  }
}

TEST_F(Records, OfReadThatEndEarlyAnywhereAreAnErrorAndNeverData) {
  world_.tree().SetContents("/export/file", server::PatternContents(3 * kRsize));
  world_.options().timeout = absl::Seconds(1);  // for a record without even an xid
  for (size_t cut = 0; cut < kData + kRsize; cut += cut < 200 ? 1 : 331) {
    OnlyRules(absl::StrCat("READ nth=2.. cut=", cut));
    SCOPED_TRACE(cut);
    ExpectError(cut < 4 ? ErrorKind::kTimedOut : ErrorKind::kProtocol, "READ: ");
  }
}

// FSINFO and EXPORT are advice; without the others there is no file.
TEST_F(Records, OfOtherProceduresThatEndEarlyAreAnErrorOrDoneWithout) {
  world_.tree().SetContents("/export/file", server::PatternContents(100));
  world_.options().timeout = absl::Seconds(1);
  for (const char* procedure : {"GETPORT", "EXPORT", "MNT", "LOOKUP", "FSINFO"}) {
    const bool is_advice = procedure == std::string("FSINFO") || procedure == std::string("EXPORT");
    for (int cut = 1; cut <= 64; ++cut) {
      OnlyRules(absl::StrCat(procedure, " cut=-", cut));
      const Outcome outcome = world_.Stream("/export/file");
      EXPECT_TRUE(outcome.status.ok() || !is_advice) << procedure << cut << outcome.status;
      if (outcome.status.ok()) {
        EXPECT_EQ(outcome.bytes, PatternOf(0, 100)) << procedure << cut;
      } else {
        EXPECT_THAT(std::string(outcome.status.message()), HasSubstr("[127.0.0.1:"));
      }
    }
  }
}

// --- Lengths that no message can have -------------------------------------------------

struct Hostile {
  const char* name;
  const char* rules;
  const char* words;  // of the error; null: it is done without
};

class HostileLengths : public StreamCase, public testing::WithParamInterface<Hostile> {};

TEST_P(HostileLengths, AreRefusedBeforeAnythingIsAllocated) {
  world_.tree().AddSymlink("/export/link", "file");
  Rules(GetParam().rules);
  const Outcome outcome = world_.Stream("/export/link");
  if (GetParam().words == nullptr) {
    EXPECT_TRUE(outcome.status.ok()) << outcome.status;
    EXPECT_TRUE(outcome.bytes == PatternOf(0, kSize));
  } else {
    EXPECT_EQ(KindOf(outcome.status), ErrorKind::kProtocol) << outcome.status;
    EXPECT_THAT(std::string(outcome.status.message()), HasSubstr(GetParam().words));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Fields, HostileLengths,
    testing::Values(Hostile{"HandleOfMnt4G", "MNT poke=fhandle.data:0xfffffffc", "MNT: XDR"},
                    Hostile{"HandleOfMnt2G", "MNT poke=fhandle.data:0x80000001", "MNT: XDR"},
                    Hostile{"HandleOfMnt65", "MNT poke=fhandle.data:65", "MNT: XDR"},
                    Hostile{"Flavors", "MNT poke=auth_flavors:0x0ee6b280", "MNT: XDR"},
                    Hostile{"HandleOfLookup", "LOOKUP poke=object.data:0xfffffffc", "LOOKUP: XDR"},
                    Hostile{"Link4G", "READLINK poke=data:0xffffffff", "READLINK: XDR"},
                    Hostile{"Link2G", "READLINK poke=data:0x80000001", "READLINK: XDR"},
                    Hostile{"Data4G", "READ nth=3 poke=data:0xfffffffc", nullptr},
                    Hostile{"Data2G", "READ nth=3 poke=data:0x80000001", nullptr},
                    Hostile{"Export", "EXPORT poke=ex_dir:0x7fffffff", nullptr},
                    Hostile{"Exports", "EXPORT poke=ex_dir:0xfffffffc", nullptr}),
    [](const auto& test) { return std::string(test.param.name); });

// All that is asked for is there, so the length is only too large; at the end it is not.
TEST_F(Records, OfReadThatAnnounceMoreThanTheyHaveAreAnError) {
  for (const char* length : {"0xfffffffc", "0x80000001", "5094"}) {
    OnlyRules(absl::StrCat("READ offset=294912.. poke=data:", length));
    SCOPED_TRACE(length);
    ExpectError(ErrorKind::kProtocol, "the reply ends before the data that it announces");
  }
}

// --- Verifiers ---------------------------------------------------------------------------

TEST_F(Records, WithVerifiersOfAnyFlavorAndLengthGiveTheFile) {
  for (const char* verifier : {"2:5", "2:400", "6:16", "0:1", "77:399"}) {
    OnlyRules(absl::StrCat("* verifier=", verifier));
    SCOPED_TRACE(verifier);
    ExpectWhole();
  }
}

TEST_F(Records, WithAVerifierLongerThanThereMayBeAreAnError) {
  Rules("READ nth=4.. verifier=0:401");
  ExpectError(ErrorKind::kProtocol, "longer than its type allows");
}

}  // namespace
}  // namespace nfs
