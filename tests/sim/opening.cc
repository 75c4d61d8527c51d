// Tested by tests/sim/world_test.cc.
#include "tests/sim/opening.h"

#include <optional>
#include <utility>

#include "client/target.h"
// A client that asks its resolver again has this; the one before takes addresses.
#if __has_include("io/resolver.h")
#include "io/resolver.h"
#define SIM_HAS_RESOLVER 1
#endif

namespace sim {

namespace {

// What options get once they have it.
template <typename Options>
void SetSurvival(const Plan& plan, std::function<void(absl::string_view)> announce,
                 Options& options) {
  if constexpr (requires { options.hard; }) options.hard = plan.client.hard;
  if constexpr (requires { options.announce; }) options.announce = std::move(announce);
}

#ifdef SIM_HAS_RESOLVER
// Answers a question when it is looked at again.
class SiteResolver final : public io::Resolver {
 public:
  explicit SiteResolver(Site& site) : site_(site) {}

  std::optional<absl::StatusOr<io::Addresses>> Poll() override {
    if (std::exchange(asked_, !asked_)) return site_.Resolve();
    return std::nullopt;
  }

 private:
  Site& site_;
  bool asked_ = false;
};
#endif

}  // namespace

// GETPORT twice, EXPORT, MNT, LOOKUP twice, FSINFO, UMNT; and ACCESS in former times.
uint64_t PlannedOtherCalls() {
#ifdef SIM_HAS_RESOLVER
  return 8;
#else
  return 9;
#endif
}

nfs::Options OptionsOf(const Plan& plan, std::function<void(absl::string_view)> announce) {
  nfs::Options options;
  options.rsize = plan.client.rsize;
  options.slots = plan.client.slots;
  options.readahead = plan.client.readahead;
  options.uid = options.gid = 0;
  options.timeout = plan.client.timeout;
  options.retransmissions = plan.client.retransmissions;
  options.connect_timeout = plan.client.connect_timeout;
  SetSurvival(plan, std::move(announce), options);
  return options;
}

absl::StatusOr<std::unique_ptr<nfs::Session>> OpenSession(std::unique_ptr<io::Transport> transport,
                                                          [[maybe_unused]] const Plan& plan,
                                                          Site& site, const nfs::Options& options) {
  nfs::Target target;
  target.host = "simulated";
  target.path = Site::kPath;
#ifdef SIM_HAS_RESOLVER
  nfs::Session::Environment environment;
  environment.transport = std::move(transport);
  environment.addresses = *site.Resolve();
  environment.resolver = std::make_unique<SiteResolver>(site);
  environment.seed = static_cast<uint32_t>(plan.seed);
  return nfs::Session::Open(std::move(environment), target, options);
#else
  return nfs::Session::Open(std::move(transport), *site.Resolve(), target, options);
#endif
}

}  // namespace sim
