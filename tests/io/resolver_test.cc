// The system's resolver, asked without waiting for it.
#include "io/resolver.h"

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace io {
namespace {

using testing::HasSubstr;

// Longer than any name may be, so that nobody on the network is asked for it.
const std::string kNoName(300, 'x');

absl::StatusOr<Addresses> Await(Resolver& resolver) {
  for (;;) {
    if (auto answer = resolver.Poll()) return *std::move(answer);
    std::this_thread::yield();
  }
}

TEST(Resolver, GivesTheAddressesOfTheLocalHost) {
  const auto resolver = MakeResolver("localhost");
  const auto answer = Await(*resolver);
  ASSERT_TRUE(answer.ok()) << answer.status();
  ASSERT_FALSE(answer->empty());
  for (const Address& address : *answer) {
    EXPECT_EQ(address.port(), 0);
    EXPECT_THAT(address.ToString(), testing::AnyOf(HasSubstr("127."), HasSubstr("::1")));
  }
}

TEST(Resolver, GivesTheSameAsResolve) {
  for (const char* host : {"localhost", "192.0.2.7", "2001:db8::7"}) {
    const auto expected = Resolve(host, 0);
    const auto resolver = MakeResolver(host);
    const auto answer = Await(*resolver);
    ASSERT_EQ(answer.ok(), expected.ok()) << host;
    if (!answer.ok()) continue;
    ASSERT_EQ(answer->size(), expected->size());
    for (size_t i = 0; i < answer->size(); ++i) {
      EXPECT_EQ((*answer)[i].ToString(), (*expected)[i].ToString());
    }
  }
}

TEST(Resolver, AnswersANameThatThereIsNotWithAnError) {
  const auto resolver = MakeResolver(kNoName);
  const auto answer = Await(*resolver);
  EXPECT_FALSE(answer.ok());
  EXPECT_THAT(std::string(answer.status().message()), HasSubstr("getaddrinfo"));
}

TEST(Resolver, CanBeAskedAgainAndAgain) {
  const auto good = MakeResolver("127.0.0.1");
  const auto bad = MakeResolver(kNoName);
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(Await(*good).ok());
    EXPECT_FALSE(Await(*bad).ok());
  }
}

TEST(Resolver, MayBeDestroyedBeforeItIsAskedAndWhileItAsks) {
  for (int i = 0; i < 100; ++i) {
    const auto never_asked = MakeResolver("localhost");
    const auto asking = MakeResolver(i % 2 == 0 ? "localhost" : kNoName);
    for (int polls = 0; polls <= i % 3; ++polls) asking->Poll();
  }
}

}  // namespace
}  // namespace io
