#include "tests/bench/trial.h"

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tests/bench/syscall_count.h"
#include "tests/support/runfile.h"
#include "tests/support/subprocess.h"

namespace bench {

namespace {

absl::Status Expect(const Usage& usage, const std::string& name) {
  if (usage.exit_status == 0) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(name, " failed, exit status ", usage.exit_status));
}

// A client and a consumer at both ends of a pipe. The client is what is measured.
struct Pipeline {
  Pipeline(Program client_program, Program consumer_program) {
    Pipe pipe = MakePipe();
    consumer_program.in = pipe.read_end.get();
    client_program.out = pipe.write_end.get();
    consumer = Start(consumer_program);
    client = Start(client_program);
  }

  pid_t consumer;
  pid_t client;
};

Program Cat(const Processors& processors) {
  return {.argv = {support::FindProgram("cat")}, .cpu = processors.consumer};
}

Program Verifier(uint64_t size) {
  return {.argv = {support::Runfile("tests/bench/verify"), absl::StrCat(size)}};
}

}  // namespace

Program TrialRunner::ClientOf(const Contender& contender) const {
  return {.argv = contender.argv, .cpu = processors_.client};
}

// Of a contender that writes to standard output. A file is made anew, whoever writes it.
io::UniqueFd TrialRunner::OpenOutput(const Contender& contender) const {
  if (output_ != OutputKind::kFile) return io::UniqueFd();
  unlink(job_.path.c_str());
  if (!contender.writes_output) return io::UniqueFd();
  return io::UniqueFd(open(job_.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
}

absl::StatusOr<Trial> TrialRunner::Run(const Contender& contender) const {
  Trial trial;
  Program client = ClientOf(contender);
  const io::UniqueFd output = OpenOutput(contender);
  client.out = output.get();
  const absl::Time begin = absl::Now();
  if (output_ == OutputKind::kPipe) {
    const Pipeline pipeline(client, Cat(processors_));
    trial.usage = Await(pipeline.client);
    const absl::Status status = Expect(Await(pipeline.consumer), "cat");
    if (!status.ok()) return status;
  } else {
    trial.usage = Await(Start(client));
  }
  trial.seconds = absl::ToDoubleSeconds(absl::Now() - begin);
  const absl::Status status = Expect(trial.usage, contender.name);
  if (!status.ok()) return status;
  return trial;
}

absl::Status TrialRunner::Check(const Contender& contender) const {
  if (!contender.check.empty()) {
    return Expect(Await(Start({.argv = contender.check})), contender.name);
  }
  return output_ == OutputKind::kFile ? CheckFile(contender) : CheckPiped(contender);
}

absl::Status TrialRunner::CheckPiped(const Contender& contender) const {
  const Pipeline pipeline(ClientOf(contender), Verifier(job_.size));
  const absl::Status status = Expect(Await(pipeline.client), contender.name);
  const absl::Status verified = Expect(Await(pipeline.consumer), "verify");
  return status.ok() ? verified : status;
}

absl::Status TrialRunner::CheckFile(const Contender& contender) const {
  const absl::StatusOr<Trial> trial = Run(contender);
  if (!trial.ok()) return trial.status();
  const io::UniqueFd file(open(job_.path.c_str(), O_RDONLY | O_CLOEXEC));
  Program verifier = Verifier(job_.size);
  verifier.in = file.get();
  return Expect(Await(Start(verifier)), "verify");
}

std::optional<uint64_t> TrialRunner::CountSyscalls(const Contender& contender) const {
  Program client = ClientOf(contender);
  const io::UniqueFd output = OpenOutput(contender);
  client.out = output.get();
  if (output_ != OutputKind::kPipe) return bench::CountSyscalls(client);
  Pipe pipe = MakePipe();
  Program cat = Cat(processors_);
  cat.in = pipe.read_end.get();
  client.out = pipe.write_end.get();
  const pid_t consumer = Start(cat);
  const std::optional<uint64_t> count = bench::CountSyscalls(client);
  pipe = Pipe();
  Await(consumer);
  return count;
}

}  // namespace bench
