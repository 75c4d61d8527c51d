// READs in flight on a blocking socket, and no more than is needed for that: the calls are
// one call's bytes with other numbers in them, and of the replies only the length is known.
#ifndef TESTS_BENCH_READ_TRAIN_H_
#define TESTS_BENCH_READ_TRAIN_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "client/protocol/nfs3_types.h"

namespace bench {

// Reads a file from 0 to its end. Thread-compatible.
class ReadTrain {
 public:
  struct Shape {
    uint64_t size = 0;    // of the file, bytes
    uint32_t rsize = 0;   // of a READ
    uint32_t window = 1;  // READs in flight
  };

  // `fd` is connected to the server and stays the caller's. REQUIRES: the server answers
  // every READ in full, with attributes and without a verifier.
  ReadTrain(int fd, const nfs3::FileHandle3& handle, const Shape& shape);

  // Fills up the window once a quarter of it is free, with one send for all.
  absl::Status Send();
  // The bytes of replies, heads and data, that are still to come: for all calls sent, and
  // for the whole file.
  uint64_t bytes_in_flight() const { return asked_ - received_; }
  uint64_t bytes_left() const { return ReplyBytes(reads_) - received_; }
  // Of them `size` have been received.
  void OnReceived(uint64_t size) { received_ += size; }

 private:
  uint64_t ReplyBytes(uint64_t reads) const;
  void PutCalls(uint64_t count);

  const int fd_;
  const Shape shape_;
  const uint64_t reads_;          // in all
  std::vector<std::byte> call_;   // one, with its mark
  std::vector<std::byte> calls_;  // to be sent
  uint64_t sent_ = 0;             // calls
  uint64_t asked_ = 0;            // bytes of their replies
  uint64_t received_ = 0;
};

}  // namespace bench

#endif  // TESTS_BENCH_READ_TRAIN_H_
