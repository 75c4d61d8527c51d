// Tested by tests/client/diversion_test.cc.
// Replies that can go past memory are asked for while there is one connection; which one it is
// may change, and others may join, before they come.
#include <algorithm>

#include "client/connection/trunk.h"

namespace nfs {

Connection* Trunk::Arrived() const {
  const auto found = std::ranges::find_if(
      members_, [](const Member& member) { return member.connection->arrival().has_value(); });
  return found == members_.end() ? nullptr : found->connection.get();
}

std::optional<rpc::Arrival> Trunk::arrival() const {
  const Connection* const arrived = Arrived();
  return arrived != nullptr ? arrived->arrival() : std::nullopt;
}

void Trunk::Keep() {
  if (Connection* const arrived = Arrived()) arrived->Keep();
}

void Trunk::Divert(int fd) {
  if (Connection* const arrived = Arrived()) arrived->Divert(fd);
}

bool Trunk::is_diverting() const {
  return std::ranges::any_of(
      members_, [](const Member& member) { return member.connection->is_diverting(); });
}

Connection::Diverted Trunk::TakeDiverted() {
  Connection::Diverted sum;
  for (const Member& member : members_) {
    const Connection::Diverted diverted = member.connection->TakeDiverted();
    sum.bytes += diverted.bytes;
    if (diverted.pipe != Connection::Pipe::kTakes) sum.pipe = diverted.pipe;
  }
  return sum;
}

}  // namespace nfs
