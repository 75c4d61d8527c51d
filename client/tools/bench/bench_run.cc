// Tested by tests/client/nfs3_bench_test.cc.
#include "client/tools/bench/bench_run.h"

#include <algorithm>
#include <memory>

#include "client/session/session.h"
#include "client/stream/file_stream.h"
#include "client/tools/cpu_time.h"
#include "client/tools/progress.h"

namespace nfs {

namespace {

// As nfscat takes at a time.
constexpr uint64_t kLentBytes = 1 << 20;

void Drain(Pump& pump, FileStream& stream, absl::Time until, Progress& progress) {
  const uint64_t begin = stream.position();
  while (!stream.AtEnd() && stream.status().ok() && pump.now() < until) {
    if (stream.Lend().has_value()) {
      stream.Release();
      continue;
    }
    stream.Turn(/*consumer_waits=*/true, std::min(until, progress.NextUpdate()));
    progress.Update(stream.position() - begin, pump.now());
  }
}

}  // namespace

absl::StatusOr<StreamFacts> ReadOnce(const Target& target, const Options& options,
                                     const RunWishes& wishes) {
  auto session = Session::Open(target, options);
  if (!session.ok()) return session.status();
  auto stream = FileStream::Make(**session, wishes.range, kLentBytes);
  if (!stream.ok()) return stream.status();
  Pump& pump = (*session)->pump();
  const absl::Time begin = pump.transport().Now();
  const absl::Duration cpu = CpuTime();
  Progress progress(!wishes.progress.empty(),
                    wishes.range.BytesOf((*session)->file().attributes.size), begin,
                    wishes.progress);
  Drain(pump, **stream, begin + wishes.seconds, progress);
  if (!(*stream)->status().ok()) return (*stream)->status();
  StreamFacts facts = (*stream)->facts();
  facts.cpu = CpuTime() - cpu;
  return facts;
}

absl::StatusOr<uint64_t> SizeOf(const Target& target, const Options& options) {
  auto session = Session::Open(target, options);
  if (!session.ok()) return session.status();
  return (*session)->file().attributes.size;
}

}  // namespace nfs
