// The fixture of the contract tests: a harness, and the few lines that drive it.
#ifndef TESTS_IO_CONTRACT_FIXTURE_H_
#define TESTS_IO_CONTRACT_FIXTURE_H_

#include <cstddef>
#include <deque>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/io/harness.h"

namespace io {

inline std::string RandomText(size_t size, uint32_t seed) {
  std::mt19937 random(seed);
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

inline std::span<const std::byte> BytesOf(const std::string& text) {
  return std::as_bytes(std::span(text));
}

// Waits for ever: a transport that does not give what it owes is found by the time
// limit of the test program.
class Contract : public testing::TestWithParam<World> {
 protected:
  void SetUp() override {
    std::string why_not;
    harness_ = MakeHarness(GetParam(), &why_not);
    if (harness_ == nullptr) GTEST_SKIP() << "NOT TESTED here: " << why_not;
  }

  Transport& transport() { return harness_->transport(); }
  bool is_simulated() const { return GetParam() == World::kSimulated; }

  // The next event of this kind. Those that come before it are kept for later.
  Event Await(Event::Kind kind) {
    for (;;) {
      for (auto event = events_.begin(); event != events_.end(); ++event) {
        if (event->kind != kind) continue;
        Event found = *std::move(event);
        events_.erase(event);
        return found;
      }
      const Turn turn = transport().Wait(absl::InfiniteFuture());
      events_.insert(events_.end(), turn.events.begin(), turn.events.end());
    }
  }

  ConnectionId Connect(const Address& address, const ConnectOptions& options = {}) {
    const absl::StatusOr<ConnectionId> id = transport().Connect(address, options);
    EXPECT_TRUE(id.ok()) << id.status();
    const Event event = Await(Event::Kind::kConnected);
    EXPECT_TRUE(event.status.ok()) << event.status;
    EXPECT_EQ(event.connection, *id);
    return *id;
  }

  // The event of one receive into `space`.
  Event Receive(ConnectionId id, std::span<std::byte> space, size_t promised = 1) {
    transport().StartReceive(id, {.first = space, .second = {}, .promised = promised});
    return Await(Event::Kind::kReceived);
  }

  // So many bytes, by receives of all of the rest with all of it promised.
  std::string ReceiveText(ConnectionId id, size_t size) {
    std::string text(size, '\0');
    std::span<std::byte> left = std::as_writable_bytes(std::span(text));
    while (!left.empty()) {
      const Event event = Receive(id, left, left.size());
      EXPECT_TRUE(event.status.ok()) << event.status;
      if (!event.status.ok()) break;
      left = left.subspan(event.bytes);
    }
    return text;
  }

  void SendText(ConnectionId id, const std::string& text) {
    for (std::span<const std::byte> left = BytesOf(text); !left.empty();) {
      transport().StartSend(id, left);
      const Event event = Await(Event::Kind::kSent);
      ASSERT_TRUE(event.status.ok()) << event.status;
      left = left.subspan(event.bytes);
    }
  }

  std::unique_ptr<Harness> harness_;
  std::deque<Event> events_;
};

inline constexpr World kWorlds[] = {World::kUring, World::kPoll, World::kSimulated};

inline std::string NameOfParam(const testing::TestParamInfo<World>& info) {
  return NameOf(info.param);
}

}  // namespace io

#endif  // TESTS_IO_CONTRACT_FIXTURE_H_
