// nfscat delivers exact bytes from a real server, whatever the sizes and windows.
#include <linux/io_uring.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ganesha/nfscat_site.h"
#include "tests/support/pattern_file.h"
#include "tests/support/subprocess.h"

namespace ganesha {
namespace {

using support::Outcome;

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kGiB = uint64_t{1} << 30;

constexpr uint64_t kSmallSizes[] = {0, 1, 63, 4096, kMiB + 1};

std::string SmallFile(uint64_t size) {
  return std::string(kDeepExport) + "/small-" + std::to_string(size);
}

constexpr char kOneGiB[] = "/srv/x/y/1GiB";
constexpr char kFiveGiB[] = "/srv/x/y/5GiB";

// Islands of 64 KiB are spread so that every READ of 1 MiB has one, at some place.
void WriteFiles() {
  for (uint64_t size : kSmallSizes) support::WritePatternFile(SmallFile(size), size, size);
  support::WriteSparsePatternFile(kOneGiB, kGiB, kMiB - 4096);
  support::WriteSparsePatternFile(kFiveGiB, 5 * kGiB, kGiB);
}

// The digest of a file, read once.
const std::string& DigestOf(const std::string& path) {
  static auto* const digests = new std::map<std::string, std::string>;
  std::string& digest = (*digests)[path];
  if (digest.empty()) digest = support::FileSha256(path);
  return digest;
}

// Containers and hardened machines forbid it.
bool MachineHasIoUring() {
  io_uring_params parameters{};
  const long fd = syscall(SYS_io_uring_setup, 1, &parameters);
  if (fd >= 0) close(static_cast<int>(fd));
  return fd >= 0;
}

class StreamTest : public NfscatTest {
 protected:
  void SetUp() override {
    NfscatTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    static const bool written = (WriteFiles(), true);
    ASSERT_TRUE(written);
  }

  static void SkipWithout(const std::string& engine) {
    if (engine == "uring" && !MachineHasIoUring()) {
      GTEST_SKIP() << "this machine forbids io_uring";
    }
  }
};

// As the command line has it.
struct Tuning {
  std::string rsize;
  std::string slots;
  std::string readahead;
};

std::vector<std::string> Options(const std::string& engine, const Tuning& tuning) {
  return {"--io=" + engine, "--rsize=" + tuning.rsize, "--slots=" + tuning.slots,
          "--readahead=" + tuning.readahead};
}

// Reads the whole file and digests the output. Quietly: a window that the slots are too few
// for is meant here.
Outcome Stream(std::vector<std::string> options, const std::string& path) {
  options.push_back("--quiet");
  options.push_back(Url(path));
  support::Command command = NfscatCommand(options);
  command.keep_output = false;
  return support::RunProgram(command);
}

void ExpectExact(const Outcome& outcome, const std::string& path) {
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_EQ(outcome.out_sha256, DigestOf(path)) << path << ": " << outcome.out_bytes << " bytes";
  EXPECT_EQ(outcome.err, "");
}

std::string NameOf(const std::string& engine, const Tuning& tuning) {
  return engine + "_rsize" + tuning.rsize + "_slots" + tuning.slots + "_readahead" +
         tuning.readahead;
}

// Files shorter than a READ, and of a READ and a byte, with every window.

using SmallFilesCase = std::tuple<const char*, const char*, const char*, const char*>;

class SmallFilesTest : public StreamTest, public ::testing::WithParamInterface<SmallFilesCase> {
 public:
  static std::string Name(const ::testing::TestParamInfo<SmallFilesCase>& test) {
    const auto& [engine, rsize, slots, readahead] = test.param;
    return NameOf(engine, {rsize, slots, readahead});
  }
};

TEST_P(SmallFilesTest, AreExact) {
  const auto& [engine, rsize, slots, readahead] = GetParam();
  SkipWithout(engine);
  if (IsSkipped()) return;
  for (uint64_t size : kSmallSizes) {
    const std::string path = SmallFile(size);
    ExpectExact(Stream(Options(engine, {rsize, slots, readahead}), path), path);
  }
}

INSTANTIATE_TEST_SUITE_P(Windows, SmallFilesTest,
                         ::testing::Combine(::testing::Values("uring", "poll"),
                                            ::testing::Values("4K", "32K", "1M"),
                                            ::testing::Values("1", "2", "64"),
                                            ::testing::Values("0", "64K", "16M")),
                         &SmallFilesTest::Name);

// A file far larger than any window, with the windows that differ in kind: one READ at
// a time, slots as the limit, readahead as the limit, both wide.

struct Window {
  Tuning tuning;
  uint64_t readahead_bytes;
};

using LargeFileCase = std::tuple<const char*, Window>;

class LargeFileTest : public StreamTest, public ::testing::WithParamInterface<LargeFileCase> {
 public:
  static std::string Name(const ::testing::TestParamInfo<LargeFileCase>& test) {
    const auto& [engine, window] = test.param;
    return NameOf(engine, window.tuning);
  }
};

TEST_P(LargeFileTest, IsExactInBoundedMemory) {
  const auto& [engine, window] = GetParam();
  SkipWithout(engine);
  if (IsSkipped()) return;
  const Outcome outcome = Stream(Options(engine, window.tuning), kOneGiB);
  ExpectExact(outcome, kOneGiB);
  if (support::kPeakIsTheProgramsOwn) {
    EXPECT_LE(outcome.peak_resident_bytes, window.readahead_bytes + 32 * kMiB);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Windows, LargeFileTest,
    ::testing::Combine(::testing::Values("uring", "poll"),
                       ::testing::Values(Window{{"1M", "1", "0"}, 0},
                                         Window{{"32K", "2", "16M"}, 16 * kMiB},
                                         Window{{"32K", "64", "64K"}, kMiB / 16},
                                         Window{{"4K", "64", "16M"}, 16 * kMiB},
                                         Window{{"1M", "64", "16M"}, 16 * kMiB})),
    &LargeFileTest::Name);

// Several connections, which a real server answers each in its own time.

class ConnectionsTest : public StreamTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(ConnectionsTest, GiveAFileInItsOrder) {
  SkipWithout(GetParam());
  if (IsSkipped()) return;
  for (const Tuning& tuning : {Tuning{"1M", "64", "auto"}, Tuning{"32K", "2", "4M"}}) {
    std::vector<std::string> options = Options(GetParam(), tuning);
    options.emplace_back("--nconnect=4");
    ExpectExact(Stream(options, kOneGiB), kOneGiB);
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, ConnectionsTest, ::testing::Values("uring", "poll"));

// Offsets that 32 bits cannot hold.

class RangeTest : public StreamTest {
 protected:
  static void ExpectRange(uint64_t offset, uint64_t length) {
    const Outcome outcome = Stream(
        {"--offset=" + std::to_string(offset), "--length=" + std::to_string(length)}, kFiveGiB);
    EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
    EXPECT_EQ(outcome.out_bytes, length);
    EXPECT_EQ(outcome.out_sha256, support::FileSha256(kFiveGiB, offset, length));
  }
};

TEST_F(RangeTest, BeyondFourGiBIsExact) { ExpectRange(4 * kGiB + 12345, 3 * kMiB); }

TEST_F(RangeTest, AcrossFourGiBIsExact) { ExpectRange(4 * kGiB - kMiB - 1, 2 * kMiB); }

TEST_F(RangeTest, OfOneByteIsExact) { ExpectRange(4 * kGiB + 1, 1); }

TEST_F(RangeTest, WithoutALengthGoesToTheEnd) {
  const uint64_t offset = 5 * kGiB - 100'000;
  const Outcome outcome = Stream({"--offset=" + std::to_string(offset)}, kFiveGiB);
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_EQ(outcome.out_sha256, support::FileSha256(kFiveGiB, offset));
}

TEST_F(RangeTest, ThatIsLongerThanTheFileEndsWithTheFile) {
  const uint64_t offset = 5 * kGiB - 100'000;
  const Outcome outcome = Stream({"--offset=" + std::to_string(offset), "--length=1G"}, kFiveGiB);
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_EQ(outcome.out_sha256, support::FileSha256(kFiveGiB, offset));
}

// Ways out other than a pipe.

TEST_F(StreamTest, ToAFileByOptionIsExact) {
  const std::string copy = ::testing::TempDir() + "copy";
  const Outcome outcome = Stream({"--output=" + copy}, SmallFile(kMiB + 1));
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_EQ(outcome.out_bytes, 0u);
  EXPECT_EQ(support::FileSha256(copy), DigestOf(SmallFile(kMiB + 1)));
}

TEST_F(StreamTest, ToAFileByTheShellIsExact) {
  support::Command command = NfscatCommand({Url(kOneGiB)});
  command.stdout_path = ::testing::TempDir() + "copy";
  const Outcome outcome = support::RunProgram(command);
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_EQ(support::FileSha256(command.stdout_path), DigestOf(kOneGiB));
  unlink(command.stdout_path.c_str());
}

}  // namespace
}  // namespace ganesha
