// The NFSv3 and MOUNT messages by themselves; tests/oracle/ has the outside judges.
#include <string>
#include <vector>

#include "client/protocol/mount3.h"
#include "client/protocol/nfs3.h"
#include "client/protocol/nfs3_read.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xdr/decoder.h"
#include "xdr/encoder.h"
#include "xdr/printer.h"

namespace nfs3 {
namespace {

std::vector<std::byte> Encoded(const auto& value) {
  std::vector<std::byte> space(1 << 16);
  xdr::Encoder encoder(space);
  encoder.Put(value);
  EXPECT_TRUE(encoder.ok());
  space.resize(encoder.size());
  return space;
}

Read3Res SomeRead(bool attributes, xdr::ByteView data) {
  Read3Res result;
  if (attributes) result.file_attributes.emplace().size = 99;
  result.count = static_cast<uint32_t>(data.size());
  result.eof = true;
  result.data.Assign(data);
  return result;
}

// What the locator says when it gets the first `size` bytes only.
rpc::PayloadPlace LocateIn(const std::vector<std::byte>& results, size_t size) {
  return LocateReadData(xdr::ByteView(results).first(size));
}

TEST(ReadData, IsFoundWhereTheDescriptionPutsIt) {
  const std::vector<std::byte> data(77, std::byte{0xda});
  for (bool attributes : {false, true}) {
    const std::vector<std::byte> results = Encoded(SomeRead(attributes, data));
    const size_t head = results.size() - 80;
    EXPECT_EQ(head, attributes ? 104u : 20u);
    for (size_t size = 0; size < head; ++size) {
      const rpc::PayloadPlace place = LocateIn(results, size);
      EXPECT_FALSE(place.found) << size;
      EXPECT_GT(place.results_bytes, size) << "must ask for more, or wait for ever";
      EXPECT_LE(place.results_bytes, head) << "must not ask for more than comes";
    }
    const rpc::PayloadPlace place = LocateIn(results, head);
    EXPECT_TRUE(place.found);
    EXPECT_EQ(place.results_bytes, head);
    EXPECT_EQ(place.payload_bytes, 77u);
    xdr::Decoder decoder(xdr::ByteView(results).first(head));
    const auto decoded = decoder.Get<Read3Head>();
    EXPECT_TRUE(decoder.Finish().ok());
    EXPECT_EQ(decoded.count, 77u);
    EXPECT_EQ(decoded.data, 77u);
    EXPECT_TRUE(decoded.eof);
  }
}

TEST(ReadData, IsNotLookedForInAnErrorThatEndsAfterItsStatus) {
  const std::vector<std::byte> results = Encoded(Status::kStale);
  EXPECT_EQ(LocateIn(results, 4).results_bytes, rpc::kNoPayload);
  EXPECT_FALSE(LocateIn(results, 4).found);
}

TEST(Statuses, AllHaveTheirOwnNameAndWords) {
  for (uint32_t number :
       {0,  1,  2,  5,  6,  13, 17,    18,    19,    20,    21,    22,    27,    28,   30,
        31, 63, 66, 69, 70, 71, 10001, 10002, 10003, 10004, 10005, 10006, 10007, 10008}) {
    EXPECT_THAT(std::string(Name(static_cast<Status>(number))), testing::StartsWith("NFS3"));
  }
  EXPECT_EQ(Text(Status::kJukebox), "NFS3ERR_JUKEBOX (10008): Try again later");
  EXPECT_EQ(mount3::Text(mount3::Status::kServerFault),
            "MNT3ERR_SERVERFAULT (10006): Server fault");
  EXPECT_THAT(mount3::Text(static_cast<mount3::Status>(77)), testing::HasSubstr("(77)"));
}

TEST(Messages, ArePrintedFromTheirDescriptions) {
  Lookup3Args args;
  const std::byte handle[] = {std::byte{0xab}, std::byte{0xcd}};
  args.dir.data.Assign(handle);
  args.name = FileName3("etc");
  EXPECT_EQ(xdr::Print(args), "{dir={data=0xabcd} name=\"etc\"}");
}

TEST(Messages, OfAnErrorHaveNoResultsOfSuccess) {
  Lookup3Res result;
  result.status = Status::kNoEnt;
  EXPECT_EQ(Encoded(result).size(), 8u);
  Readlink3Res link;
  link.status = Status::kInval;
  EXPECT_EQ(Encoded(link).size(), 8u);
}

// C07: lengths of handles and counts of flavors that no message can hold.
TEST(MountResults, WithHostileLengthsAreRefused) {
  for (uint32_t length : {65u, 0x80000001u, 0xfffffffcu}) {
    std::vector<std::byte> bytes(200);
    xdr::Encoder encoder(bytes);
    encoder.Put(mount3::Status::kOk);
    encoder.Put(length);
    xdr::Decoder decoder(bytes);
    decoder.Get<mount3::Mountres3>();
    EXPECT_THAT(std::string(decoder.status().message()), testing::HasSubstr("data at byte"));
  }
  std::vector<std::byte> bytes(20);
  xdr::Encoder encoder(bytes);
  encoder.Put(mount3::Status::kOk);
  encoder.Put(uint32_t{0});
  encoder.Put(uint32_t{0x0ee6b280});
  xdr::Decoder decoder(bytes);
  EXPECT_TRUE(decoder.Get<mount3::Mountres3>().auth_flavors.elements.empty());
  EXPECT_FALSE(decoder.ok());
}

}  // namespace
}  // namespace nfs3
