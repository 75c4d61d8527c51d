// The thread behind a FileReader.
#ifndef CLIENT_READER_WORKER_H_
#define CLIENT_READER_WORKER_H_

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/file_reader.h"
#include "client/options.h"
#include "client/piece_queue.h"
#include "client/session/session.h"
#include "client/stream/file_stream.h"
#include "client/target.h"

namespace nfs {

// Two threads meet here. The worker's own thread opens the session, turns the stream
// and closes both: nothing of them is touched by anyone else, except the transport's
// Wake(). The consumer's thread calls the public functions. What they share is under
// the mutex: pieces that are ready, and how many have been given back.
//
// Nobody is woken without need, which would cost more than the receiving. The consumer is
// woken when it waits; on a fast path not for little, as more comes at once. The thread, which
// replies wake as long as there are calls, when the consumer waits and they would not help, or when
// so much has been given back that READs should go out for it.
class FileReader::Worker {
 public:
  Worker(const Target& target, const Options& options, const Range& range);
  ~Worker();

  // Waits until the file is open, or could not be opened.
  absl::Status WaitUntilOpen();
  uint64_t size();

  // The next piece; waits for it. Empty at the end.
  absl::StatusOr<std::span<const std::byte>> Take();
  // Gives the oldest piece taken back, which had so many bytes; nothing of none.
  void GiveBack(size_t bytes);

  void Stop();

 private:
  void Run();
  absl::Status Open();
  void AnnounceOpen(const absl::Status& status);
  // Moves what is ready to the consumer and what is given back to the stream. Whether
  // the stream is to be turned again.
  bool Exchange();
  // Whether the consumer, who waits, is to be woken now; if not, wake_at_ says when.
  bool IsWorthAWake();
  // One turn; for the time of it the consumer knows what is worth waking us for.
  void TurnStream();
  // Pieces stay lent, and so the stream stays, until the consumer stops.
  void AwaitStop();
  // REQUIRES: mutex_ is held.
  void WakeIfUseful();

  const Target target_;
  const Options options_;
  const Range range_;
  const uint64_t many_bytes_;  // given back, worth to wake the thread for

  // The worker thread's.
  std::unique_ptr<Session> session_;
  std::unique_ptr<FileStream> stream_;
  absl::Time wake_at_ = absl::InfiniteFuture();  // the consumer, with what is ready by then
  absl::Time woken_ = absl::InfinitePast();      // when it was, last

  // Of the standard library: ThreadSanitizer does not see through Debian's absl::Mutex.
  std::mutex mutex_;
  std::condition_variable changed_;  // told of every change that somebody may wait for

  // Under mutex_.
  PieceQueue ready_;
  int given_back_ = 0;             // pieces
  uint64_t given_back_bytes_ = 0;  // in them
  bool asleep_ = false;            // the thread, maybe, with
  bool has_calls_ = false;         // calls in flight, or with
  bool is_lent_out_ = false;       // the consumer holding all that it may
  bool consumer_waits_ = false;
  bool stopping_ = false;
  bool open_ = false;      // Open() has ended
  bool finished_ = false;  // nothing more becomes ready
  absl::Status status_;    // why not, if not for the end
  uint64_t size_ = 0;
  Pump* pump_ = nullptr;  // the stream's, while the thread may sleep in it

  std::thread thread_;
};

}  // namespace nfs

#endif  // CLIENT_READER_WORKER_H_
