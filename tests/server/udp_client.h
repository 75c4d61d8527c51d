// A blocking UDP client as small as can be, for the tests of the server.
#ifndef TESTS_SERVER_UDP_CLIENT_H_
#define TESTS_SERVER_UDP_CLIENT_H_

#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "io/unique_fd.h"
#include "tests/server/conversation.h"

namespace server {

class UdpClient {
 public:
  explicit UdpClient(uint16_t port, const std::string& address = "127.0.0.1");

  uint16_t local_port() const;

  void Send(xdr::ByteView bytes);
  // One datagram. Waits ten seconds at most, and is empty then, or when nobody listens.
  Bytes Receive();

  template <typename Args>
  void Call(const rpc::Procedure& procedure, const Args& args) {
    const Bytes record = EncodeCall(++xid_, procedure, args, User(0, 0));
    Send(xdr::ByteView(record).subspan(4));
  }
  template <typename Results, typename Args>
  Results Ask(const rpc::Procedure& procedure, const Args& args) {
    Call(procedure, args);
    return DecodeReply(Receive()).As<Results>();
  }

 private:
  io::UniqueFd fd_;
  uint32_t xid_ = 0;
};

}  // namespace server

#endif  // TESTS_SERVER_UDP_CLIENT_H_
