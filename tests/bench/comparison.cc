#include "tests/bench/comparison.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/options.h"
#include "tests/bench/contenders.h"
#include "tests/bench/site.h"
#include "tests/bench/trial.h"

namespace bench {

namespace {

// Enough READs to be counted; each takes ptrace(2) as long as many do by themselves.
constexpr uint64_t kCountedReads = 1024;

const char* ServerName(ServerKind kind) { return kind == ServerKind::kLoad ? "load" : "ganesha"; }

const char* OutputName(OutputKind kind) {
  constexpr const char* kNames[] = {"null", "pipe", "file"};
  return kNames[static_cast<int>(kind)];
}

// In memory.
std::string OutputPath() { return absl::StrCat("/dev/shm/compare-output-", getpid()); }

class Comparison {
 public:
  Comparison(const CompareFlags& flags, uint32_t rsize, const Processors& processors)
      : flags_(flags),
        rsize_(rsize),
        size_(FileSize(flags, rsize)),
        counted_reads_(std::min(Reads(size_), kCountedReads)),
        processors_(processors) {}
  ~Comparison() { unlink(path_.c_str()); }

  absl::StatusOr<Results> Run() {
    auto site = StartSite(flags_.server, std::max(rsize_, kSmallestServerRsize), processors_.server,
                          Files());
    if (!site.ok()) return site.status();
    site_ = *std::move(site);
    absl::Status status = Prepare();
    for (int round = 0; status.ok() && round < flags_.runs; ++round) {
      ShowProgress(
          absl::StrCat(nfs::FormatSize(rsize_), ": round ", round + 1, " of ", flags_.runs));
      status = RunRound();
    }
    ShowProgress("");
    if (!status.ok()) return status;
    return results_;
  }

 private:
  uint64_t Reads(uint64_t bytes) const { return (bytes + rsize_ - 1) / rsize_; }
  uint64_t CountedBytes() const { return std::min(size_, counted_reads_ * rsize_); }
  std::vector<SiteFile> Files() const {
    return {{"file", size_}, {"counted", CountedBytes()}, {"one", 1}};
  }
  // `reads` are the READs of that file, or as many at random.
  Job JobOf(const std::string& name, uint64_t size, uint64_t reads) const {
    return {.url = site_->Url(name),
            .size = size,
            .rsize = rsize_,
            .window = WindowFor(flags_, rsize_),
            .path = path_,
            .random = flags_.random != 0 ? reads : 0};
  }

  absl::Status Prepare() {
    job_ = JobOf("file", size_, flags_.random);
    contenders_ = ContendersFor(flags_, job_);
    results_.title = Title();
    results_.server = ServerName(flags_.server);
    results_.output = flags_.random != 0 ? "random" : OutputName(flags_.output);
    results_.bytes = flags_.random != 0 ? flags_.random * rsize_ : size_;
    results_.rsize = rsize_;
    for (const Contender& contender : contenders_) {
      ShowProgress(absl::StrCat(nfs::FormatSize(rsize_), ": checking ", contender.name));
      const absl::Status status = Check(contender);
      if (!status.ok()) return status;
      results_.all.push_back({.series = {.name = contender.name}});
    }
    CountSyscalls();
    return absl::OkStatus();
  }

  std::string Title() const {
    const std::string what =
        flags_.random != 0
            ? absl::StrCat(flags_.random, " random READs of ", nfs::FormatSize(rsize_), " in ",
                           nfs::FormatSize(size_), " from the ", ServerName(flags_.server),
                           " server")
            : absl::StrCat(nfs::FormatSize(size_), " from the ", ServerName(flags_.server),
                           " server to ", OutputName(flags_.output), ", READs of ",
                           nfs::FormatSize(rsize_));
    return absl::StrCat(what, ", medians of ", flags_.runs, " rounds");
  }

  absl::Status Check(const Contender& contender) const {
    if (contender.needs_order && flags_.server == ServerKind::kGanesha) return absl::OkStatus();
    return TrialRunner(flags_.output, job_, processors_).Check(contender);
  }

  // What one READ takes, opening and all, is not the others'.
  void CountSyscalls() {
    const auto some = CountAt(JobOf("counted", CountedBytes(), counted_reads_));
    const auto none = CountAt(JobOf("one", 1, 1));
    if (counted_reads_ < 2) return;
    for (size_t i = 0; i < contenders_.size(); ++i) {
      if (!some[i] || !none[i]) continue;
      const double calls = static_cast<double>(*some[i]) - static_cast<double>(*none[i]);
      results_.all[i].syscalls_per_read = calls / static_cast<double>(counted_reads_ - 1);
    }
  }

  std::vector<std::optional<uint64_t>> CountAt(const Job& job) const {
    const TrialRunner runner(flags_.output, job, processors_);
    std::vector<std::optional<uint64_t>> counts;
    for (const Contender& contender : ContendersFor(flags_, job)) {
      ShowProgress(absl::StrCat(nfs::FormatSize(rsize_), ": counting ", contender.name));
      counts.push_back(runner.CountSyscalls(contender));
    }
    return counts;
  }

  absl::Status RunRound() {
    const TrialRunner runner(flags_.output, job_, processors_);
    for (size_t i = 0; i < contenders_.size(); ++i) {
      const absl::StatusOr<Trial> trial = runner.Run(contenders_[i]);
      if (!trial.ok()) return trial.status();
      Series& series = results_.all[i].series;
      series.seconds.push_back(trial->seconds);
      series.cpu_seconds.push_back(trial->usage.cpu_seconds);
      series.switches.push_back(static_cast<double>(trial->usage.voluntary_switches));
      series.peak_bytes.push_back(static_cast<double>(trial->usage.peak_bytes));
    }
    return absl::OkStatus();
  }

  const CompareFlags& flags_;
  const uint32_t rsize_;
  const uint64_t size_;
  const uint64_t counted_reads_;
  const Processors& processors_;
  const std::string path_ = OutputPath();
  std::unique_ptr<Site> site_;
  Job job_;
  std::vector<Contender> contenders_;
  Results results_;
};

}  // namespace

absl::StatusOr<Results> Compare(const CompareFlags& flags, uint32_t rsize,
                                const Processors& processors) {
  return Comparison(flags, rsize, processors).Run();
}

void ShowProgress(const std::string& text) {
  if (isatty(STDERR_FILENO) != 0) std::fprintf(stderr, "\r\x1b[K%s", text.c_str());
}

}  // namespace bench
