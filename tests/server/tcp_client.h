// A blocking TCP client as small as can be, for the tests of the server.
#ifndef TESTS_SERVER_TCP_CLIENT_H_
#define TESTS_SERVER_TCP_CLIENT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "io/unique_fd.h"
#include "tests/server/conversation.h"

namespace server {

class TcpClient {
 public:
  // Connects to a port of 127.0.0.1, or of ::1.
  explicit TcpClient(uint16_t port, bool ipv6 = false);

  // 0 when connected, else an errno.
  int error() const { return error_; }
  uint16_t local_port() const;

  // As much of `bytes` as there is room for at once; how many, 0 in the end.
  size_t SendSome(xdr::ByteView bytes);
  // False when the connection is no more.
  bool Send(xdr::ByteView bytes);
  // So many bytes; fewer when the stream ends before, or fails: then error() says how
  // (0: the end). Waits ten seconds at most (error() is EAGAIN then).
  Bytes Receive(size_t size);
  // One record that came in one fragment.
  std::vector<Reply> ReceiveReply();

  template <typename Args>
  void Call(const rpc::Procedure& procedure, const Args& args) {
    EXPECT_TRUE(Send(EncodeCall(++xid_, procedure, args, User(0, 0))));
  }
  template <typename Results, typename Args>
  Results Ask(const rpc::Procedure& procedure, const Args& args) {
    Call(procedure, args);
    const std::vector<Reply> replies = ReceiveReply();
    EXPECT_EQ(replies.size(), 1u);
    return replies.empty() ? Results() : replies[0].As<Results>();
  }

 private:
  io::UniqueFd fd_;
  int error_ = 0;
  uint32_t xid_ = 0;
};

}  // namespace server

#endif  // TESTS_SERVER_TCP_CLIENT_H_
