// Tested by tests/client/auto_nconnect_test.cc.
#include "client/stream/stream_width.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace nfs {

StreamWidth::StreamWidth(Trunk& trunk, const Options& options)
    : trunk_(trunk),
      options_(options),
      is_automatic_(!options.nconnect.has_value()),
      widening_(kMostConnections, trunk.width()),
      width_(trunk.width()),
      connected_(std::max(trunk.connected(), 1)) {}

void StreamWidth::Look(const Progress& progress, absl::Time now) {
  const io::ConnectionState tcp = trunk_.OnRound();
  // The peer's send buffer is about as large, and nobody enlarges that.
  if (receive_buffer_ == 0) receive_window_ = tcp.receive_window;
  widening_.OnLook({.now = now,
                    .connections = trunk_.connected(),
                    .received = tcp.received,
                    .in_flight = progress.in_flight,
                    .to_come = progress.to_come,
                    .round_trip = tcp.round_trip,
                    .recent_round_trip = tcp.recent_round_trip,
                    .receive_window = receive_window_,
                    .slots = static_cast<uint64_t>(options_.slots) * progress.read_bytes,
                    .out_of_order = tcp.out_of_order});
  const int connected = std::max(trunk_.connected(), 1);
  growth_ = static_cast<double>(connected) / connected_;
  connected_ = connected;
  if (widening_.wanted() != width_) SetWidth(widening_.wanted());
  if (widening_.needs_larger_windows()) EnlargeReceiveBuffers();
}

void StreamWidth::SetWidth(int width) {
  width_ = width;
  trunk_.SetWidth(width);
  if (options_.note != nullptr) options_.note(absl::StrCat("connections: ", width));
}

uint64_t StreamWidth::receive_buffers() const {
  return receive_buffer_ * static_cast<uint64_t>(width_);
}

// Only when there cannot be more connections: those have buffers that the kernel tunes.
void StreamWidth::EnlargeReceiveBuffers() {
  const auto share = options_.max_memory / kShareOfMemory / static_cast<uint64_t>(width_);
  const uint64_t bytes = std::min(share, kLargestReceiveBuffer);
  if (width_ < kMostConnections || has_tried_buffers_ || bytes / 2 <= receive_window_) return;
  has_tried_buffers_ = true;  // who may not now may not later
  if (trunk_.EnlargeReceiveBuffers(bytes)) receive_buffer_ = bytes;
}

}  // namespace nfs
