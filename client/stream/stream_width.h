// How many connections carry a stream when nobody has said (nconnect=auto): looks at it now and
// then, and does what client/connection/widening.h says.
#ifndef CLIENT_STREAM_STREAM_WIDTH_H_
#define CLIENT_STREAM_STREAM_WIDTH_H_

#include <cstdint>
#include <optional>

#include "absl/time/time.h"
#include "client/connection/trunk.h"
#include "client/connection/widening.h"
#include "client/options.h"

namespace nfs {

// Thread-compatible, with its trunk.
class StreamWidth {
 public:
  // A receive buffer that is larger would have a window that TCP cannot announce on a
  // connection made with Linux's defaults (a scale of 7).
  static constexpr uint64_t kLargestReceiveBuffer = uint64_t{16} << 20;
  // What all of them have of options.max_memory.
  static constexpr uint64_t kShareOfMemory = 4;

  // Does nothing if the options say how many. REQUIRES: both outlive it.
  StreamWidth(Trunk& trunk, const Options& options);

  // How far the stream is, and what one READ asks for; in bytes.
  struct Progress {
    uint64_t in_flight = 0;
    uint64_t to_come = 0;
    uint64_t read_bytes = 0;
  };
  absl::Time next_look() const {
    return is_automatic_ ? widening_.next_look() : absl::InfiniteFuture();
  }
  void Look(const Progress& progress, absl::Time now);

  // How many times as many connections there are as at the look before; and whether the stream
  // goes over several that have found themselves, each asked for by its pace.
  double growth() const { return growth_; }
  bool is_spread() const { return is_automatic_ && (width_ > 1 || connected_ > 1); }
  // Memory of the kernel that was asked for beyond what it gives by itself, in bytes. It counts as
  // memory of the stream.
  uint64_t receive_buffers() const;

 private:
  void SetWidth(int width);
  void EnlargeReceiveBuffers();

  Trunk& trunk_;
  const Options& options_;
  const bool is_automatic_;
  Widening widening_;
  int width_;
  int connected_;
  double growth_ = 1;
  uint64_t receive_window_ = 0;  // of each connection, as the machine has it by itself
  bool has_tried_buffers_ = false;
  uint64_t receive_buffer_ = 0;  // of each connection; 0: the machine's choice
};

}  // namespace nfs

#endif  // CLIENT_STREAM_STREAM_WIDTH_H_
