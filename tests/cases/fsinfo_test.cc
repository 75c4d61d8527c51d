// What FSINFO says, or does not say, of the sizes that a server likes.
#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/cases/stream_case.h"

namespace nfs {
namespace {

class Fsinfo : public StreamCase {
 protected:
  static constexpr uint64_t kFile = 9001;
  static constexpr uint32_t kSmallest = 4096;
  static constexpr uint32_t kUnknown = 32768;

  Fsinfo() {
    world_.tree().SetContents("/export/file", server::PatternContents(kFile));
    world_.options().rsize = 0;
  }

  // The largest READ that was asked for.
  uint32_t LargestRead() {
    uint32_t largest = 0;
    for (const server::Call& call : CallsOf(nfs3::kRead)) {
      largest = std::max(largest, call.arguments.count);
    }
    return largest;
  }

  // The server gives no more than it says it can, which may be next to nothing.
  void SetSizes(uint32_t rtmax, uint32_t rtpref, uint32_t rtmult = 4096) {
    server::NfsSettings settings;
    settings.fsinfo.rtmax = rtmax;
    settings.fsinfo.rtpref = rtpref;
    settings.fsinfo.rtmult = rtmult;
    settings.fsinfo.dtpref = 1024;
    settings.max_read = rtmax != 0 ? std::min(rtmax, 1u << 20) : 1u << 20;
    world_.server().SetNfs(settings);
    world_.server().log().Clear();
  }
};

constexpr uint32_t kSizes[] = {0, 1, 511, 512, 8192, UINT32_MAX};

TEST_F(Fsinfo, WithAnyPairOfSizesGivesTheFileInReadsOfFourKilobytesOrMore) {
  world_.options().readahead.reset();
  for (uint32_t rtmax : kSizes) {
    for (uint32_t rtpref : kSizes) {
      SCOPED_TRACE(absl::StrCat("rtmax ", rtmax, ", rtpref ", rtpref));
      SetSizes(rtmax, rtpref);
      ExpectWhole(kFile);
      EXPECT_GE(LargestRead(), kSmallest);
      EXPECT_LE(LargestRead(), 1u << 20);
      if (rtmax >= kSmallest) {
        EXPECT_LE(LargestRead(), rtmax);
      }
    }
  }
}

TEST_F(Fsinfo, BoundsWhatTheUserAsksForAndTheFileIsWhole) {
  world_.options().rsize = 8192;
  for (uint32_t rtmax : kSizes) {
    SCOPED_TRACE(rtmax);
    SetSizes(rtmax, 0);
    ExpectWhole(kFile);
    EXPECT_EQ(LargestRead(), rtmax == 0 ? 8192 : std::min(rtmax, 8192u));
  }
}

TEST_F(Fsinfo, WithAnyMultipleIsAskedForTheSizeThatItPrefers) {
  for (uint32_t rtmult : {0u, 1u, 3u, 512u, 4096u, 1u << 31}) {
    SCOPED_TRACE(rtmult);
    SetSizes(32768, 5000, rtmult);
    ExpectWhole(kFile);
    EXPECT_EQ(LargestRead(), 5000u);
  }
}

struct Absence {
  const char* name;
  const char* rules;
};

class FsinfoAbsent : public Fsinfo, public testing::WithParamInterface<Absence> {};

TEST_P(FsinfoAbsent, IsDoneWithoutAndTheFileIsReadByASafeSize) {
  Rules(GetParam().rules);
  const Outcome outcome = ExpectWhole(kFile);
  EXPECT_EQ(LargestRead(), kUnknown);
  EXPECT_LE(outcome.opening, absl::Seconds(61));
}

INSTANTIATE_TEST_SUITE_P(Ways, FsinfoAbsent,
                         testing::Values(Absence{"Forbidden", "FSINFO status=ACCES"},
                                         Absence{"NotSupported", "FSINFO status=NOTSUPP"},
                                         Absence{"UnknownStatus", "FSINFO status=0x41414141"},
                                         Absence{"StatusAlone", "FSINFO status=ACCES cut=28"},
                                         Absence{"NoSuchProcedure", "FSINFO accept=PROC_UNAVAIL"},
                                         Absence{"GarbageArguments", "FSINFO accept=GARBAGE_ARGS"},
                                         Absence{"CutOff", "FSINFO cut=40"},
                                         Absence{"NoReply", "FSINFO drop"}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_F(Fsinfo, WithoutAttributesSaysItsSizesAllTheSame) {
  SetSizes(65536, 5000);
  Rules("FSINFO noattr");
  ExpectWhole(kFile);
  EXPECT_EQ(LargestRead(), 5000u);
}

TEST_F(Fsinfo, AndOthersWithAStatusThatNobodyKnowsShowItsNumber) {
  Rules("LOOKUP status=0x41414141");
  ExpectError(ErrorKind::kNfs, "(1094795585)");
  OnlyRules("READ status=0x41414141");
  ExpectError(ErrorKind::kNfs, "(1094795585)");
}

TEST_F(Fsinfo, ThatDoesNotKnowTheHandleIsAnError) {
  for (const char* status : {"STALE", "BADHANDLE"}) {
    OnlyRules(absl::StrCat("FSINFO status=", status));
    ExpectError(ErrorKind::kNfs, absl::StrCat("FSINFO: NFS3ERR_", status));
  }
}

}  // namespace
}  // namespace nfs
