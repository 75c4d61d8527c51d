// What the other tests rely on when they run a program.
#include "tests/support/subprocess.h"

#include <signal.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace support {
namespace {

using ::testing::HasSubstr;

Command Shell(const std::string& script) { return {.argv = {FindProgram("sh"), "-c", script}}; }

TEST(SubprocessTest, TellsOutputErrorsAndExitStatus) {
  const Outcome outcome = RunProgram(Shell("echo out; echo err >&2; exit 7"));
  EXPECT_EQ(outcome.out, "out\n");
  EXPECT_EQ(outcome.err, "err\n");
  EXPECT_EQ(outcome.exit_status, 7);
  EXPECT_EQ(outcome.signal, 0);
}

TEST(SubprocessTest, DigestsTheOutput) {
  const Outcome outcome = RunProgram(Shell("printf abc"));
  EXPECT_EQ(outcome.out_bytes, 3u);
  // The example of FIPS 180-2.
  EXPECT_EQ(outcome.out_sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(SubprocessTest, DigestsMoreOutputThanItKeeps) {
  Command command = Shell("head -c 10000000 /dev/zero");
  command.keep_output = false;
  const Outcome outcome = RunProgram(command);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.out_bytes, 10'000'000u);
  EXPECT_EQ(outcome.exit_status, 0);
}

TEST(SubprocessTest, TellsTheSignalThatEndedIt) {
  const Outcome outcome = RunProgram(Shell("kill -TERM $$"));
  EXPECT_EQ(outcome.signal, SIGTERM);
  EXPECT_EQ(outcome.exit_status, -1);
  EXPECT_FALSE(outcome.timed_out);
}

TEST(SubprocessTest, KillsAtTheTimeLimit) {
  Command command = Shell("echo started; exec sleep 1000");
  command.time_limit = absl::Milliseconds(200);
  const Outcome outcome = RunProgram(command);
  EXPECT_TRUE(outcome.timed_out);
  EXPECT_EQ(outcome.signal, SIGKILL);
  EXPECT_EQ(outcome.out, "started\n");
}

TEST(SubprocessTest, DoesNotWaitForWhatTheProgramLeftRunning) {
  const Outcome outcome = RunProgram(Shell("sleep 1000 & echo $!"));
  EXPECT_EQ(outcome.exit_status, 0);
  EXPECT_FALSE(outcome.timed_out);
  kill(std::stoi(outcome.out), SIGKILL);
}

TEST(SubprocessTest, AProgramThatIsNotThereIs127) {
  const Outcome outcome = RunProgram({.argv = {"/nowhere/program"}});
  EXPECT_EQ(outcome.exit_status, 127);
  EXPECT_THAT(outcome.err, HasSubstr("/nowhere/program: No such file or directory"));
}

TEST(SubprocessTest, ReadsFromAFileAndWritesToAFile) {
  const std::string path = ::testing::TempDir() + "written";
  Command write = Shell("echo text");
  write.stdout_path = path;
  EXPECT_EQ(RunProgram(write).out, "");
  Command read = Shell("cat");
  read.stdin_path = path;
  EXPECT_EQ(RunProgram(read).out, "text\n");
}

TEST(SubprocessTest, AddsToTheEnvironment) {
  Command command = Shell("echo $HOME");
  command.environment = {"HOME=/nowhere"};
  EXPECT_EQ(RunProgram(command).out, "/nowhere\n");
}

TEST(SubprocessTest, MeasuresMemoryAndProcessorTime) {
  const Outcome outcome = RunProgram(Shell("i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done"));
  EXPECT_GT(outcome.cpu, absl::ZeroDuration());
  EXPECT_GT(outcome.peak_resident_bytes, 0u);
}

TEST(SubprocessTest, CanBeHeldInTheMiddleOfItsOutput) {
  Subprocess process(Shell("while :; do echo 0123456789; done"));
  EXPECT_TRUE(process.AwaitOutput(1'000'000));
  EXPECT_TRUE(process.running());
  process.Signal(SIGTERM);
  const Outcome outcome = process.Finish();
  EXPECT_EQ(outcome.signal, SIGTERM);
  EXPECT_GE(outcome.out_bytes, 1'000'000u);
}

TEST(SubprocessTest, AwaitingMoreOutputThanThereIsEnds) {
  Subprocess process(Shell("echo 12345"));
  EXPECT_FALSE(process.AwaitOutput(100));
  EXPECT_EQ(process.Finish().out, "12345\n");
}

TEST(SubprocessTest, ItsOutputCanBeTakenForSomeTime) {
  Subprocess process(Shell("printf 12345; exec sleep 1000"));
  uint64_t bytes = 0;
  while (bytes < 5) bytes = process.TakeOutputFor(absl::Milliseconds(10));
  EXPECT_EQ(bytes, 5u);
  EXPECT_TRUE(process.running());
}

TEST(SubprocessTest, TakingTheOutputOfAProgramThatEndsDoesNotTakeLonger) {
  Subprocess process(Shell("printf 12345"));
  EXPECT_EQ(process.TakeOutputFor(absl::InfiniteDuration()), 5u);
  EXPECT_EQ(process.Finish().out, "12345");
}

}  // namespace
}  // namespace support
