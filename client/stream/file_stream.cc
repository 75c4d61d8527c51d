// Tested by tests/client/file_stream_test.cc and tests/client/stream_survival_test.cc.
#include "client/stream/file_stream.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/errors.h"
#include "client/stream/window_plan.h"

namespace nfs {

namespace {

uint64_t EndOf(const Range& range) {
  const uint64_t most = UINT64_MAX - range.offset;
  return range.offset + std::min(range.length, most);
}

Readahead::Options ReadaheadOf(const WindowPlan& plan) {
  const uint64_t chunk = plan.chunk_bytes;
  return {.chunk_bytes = plan.chunk_bytes,
          .least = plan.least_chunks * chunk,
          .most = plan.window_chunks * chunk};
}

}  // namespace

absl::StatusOr<std::unique_ptr<FileStream>> FileStream::Make(Session& session, const Range& range,
                                                             uint64_t lent_bytes) {
  const WindowPlan plan = PlanWindow(session.options(), session.rsize(), lent_bytes);
  const auto contradiction = Contradiction(session.options(), session.rsize(), plan);
  if (contradiction.has_value() && session.options().warn != nullptr) {
    session.options().warn(*contradiction);
  }
  Window::Options options;
  options.begin = range.offset;
  options.end = EndOf(range);
  options.size_hint = session.file().attributes.size;
  options.chunk_bytes = plan.chunk_bytes;
  options.window_chunks = plan.window_chunks;
  options.lent_chunks = plan.lent_chunks;
  const uint64_t to_come = range.BytesOf(options.size_hint);
  auto arena = Arena::Make(size_t{Window::ChunkCount(options)} * options.chunk_bytes, to_come);
  if (!arena.ok()) return arena.status();
  session.trunk().Widen(PlanConnections(session.options(), plan, to_come));
  return std::unique_ptr<FileStream>(
      new FileStream(session, options, ReadaheadOf(plan), *std::move(arena)));
}

FileStream::FileStream(Session& session, const Window::Options& options,
                       const Readahead::Options& readahead, Arena arena)
    : session_(session),
      arena_(std::move(arena)),
      window_(options, arena_.memory()),
      readahead_(readahead),
      width_(session.trunk(), session.options()),
      flights_(Window::ChunkCount(options)),
      begin_(options.begin),
      largest_window_(uint64_t{options.window_chunks} * options.chunk_bytes),
      meter_(Window::ChunkCount(options), session.pump().transport().Now()),
      reads_(session, *this, Window::ChunkCount(options)) {
  reads_.ExpectReadsOf(options.chunk_bytes);
  // The stream before may have found out how many connections the path needs.
  if (width_.is_spread()) readahead_.Spread(session.trunk().width());
  ResizeWindow();
}

uint64_t FileStream::window_bytes() const {
  return uint64_t{window_.window_chunks()} * window_.chunk_bytes();
}

void FileStream::ResizeWindow() {
  const uint64_t spoken_for =
      width_.receive_buffers() + uint64_t{most_lent()} * window_.chunk_bytes();
  const uint64_t memory = session_.options().max_memory;
  const uint64_t bytes = std::min(readahead_.window(), memory - std::min(memory, spoken_for));
  window_.Resize(static_cast<uint32_t>(bytes / window_.chunk_bytes()));
}

// More connections are of use only with more READs to send on them.
void FileStream::LookAtWidth() {
  const absl::Time now = session_.pump().now();
  if (now < width_.next_look()) return;
  const uint64_t read_bytes = window_.chunk_bytes();
  width_.Look({.in_flight = window_.in_flight() * read_bytes,
               .to_come = window_.to_come(),
               .read_bytes = read_bytes},
              now);
  if (width_.growth() > 1) readahead_.Spread(width_.growth());
  if (!width_.is_spread()) readahead_.Gather();
}

void FileStream::Turn(bool consumer_waits, absl::Time until) {
  // The last turn may be long ago, and its time with it.
  now_ = session_.pump().transport().Now();
  const Waits why = FillSlots(consumer_waits);
  LookAtWidth();  // with the slots full
  const int calls = session_.trunk().calls_in_flight();
  reads_.Wait(window_.in_flight() != 0 ? std::min(until, width_.next_look()) : until);
  meter_.OnWaited(why, now_, session_.pump().now(), calls);
  TakeDiverted();
  reads_.TakeReplies();
  meter_.OnTurn(session_.trunk(), session_.pump().now());
  ResizeWindow();
  arrival();  // what need not wait for its owner does not
}

Waits FileStream::FillSlots(bool consumer_waits) {
  reads_.AskAgain(/*is_last_look=*/window_.AtEnd());
  return AskAll(consumer_waits);
}

Waits FileStream::AskAll(bool consumer_waits) {
  const Trunk& trunk = session_.trunk();
  while (reads_.CanAsk()) {
    const std::optional<Window::Ask> ask = window_.NextAsk(consumer_waits);
    if (!ask.has_value()) {
      const Readahead::Limit limit = LimitOfWindow();
      readahead_.OnStopped(limit);
      return WaitsFor(limit, consumer_waits);
    }
    // Less than the chunk lacks leaves a hole, which is asked for next.
    const auto memory = ask->memory.first(trunk.BytesForNextCall(ask->memory.size()));
    flights_[ask->chunk] = readahead_.OnAsk(static_cast<uint32_t>(memory.size()), now_);
    meter_.OnAsk(ask->chunk, now_);
    reads_.Ask(ask->chunk, ask->offset, memory, memory.size() >= divert_from_);
  }
  readahead_.OnStopped(Readahead::Limit::kOther);
  return Waits::kSlots;
}

// A consumer that waits is not what the window waits for, though what comes is out of order.
Waits FileStream::WaitsFor(Readahead::Limit limit, bool consumer_waits) const {
  if (!consumer_waits && window_.in_flight() == 0) return Waits::kOutput;
  if (limit == Readahead::Limit::kOther) return Waits::kEnd;
  const bool is_consumer = limit == Readahead::Limit::kConsumer && !consumer_waits;
  return is_consumer ? Waits::kOutput : Waits::kWindow;
}

// A window that is full of what the consumer has not taken need not be larger.
Readahead::Limit FileStream::LimitOfWindow() const {
  if (window_.IsAskedFor()) return Readahead::Limit::kOther;
  const bool waits_for_server = 2 * window_.in_flight() > window_.window_chunks();
  return waits_for_server ? Readahead::Limit::kWindow : Readahead::Limit::kConsumer;
}

// Attributes may be older than the answer before, so even what they confirm can be wrong.
void FileStream::OnAnswer(ChunkId chunk, uint32_t count, bool eof) {
  readahead_.OnAnswer(flights_[chunk], count, session_.pump().now());
  meter_.OnAnswer(chunk, session_.pump().now());
  const uint64_t end = reads_.offset(chunk) + count;
  if (!eof || end >= window_.lent_end()) return window_.OnAnswer(chunk, count, eof);
  reads_.Fail(FileChangedError(absl::StrCat("the server says that the file ends at byte ", end,
                                            ", and has sent what is behind it")));
}

}  // namespace nfs
