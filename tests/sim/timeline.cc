// Tested by tests/sim/world_test.cc.
#include "tests/sim/timeline.h"

#include "absl/strings/str_format.h"

namespace sim {

namespace {

// Where every simulated network's clock begins.
const absl::Time kBegin = absl::FromUnixSeconds(1'000'000'000);

}  // namespace

void Timeline::AddLine(absl::Time time, const std::string& text) {
  lines_.push_back(absl::StrFormat("%14.6f  %s", absl::ToDoubleSeconds(time - kBegin), text));
  if (mode_ != Mode::kPrint) return;
  std::puts(lines_.back().c_str());
  std::fflush(stdout);
}

}  // namespace sim
