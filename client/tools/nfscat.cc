// nfscat: writes files off NFSv3 servers to standard output. --help and README.md say
// how it is used; client/file_reader.h is the same for programs.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/errors.h"
#include "client/options.h"
#include "client/target.h"
#include "client/tools/command_line.h"
#include "client/tools/complaints.h"
#include "client/tools/copy.h"
#include "client/tools/output.h"
#include "client/tools/stats_report.h"

namespace nfs {
namespace {

constexpr char kVersionText[] = "nfscat 0.1\n";

// As cat does: the reader of our pipe has seen enough, and nobody needs to be told.
[[noreturn]] void DieOfSigpipe() {
  std::signal(SIGPIPE, SIG_DFL);
  std::raise(SIGPIPE);
  _exit(static_cast<int>(ErrorKind::kLocal));
}

struct Job {
  Target target;
  Options options;
};

// Every target is understood before anything is written.
absl::StatusOr<std::vector<Job>> PlanJobs(const CommandLine& line) {
  Options defaults;
  if (!line.quiet) defaults.warn = Complain;
  if (!line.quiet) defaults.announce = Announce;
  if (line.verbose) defaults.note = Complain;
  std::vector<Job> jobs;
  for (const std::string& text : line.arguments.operands) {
    absl::StatusOr<Target> target = ParseTarget(text);
    if (!target.ok()) return Prepend(text + ": ", target.status());
    absl::StatusOr<Options> options = OptionsFor(line.arguments.connection, *target, defaults);
    if (!options.ok()) return Prepend(text + ": ", options.status());
    jobs.push_back({*std::move(target), *std::move(options)});
  }
  return jobs;
}

void Report(const Target& target, const StreamFacts& facts, const CommandLine& line) {
  std::string text;
  if (line.stats == CommandLine::Stats::kText) text = StatsText(facts);
  if (line.explain) text += Explanation(target.text, facts);
  // Last, and a line of its own, for those who read it by machine.
  if (line.stats == CommandLine::Stats::kJson) text += StatsJson(facts);
  std::fputs(text.c_str(), stderr);
}

// The exit status is the first error's; a target's error does not keep the others from
// being written, one of the output does.
int RunJobs(const std::vector<Job>& jobs, const CommandLine& line, Output& output) {
  const bool progress = line.progress.value_or(isatty(STDERR_FILENO) != 0);
  int exit_status = 0;
  for (const Job& job : jobs) {
    CopyWishes wishes = {.show_progress = progress};
    if (line.wants_facts()) {
      wishes.report = [&](const StreamFacts& facts) { Report(job.target, facts, line); };
    }
    const absl::Status status = Copy(job.target, job.options, line.range, wishes, output);
    if (output.reader_gone()) DieOfSigpipe();
    if (status.ok()) continue;
    const int failed = Fail(Prepend(job.target.text + ": ", status));
    if (exit_status == 0) exit_status = failed;
    if (!output.status().ok()) return exit_status;
  }
  const absl::Status closed = output.Close();
  return closed.ok() || exit_status != 0 ? exit_status : Fail(closed);
}

int Print(const std::string& text) {
  const bool printed = std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
  return static_cast<int>(printed ? ErrorKind::kNone : ErrorKind::kLocal);
}

int Main(int argc, char** argv) {
  NameProgram("nfscat");
  std::signal(SIGXFSZ, SIG_IGN);  // a file as large as it may get is an error of a write
  const absl::StatusOr<CommandLine> line = ParseCommandLine(argc, argv);
  if (!line.ok()) return Fail(line.status());
  if (line->help) return Print(HelpText());
  if (line->version) return Print(kVersionText);
  const absl::StatusOr<std::vector<Job>> jobs = PlanJobs(*line);
  if (!jobs.ok()) return Fail(jobs.status());
  absl::StatusOr<Output> output =
      line->output.has_value() ? Output::ToFile(*line->output) : Output::StandardOutput();
  if (!output.ok()) return Fail(output.status());
  return RunJobs(*jobs, *line, *output);
}

}  // namespace
}  // namespace nfs

int main(int argc, char** argv) { return nfs::Main(argc, argv); }
