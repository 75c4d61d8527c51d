// Golden streams of a server, cut into fragments and pieces in every way: what comes of
// them is always the same.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "rpc/channel.h"
#include "tests/rpc/exchange.h"
#include "tests/rpc/segmented_feed.h"
#include "tests/rpc/server_bytes.h"
#include "xdr/decoder.h"
#include "xdr/types.h"

namespace rpc {
namespace {

using Messages = std::vector<Bytes>;

// Some calls, the messages that a server sends, and what is to come of it.
struct Golden {
  std::string name;
  std::vector<std::optional<size_t>> calls;  // the payload memory of each, if it has any
  std::function<Messages(const std::vector<uint32_t>& xids)> messages;
  std::vector<Outcome> outcomes;
  uint64_t unexpected_replies = 0;

  friend void PrintTo(const Golden& golden, std::ostream* out) { *out << golden.name; }
};

Channel::Options Options() {
  Channel::Options options;
  options.slots = 6;
  options.call_bytes = 512;
  options.results_bytes = 8192;  // and room in a record for thousands of empty fragments
  options.payload_bytes = 5000;
  options.xid_seed = 0xfffffff0;
  return options;
}

// How one run differs from the others.
struct Way {
  size_t receive_ahead = 256 * 1024;
  Fragments fragments;
  Waits waits = Waits::kForAByte;
};

Bytes Stream(const Messages& messages, const Fragments& fragments) {
  Bytes stream;
  for (const Bytes& message : messages) Append(stream, AsRecord(message, fragments));
  return stream;
}

// One run of `golden`: its calls go out, `to_stream` makes a stream of its messages and
// says in which pieces it comes.
class Replay {
 public:
  Replay(const Golden& golden, size_t receive_ahead) : golden_(golden), exchange_(Options()) {
    exchange_.channel().set_receive_ahead(receive_ahead);
    for (const auto& memory_bytes : golden.calls) exchange_.Call(memory_bytes);
    messages_ = golden.messages(exchange_.SendCalls());
  }

  const Messages& messages() const { return messages_; }

  void Receive(xdr::ByteView stream, const Pieces& pieces, Waits waits) {
    exchange_.Receive(stream, pieces, waits);
  }

  // Whether it came out as it should.
  testing::AssertionResult IsGolden() {
    Channel& channel = exchange_.channel();
    if (!channel.status().ok()) return testing::AssertionFailure() << channel.status();
    if (exchange_.outcomes() != golden_.outcomes) {
      return testing::AssertionFailure()
             << testing::PrintToString(exchange_.outcomes()) << "instead of\n"
             << testing::PrintToString(golden_.outcomes);
    }
    if (channel.counters().unexpected_replies != golden_.unexpected_replies) {
      return testing::AssertionFailure()
             << "unexpected replies: " << channel.counters().unexpected_replies;
    }
    return testing::AssertionSuccess();
  }

 private:
  const Golden& golden_;
  Exchange exchange_;
  Messages messages_;
};

testing::AssertionResult IsGolden(const Golden& golden, const Way& way,
                                  const std::function<Pieces(size_t stream_bytes)>& cut) {
  Replay replay(golden, way.receive_ahead);
  const Bytes stream = Stream(replay.messages(), way.fragments);
  const Pieces pieces = cut(stream.size());
  replay.Receive(stream, pieces, way.waits);
  testing::AssertionResult result = replay.IsGolden();
  return result << "\nreceive_ahead " << way.receive_ahead << ", " << way.fragments.Name() << ", "
                << pieces.name;
}

Pieces InOnePiece(size_t) { return Whole(); }

// Payloads take the way through staging with the last, and straight to their memory with
// the others; the middle one is the head of a READ reply.
constexpr size_t kReceiveAheads[] = {4, 132, 256 * 1024};

size_t StreamBytes(const Golden& golden, const Fragments& fragments) {
  return Stream(Replay(golden, 4).messages(), fragments).size();
}

size_t LongestMessage(const Golden& golden) {
  size_t longest = 0;
  const Replay replay(golden, 4);
  for (const Bytes& message : replay.messages()) {
    longest = std::max(longest, message.size());
  }
  return longest;
}

// How far apart the positions are that are tried where not all of them are: a long payload
// has thousands that are alike.
size_t Step(size_t stream_bytes) { return kEvery * (stream_bytes < 1000 ? 1 : 37); }

class GoldenReplies : public testing::TestWithParam<Golden> {};

TEST_P(GoldenReplies, AreWhatTheyAreInOnePiece) {
  ASSERT_TRUE(IsGolden(GetParam(), Way(), InOnePiece));
}

TEST_P(GoldenReplies, AreTheSameByteByByteAndInSmallPieces) {
  for (size_t receive_ahead : kReceiveAheads) {
    for (Waits waits : {Waits::kForAByte, Waits::kForWhatIsPromised}) {
      const Way way{receive_ahead, {}, waits};
      ASSERT_TRUE(IsGolden(GetParam(), way, InOnePiece));
      ASSERT_TRUE(IsGolden(GetParam(), way, ByteByByte));
      for (size_t size = 2; size < 40; size += kEvery) {
        ASSERT_TRUE(IsGolden(GetParam(), way, [&](size_t all) { return PiecesOf(size, all); }));
      }
    }
  }
}

TEST_P(GoldenReplies, AreTheSameCutAtEveryPosition) {
  const size_t stream_bytes = StreamBytes(GetParam(), {});
  for (size_t receive_ahead : kReceiveAheads) {
    const size_t step = receive_ahead == 132 ? kEvery : Step(stream_bytes);
    for (size_t position = 1; position < stream_bytes; position += step) {
      ASSERT_TRUE(IsGolden(GetParam(), {receive_ahead}, [&](size_t) { return CutAt(position); }));
    }
  }
}

TEST_P(GoldenReplies, AreTheSameInFragmentsCutAtEveryPosition) {
  for (const Fragments& fragments : {Fragments{11, false}, Fragments{64, true}}) {
    const size_t stream_bytes = StreamBytes(GetParam(), fragments);
    for (size_t position = 1; position < stream_bytes; position += Step(stream_bytes)) {
      ASSERT_TRUE(IsGolden(GetParam(), {132, fragments}, [&](size_t) { return CutAt(position); }));
    }
  }
}

TEST_P(GoldenReplies, AreTheSameInFragmentsOfEverySmallSize) {
  const size_t message_bytes = LongestMessage(GetParam());
  const size_t small_bytes = message_bytes < 1000 ? message_bytes : 20;
  for (size_t receive_ahead : kReceiveAheads) {
    for (size_t size = 1; size <= small_bytes; size += kEvery) {
      for (bool empty_ones : {false, true}) {
        const Way way{receive_ahead, {size, empty_ones}};
        ASSERT_TRUE(IsGolden(GetParam(), way, InOnePiece));
        if (size > 8 && receive_ahead != 132) continue;
        ASSERT_TRUE(IsGolden(GetParam(), way, ByteByByte));
      }
    }
  }
}

TEST_P(GoldenReplies, AreTheSameInRandomFragmentsAndPieces) {
  for (uint64_t seed = 1; seed <= 200 / kEvery; ++seed) {
    Random random(seed);
    Replay replay(GetParam(), kReceiveAheads[Draw(random, 0, 2)]);
    Bytes stream;
    for (const Bytes& message : replay.messages()) Append(stream, AsRandomRecord(message, random));
    const auto waits = static_cast<Waits>(Draw(random, 0, 1));
    replay.Receive(stream, RandomPieces(stream.size(), random), waits);
    ASSERT_TRUE(replay.IsGolden()) << "seed " << seed;
  }
}

// --- The golden streams --------------------------------------------------------

Golden One(std::string name, std::optional<size_t> memory_bytes,
           std::function<Bytes(uint32_t xid)> message, Outcome outcome) {
  Golden golden;
  golden.name = std::move(name);
  golden.calls = {memory_bytes};
  golden.messages = [message](const std::vector<uint32_t>& xids) {
    return Messages{message(xids[0])};
  };
  golden.outcomes = {std::move(outcome)};
  return golden;
}

// The outcome of a READ whose payload has arrived.
Outcome ReadOutcome(uint64_t tag, const Bytes& data, bool attributes = true) {
  const auto data_bytes = static_cast<uint32_t>(data.size());
  return {tag, absl::OkStatus(), ReadResultsHead(data_bytes, attributes, false), data};
}

std::vector<Golden> Reads() {
  std::vector<Golden> goldens;
  for (size_t size : {0, 1, 3, 4, 63, 5000}) {
    for (bool attributes : {true, false}) {
      if (size == 5000 && !attributes) continue;  // nothing new, and long
      const Bytes data = Pattern(size);
      const std::string name = "Read" + std::to_string(size) + (attributes ? "" : "WithoutAttrs");
      goldens.push_back(One(
          name, 5000,
          [=](uint32_t xid) { return SuccessReply(xid, ReadResults(data, attributes)); },
          ReadOutcome(0, data, attributes)));
    }
  }
  for (size_t size : {1, 5, 18, 399, 400}) {
    const Bytes data = Pattern(63);
    const Verifier verifier{2, Pattern(size, 9)};
    goldens.push_back(One(
        "ReadWithVerifierOf" + std::to_string(size), 63,
        [=](uint32_t xid) { return SuccessReply(xid, ReadResults(data), verifier); },
        ReadOutcome(0, data)));
  }
  return goldens;
}

std::vector<Golden> RepliesWithoutPayload() {
  std::vector<Golden> goldens;
  goldens.push_back(One("SuccessWithoutResults", std::nullopt,
                        [](uint32_t xid) { return SuccessReply(xid, {}); },
                        {0, absl::OkStatus(), {}, {}}));
  goldens.push_back(
      One("SuccessWithResults", std::nullopt,
          [](uint32_t xid) { return SuccessReply(xid, Pattern(84), {6, Pattern(16)}); },
          {0, absl::OkStatus(), Pattern(84), {}}));
  // C24: a status and nothing more, without attributes, with attributes.
  const Bytes failures[] = {Words({13}), Words({70, 0}), ReadResults({})};
  for (size_t i = 0; i < 3; ++i) {
    Bytes results = failures[i];
    results[3] = std::byte{70};
    goldens.push_back(One("ReadFailed" + std::to_string(i), 5000,
                          [=](uint32_t xid) { return SuccessReply(xid, results); },
                          {0, absl::OkStatus(), results, {}}));
  }
  return goldens;
}

// C49, and what an accepted call may meet.
std::vector<Golden> Refusals() {
  const auto accepted = [](std::string name, uint32_t state, std::initializer_list<uint32_t> more,
                           absl::Status status) {
    const std::vector<uint32_t> words(more);
    return One(name, 63,
               [=](uint32_t xid) {
                 Bytes reply = FailedReply(xid, state);
                 for (uint32_t word : words) AppendWord(reply, word);
                 return reply;
               },
               {0, status, {}, {}});
  };
  const auto denied = [](std::string name, uint32_t reject, uint32_t first,
                         std::optional<uint32_t> second, absl::Status status, Bytes rest = {}) {
    return One(name, 63,
               [=](uint32_t xid) {
                 Bytes reply = DeniedReply(xid, {reject, first});
                 if (second.has_value()) AppendWord(reply, *second);
                 return reply;
               },
               {0, status, rest, {}});
  };
  return {
      accepted(
          "ProgUnavail", 1, {},
          absl::UnimplementedError("RPC: PROG_UNAVAIL (1): the server does not have this program")),
      accepted("ProgMismatch", 2, {2, 4},
               absl::UnimplementedError("RPC: PROG_MISMATCH (2): the server does not have this "
                                        "version of the program; it has versions 2 to 4")),
      accepted("ProcUnavail", 3, {},
               absl::UnimplementedError(
                   "RPC: PROC_UNAVAIL (3): the server does not have this procedure")),
      accepted(
          "GarbageArgs", 4, {},
          absl::DataLossError("RPC: GARBAGE_ARGS (4): the server could not decode the arguments")),
      accepted("SystemErr", 5, {},
               absl::UnavailableError("RPC: SYSTEM_ERR (5): the server met a system error")),
      accepted(
          "UnknownAcceptState", 77, {},
          absl::DataLossError("RPC: unknown accept_stat (77): not a state that RFC 5531 knows")),
      denied("RpcMismatch", 0, 3, 4,
             absl::UnimplementedError("RPC: RPC_MISMATCH (0): the server does not speak ONC RPC "
                                      "version 2; it has versions 3 to 4")),
      denied("AuthTooWeak", 1, 5, std::nullopt,
             absl::UnauthenticatedError(
                 "RPC: AUTH_TOOWEAK (5): the server wants a stronger authentication flavor")),
      denied("AuthUnknown", 1, 99, std::nullopt,
             absl::UnauthenticatedError("RPC: unknown auth_stat (99): the server does not accept "
                                        "the credentials")),
      denied("UnknownRejectState", 7, 99, std::nullopt,
             absl::DataLossError("RPC: denied with the unknown reject_stat 7"), Words({99})),
  };
}

Golden OutOfOrderWithDuplicates() {
  Golden golden;
  golden.name = "OutOfOrderWithDuplicates";
  golden.calls = {63, std::nullopt, 200, 200, std::nullopt};
  golden.messages = [](const std::vector<uint32_t>& xids) {
    const Bytes third = SuccessReply(xids[3], ReadResults(Pattern(100, 3)));
    const Bytes fourth = SuccessReply(xids[4], Pattern(20, 4));
    return Messages{third,
                    SuccessReply(xids[0], ReadResults(Pattern(63, 0), false), {2, Pattern(5)}),
                    fourth,
                    third,
                    FailedReply(xids[1], 5),
                    fourth,
                    SuccessReply(xids[2], ReadResults(Pattern(1, 2)))};
  };
  golden.outcomes = {
      ReadOutcome(3, Pattern(100, 3)),
      ReadOutcome(0, Pattern(63, 0), false),
      {4, absl::OkStatus(), Pattern(20, 4), {}},
      {1, absl::UnavailableError("RPC: SYSTEM_ERR (5): the server met a system error"), {}, {}},
      ReadOutcome(2, Pattern(1, 2)),
  };
  golden.unexpected_replies = 2;
  return golden;
}

// Messages that are not for any call of ours: a reply to nobody's xid, to a slot's last
// owner, to a slot that does not exist; a call; an empty record; two bytes.
Golden StrangersInBetween() {
  Golden golden;
  golden.name = "StrangersInBetween";
  golden.calls = {63, 63};
  golden.messages = [](const std::vector<uint32_t>& xids) {
    const Bytes results = ReadResults(Pattern(50, 5));
    Bytes call = SuccessReply(xids[0], results);
    call[7] = std::byte{0};
    return Messages{SuccessReply(xids[0] ^ 0x40000000, results),
                    SuccessReply(xids[1], ReadResults(Pattern(63, 1))),
                    SuccessReply(xids[0] - 8, results),
                    SuccessReply(xids[0] | 7, results),
                    call,
                    {},
                    Pattern(2),
                    SuccessReply(xids[0], ReadResults(Pattern(3, 2)))};
  };
  golden.outcomes = {ReadOutcome(1, Pattern(63, 1)), ReadOutcome(0, Pattern(3, 2))};
  golden.unexpected_replies = 6;
  return golden;
}

// A READ with 100 bytes of memory, whose reply is followed by a right one. `first` makes
// the first message.
Golden ThenARightOne(std::string name, std::function<Bytes(uint32_t xid)> first, Outcome outcome) {
  Golden golden;
  golden.name = std::move(name);
  golden.calls = {100, 63};
  golden.messages = [first](const std::vector<uint32_t>& xids) {
    return Messages{first(xids[0]), SuccessReply(xids[1], ReadResults(Pattern(63)))};
  };
  golden.outcomes = {std::move(outcome), ReadOutcome(1, Pattern(63))};
  return golden;
}

std::vector<Golden> WrongLengths() {
  std::vector<Golden> goldens;
  // C22: more payload than there is memory for. The results say how much there was.
  for (size_t size : {101, 104, 5000}) {
    Outcome cut = ReadOutcome(0, Pattern(size));
    cut.payload.resize(100);
    goldens.push_back(ThenARightOne(
        "MorePayloadThanMemory" + std::to_string(size),
        [=](uint32_t xid) { return SuccessReply(xid, ReadResults(Pattern(size))); }, cut));
  }
  // C06: bytes behind the end of the results.
  for (size_t surplus : {1, 3, 4, 4096}) {
    goldens.push_back(ThenARightOne(
        "SurplusOf" + std::to_string(surplus),
        [=](uint32_t xid) {
          Bytes message = SuccessReply(xid, ReadResults(Pattern(63)));
          Append(message, Pattern(surplus, 7));
          return message;
        },
        ReadOutcome(0, Pattern(63))));
  }
  goldens.push_back(ThenARightOne(
      "NoPadding",
      [](uint32_t xid) {
        Bytes message = SuccessReply(xid, ReadResults(Pattern(61)));
        message.resize(message.size() - 3);
        return message;
      },
      ReadOutcome(0, Pattern(61))));
  goldens.push_back(ThenARightOne(
      "AnnouncesMoreThanItHas",
      [](uint32_t xid) {
        Bytes message = SuccessReply(xid, ReadResultsHead(0xfffffffc, true, false));
        Append(message, Pattern(99));
        return message;
      },
      {0, absl::DataLossError("RPC: the reply ends before the data that it announces"), {}, {}}));
  goldens.push_back(ThenARightOne(
      "VerifierOf401",
      [](uint32_t xid) { return SuccessReply(xid, ReadResults({}), {0, Pattern(401)}); },
      {0, absl::DataLossError("XDR: body at byte 20: longer than its type allows"), {}, {}}));
  goldens.push_back(ThenARightOne(
      "UnknownReplyState", [](uint32_t xid) { return Words({xid, 1, 2, 0, 0, 0, 0}); },
      {0, absl::DataLossError("RPC: unknown reply_stat 2"), Words({0}), {}}));
  return goldens;
}

// What comes after a failure is no payload, even if it looks like one.
Golden FailureWithAPayload() {
  const Bytes results = ReadResults(Pattern(63));
  return ThenARightOne(
      "FailureWithAPayload",
      [=](uint32_t xid) {
        Bytes message = FailedReply(xid, 5);
        Append(message, results);
        return message;
      },
      {0,
       absl::UnavailableError("RPC: SYSTEM_ERR (5): the server met a system error"),
       results,
       {}});
}

std::vector<Golden> Goldens() {
  std::vector<Golden> all = {OutOfOrderWithDuplicates(), StrangersInBetween(),
                             FailureWithAPayload()};
  for (const auto& some : {Reads(), RepliesWithoutPayload(), Refusals(), WrongLengths()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Cut, GoldenReplies, testing::ValuesIn(Goldens()),
                         [](const auto& golden) { return golden.param.name; });

// --- Records that end early ------------------------------------------------------

// READ3res as the client decodes what the channel hands out.
struct ReadResultsWithoutData {
  uint32_t status = 0;
  std::optional<xdr::FixedOpaque<84>> attributes;
  uint32_t count = 0;
  bool eof = false;
  uint32_t data_bytes = 0;

  static void Describe(auto& coder, auto& self) {
    coder.Field("status", self.status);
    coder.Field("file_attributes", self.attributes);
    coder.Field("count", self.count);
    coder.Field("eof", self.eof);
    coder.Field("data", self.data_bytes);
  }
};

// What the call's owner makes of its reply.
absl::Status Verdict(const Outcome& outcome) {
  if (!outcome.status.ok()) return outcome.status;
  xdr::Decoder decoder(outcome.results);
  decoder.Get<ReadResultsWithoutData>();
  return decoder.Finish();
}

// A reply of READ that ends after `size` bytes, and another that is whole.
std::vector<Outcome> OutcomesOfAReplyThatEndsAfter(size_t size, const Verifier& verifier,
                                                   const Way& way) {
  Exchange exchange(Options());
  exchange.channel().set_receive_ahead(way.receive_ahead);
  exchange.Call(70);
  exchange.Call(63);
  const std::vector<uint32_t> xids = exchange.SendCalls();
  Bytes first = SuccessReply(xids[0], ReadResults(Pattern(70)), verifier);
  first.resize(size);
  const Messages messages = {first, SuccessReply(xids[1], ReadResults(Pattern(63)))};
  exchange.Receive(Stream(messages, way.fragments), Whole());
  EXPECT_TRUE(exchange.channel().status().ok()) << exchange.channel().status();
  return exchange.outcomes();
}

TEST(ARecordThatEndsEarly, IsALossOfDataForItsCallAndForNoOther) {
  for (const Verifier& verifier : {Verifier(), Verifier{2, Pattern(7)}}) {
    const size_t whole = SuccessReply(0, ReadResults(Pattern(70)), verifier).size();
    for (size_t receive_ahead : kReceiveAheads) {
      for (const Fragments& fragments : {Fragments(), Fragments{1, true}, Fragments{9, false}}) {
        // With the last two bytes only padding is missing.
        for (size_t size = 4; size < whole - 2; ++size) {
          const auto outcomes =
              OutcomesOfAReplyThatEndsAfter(size, verifier, {receive_ahead, fragments});
          ASSERT_EQ(outcomes.size(), 2u) << size;
          EXPECT_EQ(outcomes[0].tag, 0u) << size;
          EXPECT_EQ(Verdict(outcomes[0]).code(), absl::StatusCode::kDataLoss) << size;
          EXPECT_EQ(outcomes[0].payload, Bytes()) << size;
          EXPECT_EQ(outcomes[1], ReadOutcome(1, Pattern(63))) << size;
        }
      }
    }
  }
}

TEST(ARecordThatEndsEarly, IsNobodysWhenItEndsInTheXid) {
  for (size_t size = 0; size < 4; ++size) {
    const auto outcomes = OutcomesOfAReplyThatEndsAfter(size, {}, {});
    ASSERT_EQ(outcomes.size(), 1u);
    EXPECT_EQ(outcomes[0], ReadOutcome(1, Pattern(63)));
  }
}

TEST(ARecordThatEndsEarly, MayLackThePaddingOfItsPayload) {
  const size_t whole = SuccessReply(0, ReadResults(Pattern(70))).size();
  for (size_t size = whole - 2; size <= whole; ++size) {
    const auto outcomes = OutcomesOfAReplyThatEndsAfter(size, {}, {});
    ASSERT_EQ(outcomes.size(), 2u);
    EXPECT_EQ(outcomes[0], ReadOutcome(0, Pattern(70)));
  }
}

// --- Every verifier --------------------------------------------------------------

TEST(Verifiers, OfEveryLengthUpTo400ArePassedOver) {
  for (uint32_t size = 0; size <= 400; ++size) {
    const Bytes data = Pattern(17, size);
    const Golden golden = One(
        "", 17,
        [&](uint32_t xid) {
          return SuccessReply(xid, ReadResults(data), {size % 8, Pattern(size)});
        },
        ReadOutcome(0, data));
    Random random(size);
    for (size_t receive_ahead : kReceiveAheads) {
      const Way way{receive_ahead, {Draw(random, 1, 500), false}};
      ASSERT_TRUE(IsGolden(golden, way, [&](size_t all) { return RandomPieces(all, random); }))
          << size;
    }
  }
}

}  // namespace
}  // namespace rpc
