// What happened in a world, one line per event, with its virtual time.
#ifndef TESTS_SIM_TIMELINE_H_
#define TESTS_SIM_TIMELINE_H_

#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace sim {

// Costs nothing when it is off. Thread-compatible.
class Timeline {
 public:
  enum class Mode : uint8_t { kOff, kKeep, kPrint };

  // kPrint: to standard output too, at once, so that nothing is lost in a crash.
  explicit Timeline(Mode mode = Mode::kOff) : mode_(mode) {}

  bool on() const { return mode_ != Mode::kOff; }
  // `words` as for absl::StrCat.
  template <typename... Words>
  void Add(absl::Time time, const Words&... words) {
    if (on()) AddLine(time, absl::StrCat(words...));
  }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  void AddLine(absl::Time time, const std::string& text);

  const Mode mode_;
  std::vector<std::string> lines_;
};

}  // namespace sim

#endif  // TESTS_SIM_TIMELINE_H_
