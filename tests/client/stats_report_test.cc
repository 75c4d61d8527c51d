// What --stats and --explain say, for figures that are made up.
#include "client/tools/stats_report.h"

#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace nfs {
namespace {

using testing::HasSubstr;
using testing::Not;

StreamFacts FarAway() {
  StreamFacts facts;
  facts.bytes = 209715200;
  facts.elapsed = absl::Seconds(30);
  facts.cpu = absl::Milliseconds(250);
  facts.waited[static_cast<size_t>(Waits::kWindow)] = absl::Seconds(27);
  facts.waited[static_cast<size_t>(Waits::kEnd)] = absl::Seconds(3);
  facts.reads = 200;
  facts.retransmissions = 2;
  facts.reconnects = 1;
  facts.service.Add(absl::Milliseconds(450));
  facts.service.Add(absl::Seconds(2));
  facts.round_trips.Add(absl::Milliseconds(400));
  facts.round_trip = facts.recent_round_trip = absl::Milliseconds(400);
  facts.receive_window = 3 << 20;
  facts.slots = 64;
  facts.slots_peak = 16;
  facts.rsize = 1 << 20;
  facts.window = facts.largest_window = 16 << 20;
  return facts;
}

TEST(StatsJson, HasTheKeysOfTheContract) {
  EXPECT_EQ(StatsJson(FarAway()),
            R"({"bytes":209715200,"seconds":30.000000,"throughput_bytes_per_second":6990507,)"
            R"("cpu_seconds":0.250000,"connections":1,"reads":200,"short_reads":0,)"
            R"("retransmissions":2,"reconnects":1,"jukebox_retries":0,"rsize":1048576,"slots":64,)"
            R"("readahead_bytes_final":16777216,"slots_peak":16,)"
            R"("rtt_seconds":{"min":0.4,"p50":0.4,"p99":0.4,"max":0.4},)"
            R"("service_seconds":{"min":0.45,"p50":0.469762047,"p99":2,"max":2},)"
            R"("bottleneck":"tcp_window"})"
            "\n");
}

TEST(StatsJson, SaysNullWhereNothingIsKnown) {
  const std::string text = StatsJson(StreamFacts());
  EXPECT_THAT(text, HasSubstr(R"("rtt_seconds":null,"service_seconds":null,"bottleneck":null})"));
  EXPECT_THAT(text, Not(HasSubstr("nan")));
  EXPECT_THAT(text, Not(HasSubstr("inf")));
}

TEST(StatsText, IsForPeople) {
  EXPECT_EQ(StatsText(FarAway()),
            "209715200 bytes in 30.00 s: 7.0 MB/s, 0.25 s CPU\n"
            "READs:       200 of 1048576 bytes; 0 short, 2 sent again, 0 put off by the server, 1 "
            "reconnect\n"
            "in flight:   16 at most, over 1 connection; readahead 16 MiB\n"
            "READs took:  450 ms least, 470 ms half, 2e+03 ms 99 %, 2e+03 ms most\n"
            "round trip:  400 ms least, 400 ms half, 400 ms 99 %, 400 ms most\n"
            "limited by:  tcp_window\n");
}

TEST(TheExplanation, NamesTheLimitTheFiguresAndTheRemedy) {
  const std::string text = Explanation("nfs://far/away", FarAway());
  EXPECT_THAT(text, HasSubstr("What limited nfs://far/away: tcp_window\n"));
  EXPECT_THAT(text, HasSubstr("carried 2.67 MiB in a round trip of 400 ms"));
  EXPECT_THAT(text, HasSubstr("net.ipv4.tcp_rmem"));
  EXPECT_THAT(text, HasSubstr("It waited 90 % of the time with the readahead (16 MiB) asked for"));
}

TEST(TheExplanation, OfAShortStreamClaimsNothing) {
  const std::string text = Explanation("nfs://near/by", StreamFacts());
  EXPECT_THAT(text, HasSubstr("unknown"));
  EXPECT_THAT(text, HasSubstr("too little was read to tell"));
  EXPECT_THAT(text, Not(HasSubstr("lift it")));
}

}  // namespace
}  // namespace nfs
