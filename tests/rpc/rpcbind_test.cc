// What the port mapper and rpcbind are asked, and what their answers mean.
#include "rpc/rpcbind.h"

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/rpc/segmented_feed.h"
#include "tests/rpc/server_bytes.h"
#include "xdr/decoder.h"
#include "xdr/encoder.h"

namespace rpc {
namespace {

Bytes Encoded(const auto& value) {
  Bytes space(4096);
  xdr::Encoder encoder(space);
  encoder.Put(value);
  EXPECT_TRUE(encoder.ok());
  space.resize(encoder.size());
  return space;
}

TEST(AUniversalAddress, EndsInThePort) {
  const struct {
    absl::string_view address;
    int port;
  } cases[] = {
      {"192.0.2.7.8.1", 2049},
      {"::.8.1", 2049},
      {"fe80::1.8.1", 2049},
      {"0.0.0.0.8.1", 2049},
      {"2001:db8::5.156.84", 156 * 256 + 84},
      {"::1.0.111", 111},
      {"::ffff:192.0.2.1.3.255", 1023},
      {"[fe80::1%eth0].8.1", 2049},
      {"0.0.0.0.255.255", 65535},
      {"0.0.0.0.0.0", 0},
  };
  for (const auto& [address, port] : cases) {
    EXPECT_EQ(PortOfUniversalAddress(address), std::optional<uint16_t>(port)) << address;
  }
}

TEST(AUniversalAddress, ThatDoesNotEndInTwoOctetsHasNoPort) {
  for (absl::string_view address : {"",
                                    ".",
                                    "..",
                                    "...",
                                    "8.1",
                                    "1",
                                    "::",
                                    "::1",
                                    "::1.8",
                                    "localhost",
                                    "0.0.0.0.8.",
                                    "0.0.0.0..1",
                                    "0.0.0.0.8.256",
                                    "0.0.0.0.256.1",
                                    "0.0.0.0.8.-1",
                                    "0.0.0.0.8.+1",
                                    "0.0.0.0.8. 1",
                                    "0.0.0.0.8.1 ",
                                    "0.0.0.0.8 .1",
                                    "0.0.0.0.8.1\n",
                                    "0.0.0.0.8.0x1",
                                    "0.0.0.0.8.1a",
                                    "0.0.0.0.99999999999.1",
                                    "0.0.0.0.8.4294967297",
                                    "::1:2049",
                                    "[::1]:2049"}) {
    EXPECT_EQ(PortOfUniversalAddress(address), std::nullopt) << "\"" << address << "\"";
  }
  EXPECT_EQ(PortOfUniversalAddress(absl::string_view("0.0.0.0.8.1\0", 12)), std::nullopt);
}

TEST(Getport, AsksForAMapping) {
  EXPECT_EQ(Encoded(Mapping{100005, 3, IpProtocol::kUdp, 0}), Words({100005, 3, 17, 0}));
  const Bytes answer = Words({20048});
  EXPECT_EQ(xdr::Decoder(answer).Get<GetportResult>().port, 20048u);
}

TEST(Getaddr, AsksWithTheNetidOfTheConnection) {
  Rpcb rpcb;
  rpcb.program = 100005;
  rpcb.version = 3;
  rpcb.netid = RpcbString("tcp6");
  Bytes expected = Words({100005, 3});
  AppendOpaque(expected, xdr::BytesOf("tcp6"));
  Append(expected, Words({0, 0}));
  EXPECT_EQ(Encoded(rpcb), expected);
}

TEST(Getaddr, IsAnsweredByAnAddressOrByNone) {
  Bytes answer;
  AppendOpaque(answer, xdr::BytesOf("::.8.1"));
  EXPECT_EQ(xdr::Decoder(answer).Get<GetaddrResult>().address.text(), "::.8.1");
  const Bytes none = Words({0});
  EXPECT_EQ(xdr::Decoder(none).Get<GetaddrResult>().address.text(), "");
}

TEST(Getaddr, IsNotBelievedAnEndlessAddress) {
  Bytes answer;
  AppendOpaque(answer, Pattern(1025));
  xdr::Decoder decoder(answer);
  decoder.Get<GetaddrResult>();
  EXPECT_FALSE(decoder.ok());
}

}  // namespace
}  // namespace rpc
