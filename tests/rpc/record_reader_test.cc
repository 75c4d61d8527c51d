// Record marking, received in fragments and pieces of every size.
#include "rpc/record_reader.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/rpc/segmented_feed.h"
#include "tests/rpc/server_bytes.h"
#include "xdr/types.h"

namespace rpc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Progress = RecordReader::Progress;

RecordReader::Limits Limits() {
  RecordReader::Limits limits;
  limits.staging_bytes = 1024;
  limits.head_bytes = 64;
  limits.record_bytes = 512;
  return limits;
}

void Receive(RecordReader& reader, xdr::ByteView bytes) {
  const size_t size = CopyInto(reader.GetReceiveSpans(), bytes);
  ASSERT_EQ(size, bytes.size());
  reader.OnReceived(size);
}

Bytes HeadOf(const RecordReader& reader) {
  return Bytes(reader.head().begin(), reader.head().end());
}

Bytes Join(const std::vector<Bytes>& parts) {
  Bytes all;
  for (const Bytes& part : parts) Append(all, part);
  return all;
}

// Reads every record as a head of up to `head_bytes`, a payload of up to `payload_bytes`
// and a rest that is skipped.
class HeadAndPayload {
 public:
  HeadAndPayload(RecordReader& reader, size_t head_bytes, size_t payload_bytes)
      : reader_(reader), head_bytes_(head_bytes), memory_(payload_bytes) {}

  // For Feed: takes what can be taken.
  bool Drain() {
    Progress progress = Progress::kDone;
    while (progress != Progress::kNeedBytes && progress != Progress::kFailed) progress = Step();
    return progress != Progress::kFailed;
  }

  // Head and payload of each record.
  const std::vector<Bytes>& records() const { return records_; }

 private:
  enum class Part : uint8_t { kHead, kPayload, kRest };

  Progress Step() {
    switch (part_) {
      case Part::kHead: return Then(reader_.TakeHead(head_bytes_), Part::kPayload);
      case Part::kPayload: return Then(reader_.TakePayload(memory_), Part::kRest);
      case Part::kRest: {
        if (records_.size() == finished_) records_.push_back(Taken());
        const Progress progress = Then(reader_.Skip(), Part::kHead);
        if (progress == Progress::kDone) finished_ = records_.size();
        return progress;
      }
    }
    return Progress::kFailed;
  }

  Progress Then(Progress progress, Part next) {
    if (progress == Progress::kDone) {
      has_payload_ = part_ == Part::kPayload;
      part_ = next;
    } else if (progress == Progress::kRecordEnded) {
      has_payload_ = false;
      part_ = Part::kRest;
    }
    return progress;
  }

  Bytes Taken() const {
    Bytes taken = HeadOf(reader_);
    if (has_payload_) Append(taken, memory_);
    return taken;
  }

  RecordReader& reader_;
  const size_t head_bytes_;
  Bytes memory_;
  Part part_ = Part::kHead;
  bool has_payload_ = false;
  size_t finished_ = 0;
  std::vector<Bytes> records_;
};

std::vector<Bytes> Read(xdr::ByteView stream, const Pieces& pieces, size_t head_bytes,
                        size_t payload_bytes, size_t receive_ahead = 1024) {
  RecordReader reader(Limits());
  reader.set_receive_ahead(receive_ahead);
  HeadAndPayload taker(reader, head_bytes, payload_bytes);
  EXPECT_EQ(Feed(reader, stream, pieces, Waits::kForAByte, [&] { return taker.Drain(); }),
            stream.size());
  return taker.records();
}

// --- Taking a record apart -----------------------------------------------------

TEST(ARecord, IsTakenPartByPart) {
  RecordReader reader(Limits());
  Receive(reader, AsRecord(Pattern(40)));
  EXPECT_EQ(reader.TakeHead(8), Progress::kDone);
  EXPECT_EQ(reader.TakeHead(20), Progress::kDone);
  Bytes head = Pattern(40);
  Bytes payload(15);
  EXPECT_EQ(reader.TakePayload(payload), Progress::kDone);
  EXPECT_EQ(payload, Bytes(head.begin() + 20, head.begin() + 35));
  head.resize(20);
  EXPECT_EQ(HeadOf(reader), head);
  EXPECT_EQ(reader.Skip(), Progress::kDone);
  EXPECT_EQ(reader.head().size(), 0u);
  EXPECT_EQ(reader.TakeHead(1), Progress::kNeedBytes);
}

TEST(ARecord, GivesNothingBeforeItsMarkIsWhole) {
  RecordReader reader(Limits());
  for (std::byte byte : Words({0x80000004, 0x01020304})) {
    EXPECT_EQ(reader.TakeHead(4), Progress::kNeedBytes);
    Receive(reader, Bytes{byte});
  }
  EXPECT_EQ(reader.TakeHead(4), Progress::kDone);
  EXPECT_EQ(HeadOf(reader), Words({0x01020304}));
}

TEST(ARecord, ThatEndsInsideAPartSaysSoAndTheNextOneIsRead) {
  for (bool as_payload : {false, true}) {
    RecordReader reader(Limits());
    Receive(reader, Join({AsRecord(Pattern(10)), AsRecord(Pattern(5, 2))}));
    Bytes payload(11);
    if (as_payload) {
      EXPECT_EQ(reader.TakePayload(payload), Progress::kRecordEnded);
      EXPECT_EQ(reader.TakePayload(payload), Progress::kRecordEnded);
    } else {
      EXPECT_EQ(reader.TakeHead(11), Progress::kRecordEnded);
      EXPECT_EQ(HeadOf(reader), Pattern(10));
    }
    EXPECT_EQ(reader.Skip(), Progress::kDone);
    EXPECT_EQ(reader.TakeHead(5), Progress::kDone);
    EXPECT_EQ(HeadOf(reader), Pattern(5, 2));
  }
}

TEST(ARecord, IsTakenToItsEndOrToTheLongestHead) {
  RecordReader reader(Limits());
  Receive(reader, Join({AsRecord(Pattern(10)), AsRecord(Pattern(64, 2)), AsRecord(Pattern(65, 3)),
                        AsRecord({})}));
  for (const Bytes& expected : {Pattern(10), Pattern(64, 2), Pattern(65, 3), Bytes()}) {
    EXPECT_EQ(reader.TakeHeadToEnd(), Progress::kDone);
    EXPECT_EQ(HeadOf(reader),
              Bytes(expected.begin(), expected.begin() + std::min<size_t>(expected.size(), 64)));
    EXPECT_EQ(reader.Skip(), Progress::kDone);
  }
}

TEST(ARecord, IsOverOnlyAtItsLastFragmentEvenWhenAllBytesAreThere) {
  RecordReader reader(Limits());
  Bytes first;
  AppendFragment(first, Pattern(10), false);
  Receive(reader, first);
  EXPECT_EQ(reader.TakeHead(10), Progress::kDone);
  EXPECT_EQ(reader.Skip(), Progress::kNeedBytes);
  Receive(reader, AsRecord({}));
  EXPECT_EQ(reader.Skip(), Progress::kDone);
}

// --- Every way to cut ------------------------------------------------------------

// All 2^11 ways to cut 12 bytes into fragments, each received whole, byte by byte and cut
// at every position.
TEST(Fragments, OfEveryComposition) {
  const Bytes message = Pattern(12);
  for (uint32_t cuts = 0; cuts < 1u << 11; ++cuts) {
    Bytes stream;
    size_t begin = 0;
    for (size_t i = 1; i <= 12; ++i) {
      if (i < 12 && (cuts >> (i - 1) & 1) == 0) continue;
      AppendFragment(stream, xdr::ByteView(message).subspan(begin, i - begin), i == 12);
      begin = i;
    }
    ASSERT_THAT(Read(stream, Whole(), 5, 7), ElementsAre(message)) << cuts;
    ASSERT_THAT(Read(stream, ByteByByte(stream.size()), 5, 7), ElementsAre(message)) << cuts;
    for (size_t position = 1; position < stream.size(); ++position) {
      ASSERT_THAT(Read(stream, CutAt(position), 5, 7), ElementsAre(message)) << cuts;
    }
  }
}

// Records shorter, as long and longer than what is taken of them.
TEST(Records, OfEveryLengthInARow) {
  std::vector<Bytes> expected;
  Bytes stream;
  for (uint32_t size = 0; size <= 40; ++size) {
    Bytes message = Pattern(size, size);
    Append(stream, AsRecord(message, {7, size % 2 == 0}));
    if (size > 30) message.resize(30);               // head and payload; the rest is skipped
    if (size > 10 && size < 30) message.resize(10);  // the payload is not complete
    expected.push_back(message);
  }
  for (size_t receive_ahead : {4, 5, 32, 1024}) {
    EXPECT_EQ(Read(stream, Whole(), 10, 20, receive_ahead), expected);
    EXPECT_EQ(Read(stream, ByteByByte(stream.size()), 10, 20, receive_ahead), expected);
    for (size_t position = 1; position < stream.size(); ++position) {
      ASSERT_EQ(Read(stream, CutAt(position), 10, 20, receive_ahead), expected) << position;
    }
    for (uint64_t seed = 1; seed <= 100; ++seed) {
      Random random(seed);
      ASSERT_EQ(Read(stream, RandomPieces(stream.size(), random), 10, 20, receive_ahead), expected)
          << "seed " << seed;
    }
  }
}

// --- Where to receive into -------------------------------------------------------

TEST(ReceiveSpans, AreStagingUntilAPayloadIsWanted) {
  RecordReader reader(Limits());
  const ReceiveSpans spans = reader.GetReceiveSpans();
  EXPECT_EQ(spans.first.size(), 0u);
  EXPECT_EQ(spans.second.size(), 1024u);
  EXPECT_EQ(spans.promised, 1u);
}

TEST(ReceiveSpans, ReachToTheEndOfTheFragmentInThePayloadsMemory) {
  RecordReader reader(Limits());
  reader.set_receive_ahead(16);
  Bytes payload(200);
  Bytes fragment;
  AppendFragment(fragment, Pattern(100), false);

  Receive(reader, Bytes(fragment.begin(), fragment.begin() + 14));
  ASSERT_EQ(reader.TakePayload(payload), Progress::kNeedBytes);
  ReceiveSpans spans = reader.GetReceiveSpans();
  EXPECT_EQ(spans.first.data(), payload.data() + 10);  // after what came by staging
  EXPECT_EQ(spans.first.size(), 90u);
  EXPECT_EQ(spans.second.size(), 16u);
  EXPECT_EQ(spans.promised, 90u);

  // Between two fragments only staging is there to receive into.
  reader.OnReceived(CopyInto(spans, xdr::ByteView(fragment).subspan(14)));
  ASSERT_EQ(reader.TakePayload(payload), Progress::kNeedBytes);
  spans = reader.GetReceiveSpans();
  EXPECT_EQ(spans.first.size(), 0u);
  EXPECT_EQ(spans.promised, 1u);

  // The last fragment is longer than what is left of the payload.
  reader.OnReceived(CopyInto(spans, Words({0x80000000 | 300})));
  ASSERT_EQ(reader.TakePayload(payload), Progress::kNeedBytes);
  spans = reader.GetReceiveSpans();
  EXPECT_EQ(spans.first.data(), payload.data() + 100);
  EXPECT_EQ(spans.first.size(), 100u);
  EXPECT_EQ(spans.promised, 116u);  // of 300 what there is memory for
}

TEST(ReceiveSpans, PromiseNoMoreThanTheFragmentHas) {
  RecordReader reader(Limits());
  Receive(reader, Words({0x80000009, 1}));
  ASSERT_EQ(reader.TakeHead(12), Progress::kNeedBytes);
  EXPECT_EQ(reader.GetReceiveSpans().promised, 5u);
}

TEST(ReceiveSpans, AreOnlyAsLargeAsReceiveAhead) {
  RecordReader reader(Limits());
  for (auto [wanted, given] : {std::pair<size_t, size_t>{0, 4}, {4, 4}, {132, 132}, {5000, 1024}}) {
    reader.set_receive_ahead(wanted);
    EXPECT_EQ(reader.GetReceiveSpans().size(), given);
  }
}

TEST(ReceiveSpans, AreGoodForWhatTheyWereWhenReceiveAheadChanges) {
  RecordReader reader(Limits());
  const ReceiveSpans spans = reader.GetReceiveSpans();
  reader.set_receive_ahead(4);
  reader.OnReceived(CopyInto(spans, AsRecord(Pattern(60))));
  EXPECT_EQ(reader.TakeHead(60), Progress::kDone);
  EXPECT_EQ(HeadOf(reader), Pattern(60));
}

// A payload may be received to the same memory as the one before.
TEST(APayload, StartsAnewInTheMemoryOfTheOneBefore) {
  RecordReader reader(Limits());
  Bytes payload(20);
  for (uint32_t seed = 1; seed <= 3; ++seed) {
    Receive(reader, AsRecord(Pattern(20, seed)));
    EXPECT_EQ(reader.TakePayload(payload), Progress::kDone);
    EXPECT_EQ(payload, Pattern(20, seed));
    EXPECT_EQ(reader.Skip(), Progress::kDone);
  }
}

TEST(APayload, MayBeTakenInPartsToSeveralPlaces) {
  const Bytes stream = AsRecord(Pattern(30), {4});
  for (size_t position = 1; position < stream.size(); ++position) {
    RecordReader reader(Limits());
    Bytes first(10);
    Bytes second(20);
    bool in_second = false;
    Progress progress = Progress::kNeedBytes;
    Feed(reader, stream, CutAt(position), Waits::kForAByte, [&] {
      if (!in_second) in_second = reader.TakePayload(first) == Progress::kDone;
      if (in_second) progress = reader.TakePayload(second);
      return true;
    });
    EXPECT_EQ(progress, Progress::kDone);
    EXPECT_EQ(Join({first, second}), Pattern(30));
  }
}

// --- Limits ------------------------------------------------------------------------

TEST(ARecordAtItsLimit, IsReadAndOneByteMoreIsAnError) {
  for (size_t fragment_bytes : {size_t{100}, size_t{511}, kOneFragment}) {
    EXPECT_EQ(Read(AsRecord(Pattern(512), {fragment_bytes}), Whole(), 1, 511),
              std::vector<Bytes>{Pattern(512)});
    RecordReader reader(Limits());
    Receive(reader, AsRecord(Pattern(513), {fragment_bytes}));
    EXPECT_EQ(reader.Skip(), Progress::kFailed);
    EXPECT_EQ(reader.Skip(), Progress::kFailed);
    EXPECT_EQ(reader.status().code(), absl::StatusCode::kDataLoss);
    EXPECT_EQ(reader.status().message(),
              "RPC: a record of 513 bytes, when none over 512 was asked for");
  }
}

TEST(ARecordAtItsLimit, MayBeLongerOnceTheLimitIsRaised) {
  RecordReader reader(Limits());
  reader.set_record_bytes(600);
  Receive(reader, AsRecord(Pattern(600)));
  EXPECT_EQ(reader.Skip(), Progress::kDone);
}

TEST(ARecordAtItsLimit, IsCountedAnewForEachRecord) {
  RecordReader reader(Limits());
  for (int i = 0; i < 10; ++i) {
    Receive(reader, AsRecord(Pattern(500), {90}));
    EXPECT_EQ(reader.Skip(), Progress::kDone);
  }
}

TEST(AMark, OfSomethingElseThanRpcIsQuoted) {
  RecordReader reader(Limits());
  const xdr::ByteView text = xdr::BytesOf("GET / HTTP/1.1\r\n");
  Receive(reader, text);
  EXPECT_EQ(reader.TakeHead(4), Progress::kFailed);
  EXPECT_THAT(std::string(reader.status().message()),
              HasSubstr("\"GET \": this port does not speak ONC RPC"));
}

TEST(EmptyFragments, WithoutEndAreAnError) {
  RecordReader reader(Limits());
  int fragments = 0;
  for (; reader.status().ok() && fragments < 10000; ++fragments) {
    Receive(reader, Words({0}));
    reader.TakeHead(1);
  }
  EXPECT_EQ(reader.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_LT(fragments, 520);
}

// --- A new connection ----------------------------------------------------------------

TEST(Reset, AtEveryByteOfARecordBeginsAnew) {
  const Bytes stream = AsRecord(Pattern(40), {13, true});
  for (size_t received = 0; received <= stream.size(); ++received) {
    RecordReader reader(Limits());
    HeadAndPayload taker(reader, 10, 30);
    Feed(reader, xdr::ByteView(stream).first(received), Whole(), Waits::kForAByte,
         [&] { return taker.Drain(); });
    reader.GetReceiveSpans();  // a receive is in flight when the connection breaks
    reader.Reset();
    HeadAndPayload next(reader, 10, 30);
    Feed(reader, stream, Whole(), Waits::kForAByte, [&] { return next.Drain(); });
    ASSERT_THAT(next.records(), ElementsAre(Pattern(40))) << received;
  }
}

TEST(Reset, ForgetsAnError) {
  RecordReader reader(Limits());
  Receive(reader, Words({0xffffffff, 1, 2}));
  EXPECT_EQ(reader.Skip(), Progress::kFailed);
  reader.Reset();
  EXPECT_TRUE(reader.status().ok());
  Receive(reader, AsRecord(Pattern(4)));
  EXPECT_EQ(reader.TakeHead(4), Progress::kDone);
  EXPECT_EQ(HeadOf(reader), Pattern(4));
}

}  // namespace
}  // namespace rpc
