// Tested by tests/client/file_reader_test.cc.
#include "client/reader_worker.h"

#include <utility>

namespace nfs {

namespace {

// Pieces that are handed over ahead of the consumer, and the one it holds.
constexpr uint32_t kLentChunks = 4;

}  // namespace

FileReader::Worker::Worker(const Target& target, const Options& options, const Range& range)
    : target_(target), options_(options), range_(range), thread_([this] { Run(); }) {}

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
  while (ready_.empty() && !finished_) {
    consumer_waits_ = true;
    WakeThread();
    changed_.wait(lock);
  }
  consumer_waits_ = false;
  if (!ready_.empty()) {
    const std::span<const std::byte> bytes = ready_.front();
    ready_.pop_front();
    return bytes;
  }
  if (!status_.ok()) return status_;
  return std::span<const std::byte>();
}

void FileReader::Worker::GiveBack() {
  const std::lock_guard lock(mutex_);
  ++given_back_;
  WakeThread();
}

void FileReader::Worker::WakeThread() {
  if (pump_ != nullptr) pump_->transport().Wake();
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
    while (Exchange()) stream_->Turn(ConsumerWaits(), absl::InfiniteFuture());
  }
  AwaitStop();
  stream_.reset();
  session_.reset();
}

absl::Status FileReader::Worker::Open() {
  auto session = Session::Open(target_, options_);
  if (!session.ok()) return session.status();
  session_ = *std::move(session);
  auto stream = FileStream::Make(*session_, range_, kLentChunks);
  if (!stream.ok()) return stream.status();
  stream_ = *std::move(stream);
  return absl::OkStatus();
}

void FileReader::Worker::AnnounceOpen(const absl::Status& status) {
  const std::lock_guard lock(mutex_);
  open_ = true;
  if (status.ok()) {
    pump_ = &session_->pump();
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
  while (const auto bytes = stream_->Lend()) ready_.push_back(*bytes);
  if (stream_->AtEnd() || !stream_->status().ok()) {
    finished_ = true;
    status_ = stream_->status();
  }
  if (consumer_waits_ && (finished_ || !ready_.empty())) changed_.notify_all();
  return !finished_ && !stopping_;
}

bool FileReader::Worker::ConsumerWaits() {
  const std::lock_guard lock(mutex_);
  return consumer_waits_ && ready_.empty();
}

void FileReader::Worker::AwaitStop() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return stopping_; });
  pump_ = nullptr;
  finished_ = true;
  ready_.clear();  // the pieces go with the stream
  status_ = absl::CancelledError("the reader is closed");
}

}  // namespace nfs
