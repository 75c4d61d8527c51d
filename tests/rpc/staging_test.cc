#include "rpc/staging.h"

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/rpc/segmented_feed.h"
#include "xdr/types.h"

namespace rpc {
namespace {

using Spans = std::vector<std::span<std::byte>>;

// Memory of two callers for payloads of six bytes, and heads of four.
struct Owners {
  std::array<std::byte, 6> one = {};
  std::array<std::byte, 6> two = {};
  Spans spans = {one, two};

  Staging::Layout layout() const { return {4, spans}; }
};

// Receives as the offer has it.
void Receive(Staging& staging, std::span<const std::span<std::byte>> offer,
             const std::string& text) {
  size_t at = 0;
  for (const std::span<std::byte> span : offer) {
    const size_t size = std::min(span.size(), text.size() - at);
    if (size != 0) std::memcpy(span.data(), text.data() + at, size);
    at += size;
  }
  ASSERT_EQ(at, text.size());
  staging.OnReceived(text.size());
}

// All that is staged, which is used up.
std::string Take(Staging& staging) {
  std::string text;
  while (!staging.empty()) {
    text += std::string(xdr::TextOf(staging.front()));
    staging.Use(staging.front().size());
  }
  return text;
}

TEST(Staging, OffersHeadsOfItsOwnAndThePayloadsMemoryInBetween) {
  Owners owners;
  Staging staging(64, 12);
  const auto offer = staging.Offer(owners.layout());
  ASSERT_EQ(offer.size(), 5u);
  for (const size_t head : {0, 2, 4}) EXPECT_EQ(offer[head].size(), 4u);
  EXPECT_EQ(offer[1].data(), owners.one.data());
  EXPECT_EQ(offer[3].data(), owners.two.data());
}

TEST(Staging, GivesWhatCameInItsOrderHoweverMuchItWas) {
  const std::string text = "HEADpayloaHEADpayloaHEAD";
  for (size_t size = 0; size <= text.size(); ++size) {
    Owners owners;
    Staging staging(64, 12);
    Receive(staging, staging.Offer(owners.layout()), text.substr(0, size));
    EXPECT_EQ(Take(staging), text.substr(0, size));
    EXPECT_EQ(staging.misses(), 0u);
  }
}

TEST(Staging, LeavesForeignMemoryOnceARecordEndsElsewhereThanForeseen) {
  const std::string text = "HEADpayloaHEADpayloaHEAD";
  for (size_t used = 0; used < text.size(); ++used) {
    Owners owners;
    Staging staging(64, 12);
    Receive(staging, staging.Offer(owners.layout()), text);
    for (size_t i = 0; i < used; ++i) staging.Use(1);
    staging.OnRecordEnd();
    const bool is_end_of_one = used % 10 == 0;
    const bool was_foreign_left = used < 20;
    EXPECT_EQ(staging.misses(), !is_end_of_one && was_foreign_left ? 1u : 0u) << used;
    if (!is_end_of_one) {
      owners.one.fill({});
      owners.two.fill({});
    }
    EXPECT_EQ(Take(staging), text.substr(used)) << used;
  }
}

TEST(Staging, OffersNoMoreThanItHasRoomForHeads) {
  Owners owners;
  EXPECT_TRUE(Staging(12, 12).CanOffer(owners.layout()));
  EXPECT_FALSE(Staging(11, 12).CanOffer(owners.layout()));
  EXPECT_FALSE(Staging(12, 12).CanOffer({}));
  EXPECT_FALSE(Staging(12, 12).CanOffer({0, owners.spans}));
  EXPECT_FALSE(Staging(12, 12).CanOffer({SIZE_MAX, owners.spans}));
}

TEST(Staging, OffersNoMoreForeignMemoryThanItCouldHaveToRescue) {
  Owners owners;
  EXPECT_TRUE(Staging(64, 12).CanOffer(owners.layout()));
  EXPECT_FALSE(Staging(64, 11).CanOffer(owners.layout()));
  EXPECT_FALSE(Staging(64).CanOffer(owners.layout()));
  const Spans too_many(Staging::kMostPayloads + 1, owners.one);
  EXPECT_FALSE(Staging(4096, 4096).CanOffer({4, too_many}));
}

}  // namespace
}  // namespace rpc
