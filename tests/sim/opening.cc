// Tested by tests/sim/world_test.cc.
#include "tests/sim/opening.h"

#include <optional>
#include <utility>

#include "client/target.h"
#include "io/resolver.h"

namespace sim {

namespace {

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

}  // namespace

nfs::Options OptionsOf(const Plan& plan, std::function<void(absl::string_view)> announce) {
  nfs::Options options;
  options.rsize = plan.client.rsize;
  options.slots = plan.client.slots;
  options.readahead = plan.client.readahead;
  options.least_readahead = plan.client.least_readahead;
  if (!plan.client.nconnect_is_automatic) options.nconnect = plan.client.nconnect;
  options.uid = options.gid = 0;
  options.timeout = plan.client.timeout;
  options.retransmissions = plan.client.retransmissions;
  options.connect_timeout = plan.client.connect_timeout;
  options.hard = plan.client.hard;
  options.announce = std::move(announce);
  return options;
}

absl::StatusOr<std::unique_ptr<nfs::Session>> OpenSession(std::unique_ptr<io::Transport> transport,
                                                          const Plan& plan, Site& site,
                                                          const nfs::Options& options) {
  nfs::Target target;
  target.host = "simulated";
  target.path = Site::kPath;
  nfs::Session::Environment environment;
  environment.transport = std::move(transport);
  environment.addresses = *site.Resolve();
  environment.resolver = std::make_unique<SiteResolver>(site);
  environment.seed = static_cast<uint32_t>(plan.seed);
  return nfs::Session::Open(std::move(environment), target, options);
}

}  // namespace sim
