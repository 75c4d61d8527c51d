// Tested by tests/sim/world_test.cc.
#include "tests/sim/world.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "client/protocol/nfs3.h"
#include "tests/sim/abandoned.h"
#include "tests/sim/consumer.h"
#include "tests/sim/happenings.h"
#include "tests/sim/havoc.h"
#include "tests/sim/ledger.h"
#include "tests/sim/opening.h"
#include "tests/sim/site.h"
#include "tests/sim/truth.h"
#include "tests/sim/verdict.h"

namespace sim {

namespace {

// A call in a timeline: without its xid, and with what there is to see in it.
std::string CallText(const server::Call& call) {
  const server::KnownProcedure* known = server::FindProcedure(call.program, call.procedure);
  std::string text = absl::StrCat("call on connection ", call.peer.connection, ": ",
                                  known == nullptr ? "unknown" : known->procedure.name);
  if (call.Is(nfs3::kRead)) {
    absl::StrAppend(&text, " ", call.arguments.count, " bytes at ", call.arguments.offset);
  }
  if (!call.arguments.name.empty()) absl::StrAppend(&text, " ", call.arguments.name);
  return text;
}

class World {
 public:
  World(const Plan& plan, Timeline& timeline)
      : plan_(plan),
        timeline_(timeline),
        site_(plan, truth_),
        havoc_(plan, site_, ledger_, timeline),
        happenings_(plan, site_, ledger_, timeline,
                    [this] { return consumer_.has_calls_in_flight(); }),
        consumer_(plan, site_, ledger_, truth_, timeline),
        begin_(site_.now()) {}

  WorldReport Run() {
    Prepare();
    try {
      consumer_.Run();
      Drain();
    } catch (const Abandoned& abandoned) {
      consumer_.Violate(abandoned.why);
    }
    over_ = true;
    if (consumer_.violation().empty()) Judge();
    return Report();
  }

 private:
  void Prepare() {
    for (const std::string& line : plan_.InWords()) timeline_.Add(site_.now(), "plan: ", line);
    const NetworkPlan& network = plan_.network;
    NoteConstant(FaultKind::kSegments, network.segment_bytes < 64 * 1024);
    NoteConstant(FaultKind::kSmallReceives, network.max_receive != 0);
    NoteConstant(FaultKind::kSlowLink, network.bytes_per_second != 0);
    NoteConstant(FaultKind::kDeadAddress, network.dead_addresses != 0);
    NoteConstant(FaultKind::kRefusingAddress, network.refusing_addresses != 0);
    consumer_.set_judge([this](bool complete) { return JudgeRun(complete); });
    served().log().SetListener([this](const server::Call& call) { OnCall(call); });
    served().script().SetAmender([this](const server::Call& call, server::Actions& actions) {
      havoc_.Amend(call, actions);
    });
    happenings_.Begin();
    ExpectEnd();
  }

  void NoteConstant(FaultKind kind, bool there) {
    if (there) ledger_.Inject(kind);
  }

  server::Server& served() { return site_.served(); }

  void OnCall(const server::Call& call) {
    if (timeline_.on()) timeline_.Add(site_.now(), CallText(call));
    if (call.program == nfs3::kProgram) {
      if (!nfs_was_called_) truth_.OnOpening();
      nfs_was_called_ = true;
      happenings_.OnNfsCall(ReadsWell(call));
    }
    if (++calls_ == MostCalls(plan_, ledger_)) Abandon(absl::StrCat(calls_, " calls"));
  }

  bool ReadsWell(const server::Call& call) {
    nfs3::Fattr3 attributes;
    return call.Is(nfs3::kRead) &&
           served().tree().Getattr(call.arguments.handle, attributes) == nfs3::Status::kOk;
  }

  // From where it can be left by an exception: the wait.
  void Abandon(const std::string& why) {
    if (over_) return;
    over_ = true;
    site_.network().After(absl::ZeroDuration(), [why] { throw Abandoned{why}; });
  }

  // Looks again when the time is up: meanwhile more may have been done to the world.
  void ExpectEnd() {
    const absl::Time latest = begin_ + LongestTime(plan_, ledger_);
    if (site_.now() >= latest) {
      return Abandon(absl::StrCat("no end after ", absl::FormatDuration(site_.now() - begin_)));
    }
    site_.network().At(latest, [this] {
      if (!over_) ExpectEnd();
    });
  }

  // What is still under way arrives at connections that are closed.
  void Drain() {
    over_ = true;
    const absl::Time until = site_.now() + 2 * plan_.client.timeout + absl::Seconds(1);
    ended_ = site_.now();
    while (site_.network().RunNext(until)) {
    }
  }

  std::string JudgeRun(bool complete) const {
    Knowledge knowledge;
    knowledge.attributes_were_absent = ledger_.Has(FaultKind::kNoAttributes);
    for (FaultKind kind : {FaultKind::kError, FaultKind::kReplace, FaultKind::kRemove,
                           FaultKind::kRestartExpired, FaultKind::kDenied}) {
      knowledge.asking_could_fail |= ledger_.Has(kind);
    }
    for (FaultKind kind : {FaultKind::kEarlyEof, FaultKind::kEmptyRead, FaultKind::kError}) {
      knowledge.end_was_wrong |= ledger_.Has(kind);
    }
    return truth_.JudgeRun(complete, knowledge);
  }

  void Judge() {
    if (!happenings_.violation().empty()) return consumer_.Violate(happenings_.violation());
    const Circumstances circumstances = {happenings_.outage_before(consumer_.opened()),
                                         truth_.changed_before_opened(),
                                         happenings_.expired_in_a_row()};
    const Kinds allowed = AllowedErrors(plan_, ledger_, circumstances);
    const nfs::ErrorKind kind = nfs::KindOf(consumer_.status());
    if (kind != nfs::ErrorKind::kNone && !allowed[static_cast<size_t>(kind)]) {
      return consumer_.Violate(absl::StrCat(consumer_.StatusText(), "; allowed: ", Text(allowed)));
    }
    const server::CallLog::Counters counters = served().log().counters();
    const bool whole = consumer_.end() == Consumer::End::kAllBytes && CountsAreExact(ledger_);
    const std::string wrong =
        whole ? JudgeCounts(plan_, counters.reads, counters.calls - counters.reads,
                            kPlannedOtherCalls, consumer_.connects())
              : "";
    if (!wrong.empty()) consumer_.Violate(wrong);
  }

  WorldReport Report() {
    WorldReport report;
    report.violation = consumer_.violation();
    report.end = nfs::KindOf(consumer_.status());
    report.stopped = consumer_.end() == Consumer::End::kStopped;
    report.virtual_time = std::min(ended_, site_.now()) - begin_;
    report.bytes = truth_.delivered_in_all();
    report.calls = calls_;
    report.faults = ledger_.counts();
    return report;
  }

  const Plan& plan_;
  Timeline& timeline_;
  Truth truth_;
  Ledger ledger_;
  Site site_;
  Havoc havoc_;
  Happenings happenings_;
  Consumer consumer_;
  const absl::Time begin_;
  absl::Time ended_ = absl::InfiniteFuture();
  uint64_t calls_ = 0;
  bool nfs_was_called_ = false;
  bool over_ = false;
};

}  // namespace

WorldReport RunWorld(const Plan& plan, Timeline& timeline) { return World(plan, timeline).Run(); }

}  // namespace sim
