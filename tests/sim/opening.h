// How a session is opened in a world.
#ifndef TESTS_SIM_OPENING_H_
#define TESTS_SIM_OPENING_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/options.h"
#include "client/session/session.h"
#include "io/transport.h"
#include "tests/sim/plan.h"
#include "tests/sim/site.h"

namespace sim {

// The options that the plan wants. `announce` is told what the client tells its user.
nfs::Options OptionsOf(const Plan& plan, std::function<void(absl::string_view)> announce);

// Calls other than READ that a world without trouble takes, opening and closing.
// GETPORT twice, EXPORT, MNT, LOOKUP twice, FSINFO, UMNT.
inline constexpr uint64_t kPlannedOtherCalls = 8;

// Opens Site::kPath. `site` must outlive the session.
absl::StatusOr<std::unique_ptr<nfs::Session>> OpenSession(std::unique_ptr<io::Transport> transport,
                                                          const Plan& plan, Site& site,
                                                          const nfs::Options& options);

}  // namespace sim

#endif  // TESTS_SIM_OPENING_H_
