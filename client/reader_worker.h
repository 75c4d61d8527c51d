// The thread behind a FileReader.
#ifndef CLIENT_READER_WORKER_H_
#define CLIENT_READER_WORKER_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "client/file_reader.h"
#include "client/options.h"
#include "client/session/session.h"
#include "client/stream/file_stream.h"
#include "client/target.h"

namespace nfs {

// Two threads meet here. The worker's own thread opens the session, turns the stream
// and closes both: nothing of them is touched by anyone else, except the transport's
// Wake(). The consumer's thread calls the public functions. What they share is under
// the mutex: pieces that are ready, and how many have been given back.
class FileReader::Worker {
 public:
  Worker(const Target& target, const Options& options, const Range& range);
  ~Worker();

  // Waits until the file is open, or could not be opened.
  absl::Status WaitUntilOpen();
  uint64_t size() ABSL_LOCKS_EXCLUDED(mutex_);

  // The next piece; waits for it. Empty at the end.
  absl::StatusOr<std::span<const std::byte>> Take();
  // Gives the oldest piece taken back.
  void GiveBack();

  void Stop();

 private:
  void Run();
  absl::Status Open();
  void AnnounceOpen(const absl::Status& status) ABSL_LOCKS_EXCLUDED(mutex_);
  // Moves what is ready to the consumer and what is given back to the stream. Whether
  // the stream is to be turned again.
  bool Exchange() ABSL_LOCKS_EXCLUDED(mutex_);
  bool ConsumerWaits() ABSL_LOCKS_EXCLUDED(mutex_);
  // Pieces stay lent, and so the stream stays, until the consumer stops.
  void AwaitStop() ABSL_LOCKS_EXCLUDED(mutex_);
  void WakeThread() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Target target_;
  const Options options_;
  const Range range_;

  // The worker thread's.
  std::unique_ptr<Session> session_;
  std::unique_ptr<FileStream> stream_;

  absl::Mutex mutex_;
  absl::CondVar changed_;  // signalled on every change that the consumer may wait for
  std::deque<std::span<const std::byte>> ready_ ABSL_GUARDED_BY(mutex_);
  int given_back_ ABSL_GUARDED_BY(mutex_) = 0;
  bool consumer_waits_ ABSL_GUARDED_BY(mutex_) = false;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  bool open_ ABSL_GUARDED_BY(mutex_) = false;      // Open() has ended
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;  // nothing more becomes ready
  absl::Status status_ ABSL_GUARDED_BY(mutex_);    // why not, if not for the end
  uint64_t size_ ABSL_GUARDED_BY(mutex_) = 0;
  // The stream's transport, while the thread may sleep in it.
  io::Transport* transport_ ABSL_GUARDED_BY(mutex_) = nullptr;

  std::thread thread_;
};

}  // namespace nfs

#endif  // CLIENT_READER_WORKER_H_
