// Tested by tests/server/loopback_udp_test.cc.
#include "tests/server/udp_port.h"

#include <sys/socket.h>

#include <optional>

#include "tests/server/loopback_address.h"

namespace server {

void UdpPort::Receive(absl::Time now) {
  for (;;) {
    SocketAddress from;
    from.size = sizeof(from.storage);
    const ssize_t size = ::recvfrom(fd_.get(), received_.data(), received_.size(), MSG_DONTWAIT,
                                    from.raw(), &from.size);
    if (size < 0) return;
    const xdr::ByteView bytes = xdr::ByteView(received_).first(static_cast<size_t>(size));
    protocol_.OnDatagram(bytes, PeerOf(from.storage, Transport::kUdp), now);
  }
}

void UdpPort::Send(absl::Time now) {
  while (const std::optional<Datagram> datagram = protocol_.TakeDatagram(now)) {
    absl::StatusOr<SocketAddress> to = ToLoopback(datagram->to.address, datagram->to.source_port);
    if (!to.ok()) continue;
    const xdr::ByteView bytes = datagram->bytes.view();
    ::sendto(fd_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL, to->raw(),
             to->size);
  }
}

}  // namespace server
