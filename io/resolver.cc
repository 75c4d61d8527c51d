// Tested by tests/io/resolver_test.cc.
#include "io/resolver.h"

#include <chrono>
#include <future>
#include <system_error>
#include <thread>
#include <utility>

namespace io {

namespace {

class SystemResolver final : public Resolver {
 public:
  explicit SystemResolver(std::string host) : host_(std::move(host)) {}

  std::optional<absl::StatusOr<Addresses>> Poll() override {
    if (!asked_.valid()) Ask();
    if (!asked_.valid()) return std::nullopt;
    if (asked_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return std::nullopt;
    auto answer = asked_.get();
    Ask();  // the next answer is to be there when it is looked for
    return answer;
  }

 private:
  // Not std::async: its future waits for the answer when it is destroyed.
  void Ask() {
    std::packaged_task<absl::StatusOr<Addresses>()> task(
        [host = host_] { return Resolve(host, 0); });
    asked_ = task.get_future();
    try {
      std::thread(std::move(task)).detach();
    } catch (const std::system_error&) {
      asked_ = {};  // no thread is to be had now: the next Poll() tries again
    }
  }

  const std::string host_;
  std::future<absl::StatusOr<Addresses>> asked_;
};

}  // namespace

std::unique_ptr<Resolver> MakeResolver(std::string host) {
  return std::make_unique<SystemResolver>(std::move(host));
}

}  // namespace io
