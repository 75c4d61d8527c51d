// Tested by tests/client/file_reader_test.cc.
#include "client/reader_worker.h"

#include <algorithm>
#include <utility>

namespace nfs {

namespace {

// What is handed over ahead of the consumer, and what it holds.
constexpr uint64_t kLentBytes = 4 << 20;

// A consumer that was woken a moment ago is not woken again for less: that would cost more
// than what it gets.
constexpr absl::Duration kMoment = absl::Microseconds(200);
constexpr uint64_t kMuch = 512 << 10;

// Half a window: the other half keeps the path busy meanwhile.
uint64_t ManyBytes(const Options& options) {
  constexpr uint64_t kMost = 2 << 20;
  const uint64_t window = std::min(options.readahead.value_or(2 * kMost), options.max_memory / 2);
  return std::clamp<uint64_t>(window / 2, 1, kMost);
}

}  // namespace

FileReader::Worker::Worker(const Target& target, const Options& options, const Range& range)
    : target_(target),
      options_(options),
      range_(range),
      many_bytes_(ManyBytes(options)),
      thread_([this] { Run(); }) {}

FileReader::Worker::~Worker() { Stop(); }

// --- The consumer's side ---------------------------------------------------

absl::Status FileReader::Worker::WaitUntilOpen() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return open_; });
  return pump_ == nullptr ? status_ : absl::OkStatus();
}

uint64_t FileReader::Worker::size() {
  const std::lock_guard lock(mutex_);
  return size_;
}

absl::StatusOr<std::span<const std::byte>> FileReader::Worker::Take() {
  std::unique_lock lock(mutex_);
  consumer_waits_ = ready_.empty() && !finished_;
  if (consumer_waits_) WakeIfUseful();
  changed_.wait(lock, [this] { return !ready_.empty() || finished_; });
  consumer_waits_ = false;
  if (!ready_.empty()) return ready_.Pop();
  if (!status_.ok()) return status_;
  return std::span<const std::byte>();
}

void FileReader::Worker::GiveBack(size_t bytes) {
  if (bytes == 0) return;
  const std::lock_guard lock(mutex_);
  ++given_back_;
  given_back_bytes_ += bytes;
  WakeIfUseful();
}

void FileReader::Worker::WakeIfUseful() {
  if (!asleep_ || pump_ == nullptr) return;
  const bool would_not_come = !has_calls_ || is_lent_out_;
  if (!(consumer_waits_ && would_not_come) && given_back_bytes_ < many_bytes_) return;
  asleep_ = false;  // once is enough
  pump_->transport().Wake();
}

void FileReader::Worker::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    if (pump_ != nullptr) pump_->Cancel();
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

// --- The thread's side -----------------------------------------------------

void FileReader::Worker::Run() {
  const absl::Status status = Open();
  AnnounceOpen(status);
  if (status.ok()) {
    while (Exchange()) TurnStream();
  }
  AwaitStop();
  stream_.reset();
  session_.reset();
}

absl::Status FileReader::Worker::Open() {
  auto session = Session::Open(target_, options_);
  if (!session.ok()) return session.status();
  session_ = *std::move(session);
  auto stream = FileStream::Make(*session_, range_, kLentBytes);
  if (!stream.ok()) return stream.status();
  stream_ = *std::move(stream);
  return absl::OkStatus();
}

void FileReader::Worker::AnnounceOpen(const absl::Status& status) {
  const std::lock_guard lock(mutex_);
  open_ = true;
  if (status.ok()) {
    pump_ = &session_->pump();
    ready_ = PieceQueue(stream_->most_lent());
    size_ = session_->file().attributes.size;
  } else {
    finished_ = true;
    status_ = status;
  }
  changed_.notify_all();
}

bool FileReader::Worker::Exchange() {
  const std::lock_guard lock(mutex_);
  for (; given_back_ > 0; --given_back_) stream_->Release();
  given_back_bytes_ = 0;
  while (const auto bytes = stream_->Lend()) ready_.Push(*bytes);
  if (stream_->AtEnd() || !stream_->status().ok()) {
    finished_ = true;
    status_ = stream_->status();
  }
  wake_at_ = absl::InfiniteFuture();
  if (consumer_waits_ && (finished_ || !ready_.empty()) && IsWorthAWake()) {
    woken_ = session_->pump().now();
    changed_.notify_all();
  }
  return !finished_ && !stopping_;
}

bool FileReader::Worker::IsWorthAWake() {
  const absl::Time soon = woken_ + kMoment;
  const bool is_much = finished_ || ready_.bytes() >= kMuch || stream_->IsLentOut();
  if (is_much || session_->pump().now() >= soon) return true;
  wake_at_ = soon;
  return false;
}

void FileReader::Worker::TurnStream() {
  bool waits = false;
  {
    const std::lock_guard lock(mutex_);
    waits = consumer_waits_ && ready_.empty();
    asleep_ = true;
    has_calls_ = session_->trunk().calls_in_flight() != 0;
    is_lent_out_ = stream_->IsLentOut();
    WakeIfUseful();  // pieces may have come back since Exchange()
  }
  stream_->Turn(waits, wake_at_);
  const std::lock_guard lock(mutex_);
  asleep_ = false;
}

void FileReader::Worker::AwaitStop() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return stopping_; });
  pump_ = nullptr;
  finished_ = true;
  ready_.Clear();  // the pieces go with the stream
  status_ = absl::CancelledError("the reader is closed");
}

}  // namespace nfs
