// Tested by tests/client/read_queue_test.cc.
#include "client/stream/read_queue.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace nfs {

namespace {

uint32_t MostReads(const Session& session) {
  const Options& options = session.options();
  return static_cast<uint32_t>(options.slots * options.nconnect.value_or(1));
}

// 0 to `count` - 1, the smallest last.
std::vector<uint32_t> Ids(uint32_t count) {
  std::vector<uint32_t> ids(count);
  for (uint32_t i = 0; i < count; ++i) ids[i] = count - 1 - i;
  return ids;
}

}  // namespace

ReadQueue::ReadQueue(Session& session, uint32_t most)
    : session_(session),
      pieces_(most),
      free_pieces_(Ids(most)),
      parts_(MostReads(session)),
      free_parts_(Ids(MostReads(session))),
      waiting_(most),
      reads_(session, *this, MostReads(session)) {
  assert(most >= 1);
  holes_.reserve(parts_.size());
  done_.reserve(most);
  session.trunk().Widen(session.options().nconnect.value_or(1));
}

void ReadQueue::Start(uint64_t offset, std::span<std::byte> to, uint64_t tag) {
  assert(CanStart());
  const PieceId id = free_pieces_.back();
  free_pieces_.pop_back();
  pieces_[id] = {.offset = offset, .to = to, .tag = tag, .end = to.size(), .is_active = true};
  reads_.ExpectReadsOf(std::min<size_t>(to.size(), session_.rsize()));
  if (to.empty()) return done_.push_back(id);
  waiting_[(first_waiting_ + waiting_count_++) % waiting_.size()] = id;
}

std::optional<ReadQueue::Done> ReadQueue::Next() {
  while (done_.empty()) {
    if (under_way() == 0) return std::nullopt;
    if (!reads_.status().ok()) return NextFailed();
    Turn(absl::InfiniteFuture());
  }
  const PieceId id = done_.back();
  done_.pop_back();
  return Finish(id);
}

void ReadQueue::Turn(absl::Time until) {
  reads_.AskAgain(/*is_last_look=*/true);
  while (reads_.CanAsk()) {
    const std::optional<ChunkId> id = NextRead();
    if (!id.has_value()) break;
    Ask(*id);
  }
  reads_.Wait(until);
  reads_.TakeReplies();
}

std::optional<ChunkId> ReadQueue::NextRead() {
  if (!holes_.empty()) {
    const ChunkId id = holes_.back();
    holes_.pop_back();
    return id;
  }
  if (waiting_count_ == 0 || free_parts_.empty()) return std::nullopt;
  return TakePart(waiting_[first_waiting_]);
}

ChunkId ReadQueue::TakePart(PieceId id) {
  Piece& piece = pieces_[id];
  const ChunkId read = free_parts_.back();
  free_parts_.pop_back();
  parts_[read] = {id, piece.asked, std::min<size_t>(piece.end - piece.asked, session_.rsize())};
  piece.asked += parts_[read].size;
  ++piece.parts;
  if (piece.asked == piece.end) StopAsking();
  return read;
}

void ReadQueue::Ask(ChunkId id) {
  const Part& part = parts_[id];
  const Piece& piece = pieces_[part.piece];
  reads_.Ask(id, piece.offset + part.begin, piece.to.subspan(part.begin, part.size));
}

void ReadQueue::OnAnswer(ChunkId id, uint32_t count, bool eof) {
  Part& part = parts_[id];
  Piece& piece = pieces_[part.piece];
  part.begin += count;
  part.size -= count;
  if (eof) EndAt(part.piece, part.begin);
  if (part.size != 0 && !eof) return holes_.push_back(id);
  free_parts_.push_back(id);
  --piece.parts;
  if (piece.parts == 0 && !IsFirstWaiting(part.piece)) done_.push_back(part.piece);
}

// Pieces are asked for in order: of those that wait, only the first has been begun.
void ReadQueue::EndAt(PieceId id, size_t end) {
  Piece& piece = pieces_[id];
  piece.end = std::min(piece.end, end);
  if (IsFirstWaiting(id) && piece.asked >= piece.end) StopAsking();
}

bool ReadQueue::IsFirstWaiting(PieceId id) const {
  return waiting_count_ != 0 && waiting_[first_waiting_] == id;
}

void ReadQueue::StopAsking() {
  first_waiting_ = (first_waiting_ + 1) % waiting_.size();
  --waiting_count_;
}

ReadQueue::Done ReadQueue::Finish(PieceId id) {
  Piece& piece = pieces_[id];
  piece.is_active = false;
  free_pieces_.push_back(id);
  return {.tag = piece.tag, .bytes = piece.end, .status = absl::OkStatus()};
}

std::optional<ReadQueue::Done> ReadQueue::NextFailed() {
  waiting_count_ = 0;
  for (PieceId id = 0; id < pieces_.size(); ++id) {
    if (!pieces_[id].is_active) continue;
    Done done = Finish(id);
    done.bytes = 0;
    done.status = reads_.status();
    return done;
  }
  return std::nullopt;
}

}  // namespace nfs
