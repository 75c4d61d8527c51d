// Tested by tests/bench/medians_test.cc.
#include "tests/bench/medians.h"

#include <cassert>

namespace bench {

double MedianRatio(const std::vector<double>& a, const std::vector<double>& b) {
  assert(a.size() == b.size());
  std::vector<double> ratios;
  for (size_t i = 0; i < a.size(); ++i) ratios.push_back(a[i] / b[i]);
  return Median(ratios);
}

}  // namespace bench
