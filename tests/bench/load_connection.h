// One connection of the load server: calls in, replies out, until the client is gone.
#ifndef TESTS_BENCH_LOAD_CONNECTION_H_
#define TESTS_BENCH_LOAD_CONNECTION_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tests/bench/pattern.h"
#include "tests/bench/read_replies.h"
#include "tests/server/reply_buffer.h"
#include "tests/server/server.h"
#include "xdr/types.h"

namespace bench {

// What all connections share. Thread-safe.
struct LoadState {
  explicit LoadState(uint32_t rsize_bytes) : rsize(rsize_bytes) {}

  const uint32_t rsize;  // of a READ, at most
  const Pattern pattern = {};
  server::Server served{/*logged_calls=*/0};  // answers all calls but READ
  std::vector<ServedFile> files;              // not changed while there are connections
  std::atomic<uint64_t> connections = 0;      // since the start
  std::atomic<uint64_t> other_calls = 0;      // ... calls that were no READs
  std::atomic<uint64_t> reads = 0;
  // other_calls and connections when the first READ came.
  std::atomic<uint64_t> calls_before_read = 0;
  std::atomic<uint64_t> connections_before_read = 0;
};

// Thread-compatible: Run() has a thread of its own.
class LoadConnection {
 public:
  // `fd` is a blocking socket, and stays the caller's; `state` outlives the connection.
  LoadConnection(int fd, LoadState& state);

  // Serves until the client closes, or sends what is no call in one fragment.
  void Run();

 private:
  bool Receive();
  bool TakeRecords();
  bool TakeRecord(xdr::ByteView record);
  bool AnswerRead(const ReadCall& call);
  bool AnswerOther(xdr::ByteView record);
  void CountRead();
  const ServedFile* FindFile(xdr::ByteView handle) const;
  bool Flush();
  bool Send(std::span<iovec> spans);

  const int fd_;
  LoadState& state_;
  std::vector<std::byte> received_;
  size_t begin_ = 0;  // of what has been received and not been taken
  size_t end_ = 0;
  ReadReplies replies_;
  server::ReplyBuffer other_;
};

}  // namespace bench

#endif  // TESTS_BENCH_LOAD_CONNECTION_H_
