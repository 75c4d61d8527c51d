// A plan, said in words. Tested by tests/sim/plan_test.cc.
#include "absl/strings/str_cat.h"
#include "tests/sim/plan.h"

namespace sim {

namespace {

std::string Text(absl::Duration duration) { return absl::FormatDuration(duration); }

std::string Text(const nfs::Range& range) {
  if (range.length == UINT64_MAX) return absl::StrCat("from byte ", range.offset);
  return absl::StrCat(range.length, " bytes from byte ", range.offset);
}

std::string FileLine(const Plan& plan) {
  return absl::StrCat("file of ", plan.file_size, " bytes, read ", Text(plan.client.range));
}

std::string ClientLine(const ClientPlan& client) {
  const std::string readahead = client.readahead
                                    ? absl::StrCat(*client.readahead)
                                    : absl::StrCat("automatic from ", client.least_readahead);
  return absl::StrCat("client: ", client.hard ? "hard" : "soft", ", rsize ", client.rsize,
                      ", slots ", client.slots, ", readahead ", readahead, ", nconnect ",
                      client.nconnect_is_automatic ? "automatic" : absl::StrCat(client.nconnect),
                      ", timeo ", Text(client.timeout), ", retrans ", client.retransmissions,
                      ", connect timeout ", Text(client.connect_timeout), ", lent pieces ",
                      client.lent_chunks);
}

std::string NetworkLine(const NetworkPlan& network) {
  std::string line = absl::StrCat("network: ", Text(network.delay), " one way, segments of ",
                                  network.segment_bytes);
  if (network.bytes_per_second != 0) absl::StrAppend(&line, ", B/s ", network.bytes_per_second);
  if (network.receive_window_bytes != 0) {
    absl::StrAppend(&line, ", receive window ", network.receive_window_bytes);
  }
  if (network.max_receive != 0) absl::StrAppend(&line, ", receives of ", network.max_receive);
  if (network.dead_addresses != 0) absl::StrAppend(&line, ", dead ", network.dead_addresses);
  if (network.refusing_addresses != 0) {
    absl::StrAppend(&line, ", refusing ", network.refusing_addresses);
  }
  if (!network.sends_at_once) absl::StrAppend(&line, ", sends take a turn");
  return absl::StrCat(line, network.live_address_first ? ", live address first" : "");
}

std::string ConsumerLine(const ConsumerPlan& consumer) {
  std::string line = "consumer:";
  if (consumer.pause_every != 0) {
    absl::StrAppend(&line, " pauses ", Text(consumer.pause), " every ", consumer.pause_every,
                    consumer.turns_in_pauses ? " (turning)" : " (not turning)");
  }
  if (consumer.stops_after) absl::StrAppend(&line, " stops after ", *consumer.stops_after);
  for (const ConsumerPlan::Seek& seek : consumer.seeks) {
    absl::StrAppend(&line, " seeks after ", seek.after, ": ", Text(seek.range), ";");
  }
  if (consumer.diverts) absl::StrAppend(&line, " diverts ", consumer.diverts_at_most, " at a time");
  if (consumer.takes_any) absl::StrAppend(&line, " takes pieces in any order");
  return line == "consumer:" ? "consumer: takes what there is" : line;
}

}  // namespace

std::vector<std::string> Plan::InWords() const {
  std::vector<std::string> lines = {absl::StrCat("seed ", seed), FileLine(*this),
                                    ClientLine(client), NetworkLine(network),
                                    ConsumerLine(consumer)};
  for (const ReplyFault& fault : reply_faults) {
    lines.push_back(absl::StrCat(Describe(fault.kind).name, ": chance ", fault.chance, ", at most ",
                                 fault.most));
  }
  if (bends_opening) lines.push_back("MOUNT and rpcbind likewise");
  for (const TimedFault& fault : timed_faults) {
    lines.push_back(absl::StrCat(Describe(fault.kind).name, ": at NFS call ", fault.nth_call, " + ",
                                 Text(fault.later), ", for ", Text(fault.lasts), ", bytes ",
                                 fault.bytes));
  }
  return lines;
}

}  // namespace sim
