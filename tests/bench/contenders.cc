#include "client/options.h"
#include "tests/bench/contenders.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/bench/libnfs.h"
#include "tests/support/runfile.h"
#include "tests/support/subprocess.h"

namespace bench {

namespace {

using Words = std::vector<std::string>;

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::string Option(const char* name, const auto& value) {
  return absl::StrCat("--", name, "=", value);
}

Words Floor(const Job& job) {
  return {support::Runfile("tests/bench/floor"), Option("rsize", job.rsize),
          Option("window", job.window), job.url};
}

std::vector<Contender> Floors(const CompareFlags& flags, const Job& job) {
  const Words check = Floor(job) + Words{"--verify"};
  const bool drops = flags.output == OutputKind::kNull;
  const Words plain = drops ? Floor(job) : Floor(job) + Words{"--write"};
  const Words lowat = plain + Words{"--lowat=1M"};
  return {{.name = "floor",
           .argv = plain,
           .writes_output = !drops,
           .check = check,
           .needs_order = true},
          {.name = "floor+lowat",
           .argv = lowat,
           .writes_output = !drops,
           .check = check + Words{"--lowat=1M"},
           .needs_order = true}};
}

Words Nfscat(const CompareFlags& flags, const Job& job) {
  Words argv = {support::Runfile("client/tools/nfscat"), "--no-progress",
                Option("rsize", job.rsize)};
  if (!flags.readahead.empty()) argv.push_back(Option("readahead", flags.readahead));
  if (!flags.nconnect.empty()) argv.push_back(Option("nconnect", flags.nconnect));
  if (flags.output == OutputKind::kFile) argv.push_back(Option("output", job.path));
  argv.push_back(job.url);
  return argv;
}

std::vector<Contender> Nfscats(const CompareFlags& flags, const Job& job) {
  const bool writes = flags.output != OutputKind::kFile;
  const Words argv = Nfscat(flags, job);
  return {{.name = "nfscat", .argv = argv, .writes_output = writes},
          {.name = "nfscat --io=poll", .argv = argv + Words{"--io=poll"}, .writes_output = writes}};
}

// It has no output.
std::vector<Contender> Readers(const CompareFlags& flags, const Job& job) {
  if (flags.output != OutputKind::kNull) return {};
  Words argv = {support::Runfile("tests/bench/reader"), Option("rsize", job.rsize)};
  if (!flags.readahead.empty()) argv.push_back(Option("readahead", flags.readahead));
  argv.push_back(job.url);
  return {{.name = "reader",
           .argv = argv,
           .writes_output = false,
           .check = argv + Words{Option("verify", job.size)}}};
}

std::vector<Contender> RandomReaders(const Job& job) {
  const Words argv = {support::Runfile("tests/bench/random_reads"),
                      Option("size", job.size),
                      Option("rsize", job.rsize),
                      Option("window", job.window),
                      Option("random", job.random),
                      job.url};
  return {
      {.name = "reader", .argv = argv, .writes_output = false, .check = argv + Words{"--verify"}}};
}

// The contenders are made for several jobs; what one lacks is told once.
void TellOnce(const std::string& text) {
  static auto* told = new std::set<std::string>();
  if (told->insert(text).second) std::fprintf(stderr, "compare: %s\n", text.c_str());
}

// Debian's tools take the size of a READ from the server.
std::vector<Contender> LibnfsTool(const char* name, const Job& job, const Words& arguments,
                                  bool writes) {
  if (job.rsize < kSmallestServerRsize) {
    TellOnce(absl::StrCat(name, " cannot have READs of ", nfs::FormatSize(job.rsize)));
    return {};
  }
  const std::string path = support::FindProgram(name);
  if (!path.empty()) {
    return {{.name = name, .argv = Words{path} + arguments, .writes_output = writes}};
  }
  TellOnce(absl::StrCat("no ", name, " here; bazel/install.sh benchmark brings it"));
  return {};
}

std::vector<Contender> LibnfsPipelines(const CompareFlags& flags, const Job& job) {
  if (flags.output != OutputKind::kNull) return {};
  if (const auto libnfs = LoadLibnfs(); !libnfs.ok()) {
    TellOnce(absl::StrCat(libnfs.status().message(), "; libnfs-utils brings it"));
    return {};
  }
  Words argv = {support::Runfile("tests/bench/libnfs_pipeline"), Option("size", job.size),
                Option("rsize", job.rsize), Option("window", job.window), job.url};
  if (job.random != 0) argv.push_back(Option("random", job.random));
  return {
      {.name = "libnfs", .argv = argv, .writes_output = false, .check = argv + Words{"--verify"}}};
}

std::vector<Contender> Streamers(const CompareFlags& flags, const Job& job) {
  std::vector<Contender> all;
  const auto add = [&](std::vector<Contender> some) {
    std::move(some.begin(), some.end(), std::back_inserter(all));
  };
  add(Floors(flags, job));
  add(Nfscats(flags, job));
  add(Readers(flags, job));
  add(LibnfsTool("nfs-cat", job, {job.url}, true));
  if (flags.output == OutputKind::kFile) {
    add(LibnfsTool("nfs-cp", job, {job.url, job.path}, false));
  }
  add(LibnfsPipelines(flags, job));
  return all;
}

std::vector<Contender> AtRandom(const CompareFlags& flags, const Job& job) {
  std::vector<Contender> all = RandomReaders(job);
  std::vector<Contender> peers = LibnfsPipelines(flags, job);
  std::move(peers.begin(), peers.end(), std::back_inserter(all));
  return all;
}

}  // namespace

std::vector<Contender> ContendersFor(const CompareFlags& flags, const Job& job) {
  std::vector<Contender> all = job.random != 0 ? AtRandom(flags, job) : Streamers(flags, job);
  std::erase_if(all, [&](const Contender& contender) {
    return !flags.only.empty() && std::ranges::find(flags.only, contender.name) == flags.only.end();
  });
  return all;
}

}  // namespace bench
