// Tested by tests/client/diversion_test.cc.
// READ replies whose data goes past memory. They are judged before it as others are
// afterwards: an answer that tells of a change is not used. What then could still make
// the stream take a part of it back is kept, so that nothing has to be taken back.
#include "client/stream/file_stream.h"

namespace nfs {

void FileStream::TakeDiverted() {
  const Connection::Diverted diverted = session_.trunk().TakeDiverted();
  pipe_ = diverted.pipe;
  if (diverted.bytes == 0) return;
  diverted_bytes_ += diverted.bytes;
  window_.HandOut(arrived_, static_cast<uint32_t>(diverted.bytes));
}

FileStream::Arrival FileStream::arrival() {
  const std::optional<rpc::Arrival> found = session_.trunk().arrival();
  if (!found.has_value()) return Arrival::kNone;
  const Arrival place = Judge(*found);
  if (place == Arrival::kNone) session_.trunk().Keep();
  return place;
}

FileStream::Arrival FileStream::Judge(const rpc::Arrival& arrival) {
  if (!status().ok()) return Arrival::kNone;
  if (arrival.left != arrival.payload_bytes) return Arrival::kNext;  // it was judged before
  if (arrival.payload_bytes < divert_from_ || !reads_.IsSound(arrival)) return Arrival::kNone;
  arrived_ = static_cast<ChunkId>(arrival.tag);
  switch (window_.PlaceOf(arrived_)) {
    case Window::Place::kNext: return Arrival::kNext;
    case Window::Place::kBehind: return Arrival::kBehind;
    case Window::Place::kLater: return Arrival::kNone;
  }
  return Arrival::kNone;
}

void FileStream::Divert(int fd) { session_.trunk().Divert(fd); }

void FileStream::KeepArrival() { session_.trunk().Keep(); }

}  // namespace nfs
