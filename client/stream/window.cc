// Tested by tests/client/window_test.cc.
#include "client/stream/window.h"

#include <algorithm>
#include <cassert>

namespace nfs {

uint32_t Window::ChunkCount(const Options& options) {
  return std::max(options.window_chunks, 1u) + options.lent_chunks;
}

Window::Window(const Options& options, std::span<std::byte> memory)
    : options_(options),
      memory_(memory),
      ring_(ChunkCount(options)),
      window_chunks_(options.window_chunks),
      next_offset_(options.begin),
      size_hint_(options.size_hint),
      end_(std::max(options.begin, options.end)) {
  assert(options.chunk_bytes >= 1 && options.lent_chunks >= 1);
  assert(memory.size() >= ring_.size() * options.chunk_bytes);
}

uint64_t Window::NumberOf(ChunkId chunk) const {
  // The only number from oldest_ on that has this place in the ring.
  const uint64_t size = ring_.size();
  return oldest_ + (chunk + size - oldest_ % size) % size;
}

uint64_t Window::OffsetOf(uint64_t number) const {
  return options_.begin + number * options_.chunk_bytes;
}

// Not by offsets, which wrap around beyond the largest file.
uint64_t Window::ChunksBefore(uint64_t end) const {
  const uint64_t bytes = end - options_.begin;
  return bytes / options_.chunk_bytes + (bytes % options_.chunk_bytes != 0 ? 1 : 0);
}

std::span<std::byte> Window::MemoryOf(uint64_t number) const {
  return memory_.subspan(size_t{At(number).place} * options_.chunk_bytes, options_.chunk_bytes);
}

std::optional<uint32_t> Window::NextPlace() const {
  if (oldest_ == ask_) return 0;
  const uint32_t begin = At(oldest_).place;
  const uint32_t end = At(ask_ - 1).place + 1;
  const auto size = static_cast<uint32_t>(ring_.size());
  const auto below = [](uint32_t place, uint32_t limit) {
    return place < limit ? std::optional(place) : std::nullopt;
  };
  // The window has become larger since: on behind the oldest ones, as far as memory goes.
  if (end == begin) return below(At(begun_again_ - 1).place + 1, size);
  if (end < begin) return below(end, begin);
  if (oldest_ < begun_again_) return below(end, size);
  const uint64_t enough = uint64_t{std::max(window_chunks_, 1u)} + options_.lent_chunks;
  const uint64_t most = end >= enough && begin != 0 ? enough : size;
  if (end < most) return end;
  return begin != 0 ? std::optional(0u) : std::nullopt;
}

void Window::Resize(uint32_t chunks) {
  assert(chunks <= options_.window_chunks);
  window_chunks_ = chunks;
}

// --- Asking ----------------------------------------------------------------

std::optional<Window::Ask> Window::NextAsk(bool consumer_waits) {
  if (holes_ != 0) return AskForHole();
  return AskForNew(consumer_waits);
}

std::optional<Window::Ask> Window::AskForHole() {
  for (uint64_t number = next_; number < ask_; ++number) {
    const Chunk& chunk = At(number);
    if (chunk.in_flight || chunk.filled == chunk.wanted) continue;
    --holes_;
    return Send(number);
  }
  assert(false && "a hole is counted that is not there");
  return std::nullopt;
}

std::optional<Window::Ask> Window::AskForNew(bool consumer_waits) {
  const uint64_t limit = std::max(window_chunks_, consumer_waits ? 1u : 0u);
  if (ask_ - next_ >= limit || ask_ >= ChunksBefore(end_)) return std::nullopt;
  const std::optional<uint32_t> place = NextPlace();
  if (!place.has_value()) return std::nullopt;
  const uint64_t offset = OffsetOf(ask_);
  if (offset >= size_hint_ && !MayProbe()) return std::nullopt;
  Chunk& chunk = At(ask_);
  chunk.wanted = static_cast<uint32_t>(std::min<uint64_t>(options_.chunk_bytes, end_ - offset));
  chunk.filled = chunk.handed_out = 0;
  chunk.place = *place;
  if (*place == 0) begun_again_ = ask_;
  chunk.is_lent = chunk.is_back = false;
  return Send(ask_++);
}

// Beyond the size that the attributes tell: only when all before has come, and the
// server did not say that it was the end.
bool Window::MayProbe() const { return in_flight_ == 0 && !eof_.has_value(); }

Window::Ask Window::Send(uint64_t number) {
  Chunk& chunk = At(number);
  chunk.in_flight = true;
  ++in_flight_;
  Ask ask;
  ask.chunk = static_cast<ChunkId>(number % ring_.size());
  ask.offset = OffsetOf(number) + chunk.filled;
  ask.memory = MemoryOf(number).subspan(chunk.filled, chunk.wanted - chunk.filled);
  CheckInvariants();
  return ask;
}

// --- Answers ---------------------------------------------------------------

void Window::OnAnswer(ChunkId id, uint32_t count, bool eof) {
  const uint64_t number = NumberOf(id);
  Chunk& chunk = At(number);
  assert(chunk.in_flight && count <= chunk.wanted - chunk.filled);
  chunk.in_flight = false;
  --in_flight_;
  chunk.filled += count;
  if (eof) EndAt(OffsetOf(number) + chunk.filled);
  // A chunk beyond the end has nothing more to ask for.
  const bool beyond = OffsetOf(number) >= end_;
  if (beyond) chunk.wanted = chunk.filled = 0;
  if (chunk.filled < chunk.wanted) ++holes_;
  PassHandedOut();
  CheckInvariants();
}

// A chunk that is whole, and has been handed out whole, is over.
void Window::PassHandedOut() {
  if (next_ == ask_) return;
  const Chunk& chunk = At(next_);
  if (chunk.handed_out == 0 || !IsReady(next_) || chunk.handed_out != chunk.filled) return;
  assert(oldest_ == next_);
  oldest_ = ++next_;
}

void Window::EndAt(uint64_t offset) {
  eof_ = std::min(offset, eof_.value_or(offset));
  end_ = std::min(end_, *eof_);
  holes_ = 0;
  for (uint64_t number = next_; number < ask_; ++number) {
    Chunk& chunk = At(number);
    if (chunk.is_lent) continue;
    const uint64_t begin = OffsetOf(number);
    const uint64_t left = end_ > begin ? end_ - begin : 0;
    chunk.wanted = static_cast<uint32_t>(std::min<uint64_t>(chunk.wanted, left));
    chunk.filled = std::min(chunk.filled, chunk.wanted);
    if (!chunk.in_flight && chunk.filled < chunk.wanted) ++holes_;
  }
}

// --- Handing out -----------------------------------------------------------

bool Window::CanLend() const { return !AtEnd() && next_ != ask_ && !IsLentOut() && IsReady(next_); }

std::optional<std::span<const std::byte>> Window::Lend() {
  if (!CanLend()) return std::nullopt;
  const uint64_t first = next_;
  size_t bytes = 0;
  do {
    const Chunk& chunk = At(next_++);
    bytes += chunk.filled - chunk.handed_out;
    next_offset_ += chunk.filled - chunk.handed_out;
  } while (CanLend() && IsAdjacent(next_));
  At(first).piece = static_cast<uint32_t>(next_ - first);
  CheckInvariants();
  // All but the file's last chunk are full, and of none but the first has a part been
  // handed out: there are no gaps.
  return std::span<const std::byte>(MemoryOf(first).data() + At(first).handed_out, bytes);
}

bool Window::IsReady(uint64_t number) const {
  const Chunk& chunk = At(number);
  return !chunk.in_flight && chunk.filled == chunk.wanted;
}

Window::Place Window::PlaceOf(ChunkId id) const {
  const uint64_t number = NumberOf(id);
  const Chunk& chunk = At(number);
  assert(chunk.in_flight);
  // What came of it before has to go out first, or has gone out already.
  if (chunk.filled != chunk.handed_out) return Place::kLater;
  for (uint64_t before = next_; before < number; ++before) {
    if (!IsReady(before)) return Place::kLater;
  }
  return number == next_ && lent() == 0 ? Place::kNext : Place::kBehind;
}

void Window::HandOut(ChunkId id, uint32_t bytes) {
  const uint64_t number = NumberOf(id);
  Chunk& chunk = At(number);
  assert(number == next_ && chunk.in_flight && lent() == 0);
  assert(bytes <= chunk.wanted - chunk.handed_out);
  chunk.handed_out += bytes;
  next_offset_ += bytes;
  CheckInvariants();
}

void Window::Release() {
  assert(oldest_ < next_);
  oldest_ += At(oldest_).piece;
  assert(oldest_ <= next_);
  CheckInvariants();
}

void Window::CheckInvariants() const {
  assert(oldest_ <= next_ && next_ <= ask_ && ask_ - oldest_ <= ring_.size());
  assert(holes_ + in_flight_ <= ask_ - next_);
  assert(next_offset_ <= end_);
}

}  // namespace nfs
