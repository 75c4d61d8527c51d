// Tested by tests/bench/report_test.cc.
#include "tests/bench/report.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace bench {

namespace {

constexpr std::array kMeasures = {"floor", "floor+lowat", "libnfs", "nfs-cat", "nfs-cp"};

std::vector<const Series*> MeasuresOf(const Results& results) {
  std::vector<const Series*> measures;
  for (const char* name : kMeasures) {
    for (const Result& result : results.all) {
      if (result.series.name == name) measures.push_back(&result.series);
    }
  }
  return measures;
}

double ReadsOf(const Results& results) {
  return static_cast<double>((results.bytes + results.rsize - 1) / results.rsize);
}

// The numbers of a line.
struct Medians {
  Medians(const Results& results, const Result& result)
      : gib(static_cast<double>(results.bytes) / (1 << 30)),
        gib_per_second(gib / Median(result.series.seconds)),
        cpu_per_gib(Median(result.series.cpu_seconds) / gib),
        reads_per_second(ReadsOf(results) / Median(result.series.seconds)),
        cpu_us_per_read(Median(result.series.cpu_seconds) * 1e6 / ReadsOf(results)),
        switches_per_read(Median(result.series.switches) / ReadsOf(results)),
        peak_mib(Median(result.series.peak_bytes) / (1 << 20)) {}

  double gib;
  double gib_per_second;
  double cpu_per_gib;
  double reads_per_second;
  double cpu_us_per_read;
  double switches_per_read;
  double peak_mib;
};

double CpuRatio(const Series& one, const Series& other) {
  return MedianRatio(one.cpu_seconds, other.cpu_seconds);
}
// How many times as many bytes in the same time.
double SpeedRatio(const Series& one, const Series& other) {
  return MedianRatio(other.seconds, one.seconds);
}

std::string Row(const Results& results, const Result& result) {
  const Medians medians(results, result);
  std::string row =
      absl::StrFormat("%-17s %6.2f %8.1f %9.4f %8.2f %8.3f", result.series.name,
                      medians.gib_per_second, medians.reads_per_second / 1000, medians.cpu_per_gib,
                      medians.cpu_us_per_read, medians.switches_per_read);
  absl::StrAppend(&row, result.syscalls_per_read
                            ? absl::StrFormat(" %8.3f", *result.syscalls_per_read)
                            : absl::StrFormat(" %8s", "-"));
  absl::StrAppend(&row, absl::StrFormat(" %6.0f", medians.peak_mib));
  for (const Series* measure : MeasuresOf(results)) {
    absl::StrAppend(&row, absl::StrFormat("  %5.2f %5.2f", CpuRatio(result.series, *measure),
                                          SpeedRatio(result.series, *measure)));
  }
  return row + "\n";
}

std::string Heading(const Results& results) {
  std::string names = absl::StrFormat("%-43s %-33s", "", "-------- per READ -------");
  std::string columns = absl::StrFormat("%-17s %6s %8s %9s %8s %8s %8s %6s", "", "GiB/s", "kREAD/s",
                                        "CPU s/GiB", "CPU us", "waits", "syscalls", "MiB");
  for (const Series* measure : MeasuresOf(results)) {
    absl::StrAppend(&names, absl::StrFormat("  %11s", measure->name));
    absl::StrAppend(&columns, absl::StrFormat("  %5s %5s", "xCPU", "xGiB/s"));
  }
  return names + "\n" + columns + "\n";
}

std::string RatiosJson(const Results& results, const Series& series,
                       double (*ratio)(const Series&, const Series&)) {
  std::vector<std::string> parts;
  for (const Series* measure : MeasuresOf(results)) {
    parts.push_back(absl::StrFormat("\"%s\": %.3f", measure->name, ratio(series, *measure)));
  }
  return "{" + absl::StrJoin(parts, ", ") + "}";
}

std::string Line(const Results& results, const Result& result) {
  const Medians medians(results, result);
  const Series& series = result.series;
  std::string line = absl::StrFormat(
      "{\"contender\": \"%s\", \"server\": \"%s\", \"output\": \"%s\", \"rsize\": %d, "
      "\"bytes\": %d, \"runs\": %d, \"gib_per_second\": %.3f, \"cpu_seconds_per_gib\": %.4f, "
      "\"reads_per_second\": %.0f, \"cpu_us_per_read\": %.3f, "
      "\"voluntary_switches_per_read\": %.4f, \"peak_mib\": %.1f",
      series.name, results.server, results.output, results.rsize, results.bytes,
      series.seconds.size(), medians.gib_per_second, medians.cpu_per_gib, medians.reads_per_second,
      medians.cpu_us_per_read, medians.switches_per_read, medians.peak_mib);
  if (result.syscalls_per_read) {
    absl::StrAppend(&line,
                    absl::StrFormat(", \"syscalls_per_read\": %.4f", *result.syscalls_per_read));
  }
  return absl::StrCat(line, ", \"cpu_ratio\": ", RatiosJson(results, series, CpuRatio),
                      ", \"speed_ratio\": ", RatiosJson(results, series, SpeedRatio), "}\n");
}

}  // namespace

std::string TableText(const Results& results) {
  std::string text = absl::StrCat("\n", results.title, "\n", Heading(results));
  for (const Result& result : results.all) text += Row(results, result);
  return text;
}

std::string JsonText(const Results& results) {
  std::string text;
  for (const Result& result : results.all) text += Line(results, result);
  return text;
}

}  // namespace bench
