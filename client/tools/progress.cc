// Tested by tests/client/progress_test.cc.
#include "client/tools/progress.h"

#include <cstdio>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace nfs {

namespace {

constexpr absl::Duration kInterval = absl::Milliseconds(250);

std::string Amount(double bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(kUnits); ++unit) bytes /= 1024;
  if (unit == 0) return absl::StrFormat("%.0f B", bytes);
  return absl::StrFormat("%.2f %s", bytes, kUnits[unit]);
}

}  // namespace

Progress::Progress(bool shown, uint64_t total, absl::Time now, std::string title)
    : shown_(shown), total_(total), start_(now), title_(std::move(title)), next_(now + kInterval) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

std::string Progress::Line(uint64_t bytes, uint64_t total, absl::Duration elapsed) {
  const double amount = static_cast<double>(bytes);
  std::string line = Amount(amount);
  if (total != 0) {
    absl::StrAppend(&line, " of ", Amount(static_cast<double>(total)),
                    absl::StrFormat("  %.0f%%", 100 * amount / static_cast<double>(total)));
  }
  const double seconds = absl::ToDoubleSeconds(elapsed);
  if (seconds > 0) absl::StrAppend(&line, "  ", Amount(amount / seconds), "/s");
  return line;
}

void Progress::Update(uint64_t bytes, absl::Time now) {
  if (!shown_ || now < next_) return;
  next_ = now + kInterval;
  drawn_ = true;
  std::fprintf(stderr, "\r\033[K%s%s", title_.c_str(), Line(bytes, total_, now - start_).c_str());
}

}  // namespace nfs
