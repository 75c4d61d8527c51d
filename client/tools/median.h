// What is left of many measurements.
#ifndef CLIENT_TOOLS_MEDIAN_H_
#define CLIENT_TOOLS_MEDIAN_H_

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <vector>

namespace nfs {

// The middle one; the mean of the two middle ones of an even number. REQUIRES: not empty.
inline double Median(std::vector<double> values) {
  assert(!values.empty());
  std::ranges::sort(values);
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace nfs

#endif  // CLIENT_TOOLS_MEDIAN_H_
