// Addresses: how they are written, and how names become addresses.
#include "io/address.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace io {
namespace {

Address Ipv6(const char* literal, uint16_t port, uint32_t scope = 0) {
  sockaddr_in6 address = {};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(port);
  address.sin6_scope_id = scope;
  EXPECT_EQ(inet_pton(AF_INET6, literal, &address.sin6_addr), 1);
  return Address(reinterpret_cast<const sockaddr*>(&address), sizeof(address));
}

std::string First(const std::string& host, uint16_t port) {
  const auto addresses = Resolve(host, port);
  if (!addresses.ok()) return std::string(addresses.status().message());
  EXPECT_EQ(addresses->size(), 1u) << "each address once";
  return addresses->front().ToString();
}

TEST(AddressText, NamesThePortAndTheScope) {
  EXPECT_EQ(Address::Loopback(2049).ToString(), "127.0.0.1:2049");
  EXPECT_EQ(Ipv6("2001:db8::7", 2049).ToString(), "[2001:db8::7]:2049");
  EXPECT_EQ(Ipv6("fe80::7", 111, if_nametoindex("lo")).ToString(), "[fe80::7%lo]:111");
  EXPECT_EQ(Ipv6("::ffff:192.0.2.7", 0).ToString(), "[::ffff:192.0.2.7]:0");
  EXPECT_EQ(Address().ToString(), "(no address)");
}

TEST(AddressPort, IsReadAndReplacedInBothFamilies) {
  const Address v4 = Address::Loopback(111);
  EXPECT_EQ(v4.port(), 111);
  EXPECT_EQ(v4.WithPort(65535).ToString(), "127.0.0.1:65535");
  EXPECT_EQ(Ipv6("::1", 111).WithPort(2049).ToString(), "[::1]:2049");
  EXPECT_EQ(Address().port(), 0);
}

TEST(Resolving, TakesLiteralsOfBothFamilies) {
  EXPECT_EQ(First("192.0.2.7", 2049), "192.0.2.7:2049");
  EXPECT_EQ(First("2001:db8::7", 2049), "[2001:db8::7]:2049");
  EXPECT_EQ(First("fe80::7%lo", 20048), "[fe80::7%lo]:20048");
}

TEST(Resolving, KnowsTheNameOfThisHost) {
  const auto addresses = Resolve("localhost", 111);
  ASSERT_TRUE(addresses.ok()) << addresses.status();
  for (const Address& address : *addresses) {
    EXPECT_THAT(address.ToString(), testing::AnyOf("127.0.0.1:111", "[::1]:111"));
  }
}

TEST(Resolving, WhatIsNoHostIsNotFound) {
  const std::string with_nul("127.0.0.1\0.example", 18);
  for (const std::string& host : {std::string(), with_nul}) {
    const absl::Status status = Resolve(host, 2049).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kNotFound) << status;
    EXPECT_EQ(std::string(status.message()),
              "getaddrinfo: EAI_NONAME (-2): Name or service not known [" + host + "]");
  }
}

// With no name server to be reached the resolver cannot know, and has to say so.
TEST(Resolving, AReservedNameIsNotFoundOrNotToBeFoundOutNow) {
  const absl::Status status = Resolve("no-such-host.invalid", 2049).status();
  EXPECT_THAT(status.code(),
              testing::AnyOf(absl::StatusCode::kNotFound, absl::StatusCode::kUnavailable));
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("[no-such-host.invalid]"));
}

}  // namespace
}  // namespace io
