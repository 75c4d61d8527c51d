// What a server may answer to a READ, and what may become of the file meanwhile.
#include <algorithm>
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/file_reader.h"
#include "tests/cases/stream_case.h"
#include "tests/server/loopback_server.h"
#include "tests/support/subprocess.h"

namespace nfs {
namespace {

using testing::HasSubstr;

class Reads : public StreamCase {};

// The program and a server on real sockets.
class NfscatCase : public testing::Test {
 protected:
  void SetUp() override {
    served_.tree().AddFile("/export/file", server::PatternContents(kSize));
    auto loopback = server::LoopbackServer::Start(served_);
    ASSERT_TRUE(loopback.ok()) << loopback.status();
    loopback_ = *std::move(loopback);
  }

  void Rules(const char* rules) { ASSERT_TRUE(served_.AddRules(rules).ok()); }
  support::Command CommandOf(std::vector<std::string> options) {
    options.insert(options.begin(), "client/tools/nfscat");
    options.push_back(loopback_->Url("/export/file"));
    return {.argv = options};
  }

  static constexpr uint64_t kSize = 300001;
  server::Server served_;
  std::unique_ptr<server::LoopbackServer> loopback_;
};

std::string PatternText(size_t bytes) {
  std::string text(bytes, '\0');
  server::FillPattern(0, std::as_writable_bytes(std::span(text)));
  return text;
}

// --- Short ones, and those with too much --------------------------------------------------

TEST_F(Reads, ThatAreAllShortGiveTheWholeFile) {
  for (const char* rules : {"READ short=511", "READ short=4095",
                            "READ chance=0.3 short=1\nREAD chance=0.3 short=511\n"
                            "READ chance=0.3 short=4095"}) {
    OnlyRules(rules);
    SCOPED_TRACE(rules);
    EXPECT_GE(ExpectWhole().counters.short_reads, 40u);
  }
}

TEST_F(Reads, OfOneByteEachGiveTheWholeFile) {
  world_.tree().SetContents("/export/file", server::PatternContents(3001));
  Rules("READ short=1");
  ExpectWhole(3001);
}

TEST_F(Reads, WithMoreThanWasAskedForGiveTheFileAndNoByteTwice) {
  for (const char* over : {"1", "4096", "1M"}) {
    OnlyRules(absl::StrCat("READ over=", over, " offset=..270000\nREAD hold=8 order=7,6,5"));
    SCOPED_TRACE(over);
    ExpectWhole();
  }
}

// --- The end of the file ---------------------------------------------------------------------

TEST_F(Reads, BeyondTheEndThatAreMadeUpAreNoDataWithoutAttributesEither) {
  world_.tree().SetContents("/export/file", server::PatternContents(10 * kRsize));
  for (const char* attributes : {"", "READ noattr\n"}) {
    OnlyRules(absl::StrCat(attributes, "READ offset=..73728 eof=false\n",
                           "READ offset=81920.. over=4 eof=false"));
    SCOPED_TRACE(attributes);
    ExpectWhole(10 * kRsize);
  }
}

TEST_F(Reads, OfAnEmptyFileGiveNothingAndSuccess) {
  world_.tree().SetContents("/export/file", server::PatternContents(0));
  for (const char* rules : {"READ eof=true", "READ eof=false", "READ eof=false noattr"}) {
    OnlyRules(rules);
    world_.server().log().Clear();
    SCOPED_TRACE(rules);
    ExpectWhole(0);
    EXPECT_LE(ReadCount(), 2u);
  }
}

TEST_F(Reads, OfALogThatGrowsFiftyTimesGiveAllOfIt) {
  for (const char* rules : {"READ nth=1..50 append=100", "READ nth=1..50 append=100 noattr"}) {
    world_.tree().SetContents("/export/file", server::PatternContents(500001));
    world_.options().readahead = 0;
    OnlyRules(rules);
    SCOPED_TRACE(rules);
    ExpectWhole(500001 + 50 * 100);
  }
}

// A READ of the last byte each time: the end moves on with every one.
TEST_F(Reads, OfAFileWhoseEndRunsAwayStopWhenItDoes) {
  for (const char* rules : {"READ nth=1..50 append=100 short=100 eof=false",
                            "READ nth=1..50 append=100 short=100 eof=false noattr"}) {
    world_.tree().SetContents("/export/file", server::PatternContents(150));
    OnlyRules(rules);
    SCOPED_TRACE(rules);
    ExpectWhole(150 + 50 * 100);
  }
}

TEST_F(Reads, WithALengthGiveASnapshotOfAFileThatGrows) {
  Rules("READ append=1000");
  const Outcome outcome = world_.Stream("/export/file", {0, kSize});
  EXPECT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_TRUE(outcome.bytes == PatternOf(0, kSize));
}

TEST_F(Reads, OfAFileWhoseSizeMeansNothingGiveItsBytes) {
  for (const char* size : {"0", "10", "0xffffffffffffffff", "0x7fffffffffffffff"}) {
    for (const char* attributes : {"", "\nREAD noattr"}) {
      OnlyRules(absl::StrCat("* poke=size:", size, attributes));
      SCOPED_TRACE(absl::StrCat(size, attributes));
      ExpectWhole();
    }
  }
}

// --- Offsets -------------------------------------------------------------------------------

TEST_F(Reads, AtOffsetsThatThirtyTwoBitsCannotHoldAskForExactlyThose) {
  constexpr uint64_t kLargest = INT64_MAX;
  world_.tree().SetContents("/export/file", server::PatternContents(kLargest));
  for (uint64_t edge : {uint64_t{0x7fffffff}, uint64_t{0x80000000}, uint64_t{0xffffffff},
                        uint64_t{0x100000000}, uint64_t{1} << 40, kLargest}) {
    SCOPED_TRACE(edge);
    world_.server().log().Clear();
    const uint64_t offset = edge - 3 * kRsize;
    const Outcome outcome = world_.Stream("/export/file", {offset, 6 * kRsize});
    EXPECT_TRUE(outcome.status.ok()) << outcome.status;
    const uint64_t bytes = edge == kLargest ? 3 * kRsize : 6 * kRsize;
    EXPECT_TRUE(outcome.bytes == PatternOf(offset, bytes)) << outcome.bytes.size();
    std::vector<uint64_t> asked;
    for (const server::Call& call : CallsOf(nfs3::kRead)) asked.push_back(call.arguments.offset);
    for (uint64_t i = 0; i < bytes / kRsize; ++i) {
      EXPECT_THAT(asked, testing::Contains(offset + i * kRsize));
    }
  }
}

TEST_F(Reads, UpToTheEndOfAFileJustOverFourGigabytesEndThere) {
  constexpr uint64_t kFile = (uint64_t{1} << 32) + 3;
  world_.tree().SetContents("/export/file", server::PatternContents(kFile));
  const Outcome outcome = world_.Stream("/export/file", {kFile - 20000});
  EXPECT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_TRUE(outcome.bytes == PatternOf(kFile - 20000, 20000));
}

// --- Refusals ----------------------------------------------------------------------------------

TEST_F(Reads, AndLookupsThatFailAreNamedEvenWhenNothingFollowsTheStatus) {
  // 24 bytes of header and an empty verifier, then the status.
  Rules("LOOKUP status=NOENT cut=28");
  ExpectError(ErrorKind::kNfs, "LOOKUP: NFS3ERR_NOENT (2): No such file or directory");
  OnlyRules("READ nth=4 status=IO cut=28");
  ExpectError(ErrorKind::kNfs, "READ: NFS3ERR_IO (5)");
  OnlyRules("READ nth=4 status=ACCES cut=30");
  ExpectError(ErrorKind::kNfs, "READ: NFS3ERR_ACCES (13)");
}

TEST_F(Reads, ThatFailDoNotTellTheSizeOfTheFile) {
  Rules("READ nth=4 status=IO poke=size:1");
  ExpectError(ErrorKind::kNfs, "READ: NFS3ERR_IO (5)");
  OnlyRules("READ nth=4 status=JUKEBOX poke=size:1 poke=fileid:77");
  ExpectWhole();
}

TEST_F(NfscatCase, ReadsAllBeforeAReadThatFailsAndNothingAfter) {
  Rules("READ offset=163840..163840 delay=300ms status=IO");
  const support::Outcome outcome = support::RunProgram(CommandOf({"--rsize=8K"}));
  EXPECT_EQ(outcome.exit_status, 5);
  EXPECT_THAT(outcome.err, HasSubstr("READ: NFS3ERR_IO (5)"));
  EXPECT_TRUE(outcome.out == PatternText(163840)) << outcome.out.size();
}

TEST_F(NfscatCase, EndsByAnInterruptWhileTheServerAsksForPatience) {
  Rules("READ status=JUKEBOX");
  support::Subprocess nfscat(CommandOf({}));
  while (nfscat.running() && served_.log().counters().reads == 0) std::this_thread::yield();
  nfscat.Signal(SIGINT);
  const support::Outcome outcome = nfscat.Finish();
  EXPECT_EQ(outcome.signal, SIGINT) << outcome.exit_status << outcome.err;
  EXPECT_FALSE(outcome.timed_out);
}

TEST_F(Reads, ThatAreToBeTriedLaterAreSpacedAndNewCallsEachTime) {
  world_.options().readahead = 0;
  Rules("READ nth=2 jukebox=3");
  ExpectWhole();
  const std::vector<server::Call> reads = CallsOf(nfs3::kRead);
  for (int i = 1; i < 4; ++i) {
    EXPECT_EQ(reads[i + 1].arguments.offset, reads[i].arguments.offset);
    EXPECT_NE(reads[i + 1].xid, reads[i].xid);
    EXPECT_GE(reads[i + 1].arrived - reads[i].arrived, absl::Seconds(1 << (i - 1)));
  }
}

TEST_F(Reads, ThatAreForbiddenNameWhoAskedAndTheOptionsThatHelp) {
  world_.options().uid = 1000;
  world_.options().gid = 100;
  for (const char* status : {"ACCES", "PERM"}) {
    OnlyRules(absl::StrCat("READ status=", status));
    const Outcome outcome = ExpectError(ErrorKind::kNfs, absl::StrCat("READ: NFS3ERR_", status));
    EXPECT_THAT(std::string(outcome.status.message()),
                HasSubstr("asked as uid 1000, gid 100 (see --uid, --gid, --groups)"));
    EXPECT_TRUE(outcome.bytes.empty());
  }
}

TEST_F(Reads, AreTriedWhateverAccessSays) {
  Rules("ACCESS poke=access:0");
  ExpectWhole();
}

TEST_F(Reads, OfWhatIsNoRegularFileAreNeverSent) {
  const std::pair<nfs3::FileType3, const char*> kTypes[] = {
      {nfs3::FileType3::kDir, "NFS3ERR_ISDIR (21)"},
      {nfs3::FileType3::kFifo, "NFS3ERR_INVAL (22)"},
      {nfs3::FileType3::kSock, "NFS3ERR_INVAL (22)"},
      {nfs3::FileType3::kBlk, "NFS3ERR_INVAL (22)"},
      {nfs3::FileType3::kChr, "NFS3ERR_INVAL (22)"},
      {nfs3::FileType3(0), "NFS3ERR_INVAL (22)"},
      {nfs3::FileType3(8), "NFS3ERR_INVAL (22)"},
      {nfs3::FileType3(0x41414141), "NFS3ERR_INVAL (22)"}};
  for (const auto& [type, words] : kTypes) {
    OnlyRules(absl::StrCat("LOOKUP poke=obj_attributes.type:", static_cast<uint32_t>(type)));
    SCOPED_TRACE(static_cast<uint32_t>(type));
    ExpectError(ErrorKind::kNfs, words);
  }
  EXPECT_EQ(ReadCount(), 0u);
}

// Servers that give no type with LOOKUP and refuse in their own words.
TEST_F(Reads, ThatSayThatItIsNoFileEndWithThat) {
  Rules("READ status=ISDIR");
  ExpectError(ErrorKind::kNfs, "READ: NFS3ERR_ISDIR (21)");
  OnlyRules("READ status=INVAL");
  ExpectError(ErrorKind::kNfs, "READ: NFS3ERR_INVAL (22)");
}

// --- The library -----------------------------------------------------------------------------

// Sizes of files around those of READs, and of the caller's memory around both.
TEST(FileReaderCase, GivesExactBytesForEverySizeOfFileReadAndBuffer) {
  constexpr size_t kRtmax = 32768;
  server::Server served;
  server::NfsSettings settings;
  settings.fsinfo.rtmax = settings.fsinfo.rtpref = settings.max_read = kRtmax;
  served.SetNfs(settings);
  served.tree().AddFile("/export/file", server::PatternContents(0));
  auto loopback = server::LoopbackServer::Start(served);
  ASSERT_TRUE(loopback.ok()) << loopback.status();
  for (size_t size : {kRtmax - 1, kRtmax, kRtmax + 1, 3 * kRtmax + 7}) {
    served.tree().SetContents("/export/file", server::PatternContents(size));
    for (size_t memory : {size_t{1}, size_t{4095}, kRtmax - 1, kRtmax, kRtmax + 1, kRtmax << 11}) {
      SCOPED_TRACE(absl::StrCat("file ", size, ", memory ", memory));
      auto reader = FileReader::Open((*loopback)->Url("/export/file"));
      ASSERT_TRUE(reader.ok()) << reader.status();
      std::vector<std::byte> to(memory);
      std::vector<std::byte> all;
      for (;;) {
        const auto got = (*reader)->Read(to);
        ASSERT_TRUE(got.ok()) << got.status();
        EXPECT_EQ(*got, std::min(memory, size - all.size()));
        if (*got == 0) break;
        all.insert(all.end(), to.begin(), to.begin() + static_cast<std::ptrdiff_t>(*got));
      }
      EXPECT_TRUE(all == PatternOf(0, size));
    }
  }
}

}  // namespace
}  // namespace nfs
