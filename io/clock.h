// The clock of the transports that live in real time.
#ifndef IO_CLOCK_H_
#define IO_CLOCK_H_

#include "absl/time/time.h"

namespace io {

// Starts at the wall clock's time and then goes on steadily, whatever the wall clock
// is set to meanwhile: a deadline is never missed or hit because of that. Any thread.
absl::Time SteadyNow();

}  // namespace io

#endif  // IO_CLOCK_H_
