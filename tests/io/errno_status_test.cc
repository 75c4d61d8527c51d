// Every errno gets its name, its number, its words and the right code.
#include "io/errno_status.h"

#include <cerrno>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace io {
namespace {

using absl::StatusCode;

std::string MessageOf(const absl::Status& status) { return std::string(status.message()); }

TEST(SocketErrors, NameOperationErrorNumberWordsAndPeer) {
  EXPECT_EQ(MessageOf(SocketError("connect", ECONNREFUSED, Address::Loopback(2049))),
            "connect: ECONNREFUSED (111): Connection refused [127.0.0.1:2049]");
  EXPECT_EQ(MessageOf(SocketError("eventfd", EMFILE)), "eventfd: EMFILE (24): Too many open files");
  EXPECT_EQ(MessageOf(SocketError("connect", 4095)), "connect: errno (4095): unknown");
}

TEST(SocketErrors, WhatAnotherTryMayMendIsUnavailable) {
  for (const int error : {ECONNREFUSED, ECONNRESET, ECONNABORTED, ETIMEDOUT, EPIPE, EHOSTUNREACH,
                          EHOSTDOWN, ENETUNREACH, ENETDOWN, ENETRESET, ENOTCONN}) {
    EXPECT_EQ(SocketError("connect", error).code(), StatusCode::kUnavailable) << error;
  }
}

TEST(SocketErrors, TheMachinesOwnRefusalsAreTold) {
  for (const int error : {EACCES, EPERM}) {
    EXPECT_EQ(SocketError("bind", error).code(), StatusCode::kPermissionDenied) << error;
  }
  for (const int error : {EMFILE, ENFILE, ENOBUFS, ENOMEM, EADDRINUSE, EADDRNOTAVAIL}) {
    EXPECT_EQ(SocketError("bind", error).code(), StatusCode::kResourceExhausted) << error;
  }
  EXPECT_EQ(SocketError("socket", EAFNOSUPPORT).code(), StatusCode::kUnimplemented);
  EXPECT_EQ(SocketError("connect", EINVAL).code(), StatusCode::kInvalidArgument);
}

TEST(SocketErrors, WhatShouldNotHappenIsInternal) {
  for (const int error : {EBADF, EFAULT, ENOTSOCK, 4095}) {
    EXPECT_EQ(SocketError("send", error).code(), StatusCode::kInternal) << error;
  }
}

TEST(OutputErrors, ANobodyThatReadsIsToldFromAllElse) {
  EXPECT_EQ(MessageOf(OutputError(EPIPE)), "write: EPIPE (32): Broken pipe");
  EXPECT_EQ(OutputError(EPIPE).code(), StatusCode::kAborted);
  EXPECT_EQ(OutputError(ENOSPC).code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(OutputError(EDQUOT).code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(OutputError(EFBIG).code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(OutputError(EROFS).code(), StatusCode::kPermissionDenied);
  EXPECT_EQ(OutputError(EBADF).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(OutputError(EIO).code(), StatusCode::kDataLoss);
  EXPECT_EQ(OutputError(ELOOP).code(), StatusCode::kInternal);
}

TEST(TheEndOfAStream, IsUnavailableAndNamesThePeer) {
  const absl::Status status = PeerClosed(Address::Loopback(2049));
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_EQ(MessageOf(status), "recv: the peer closed the connection [127.0.0.1:2049]");
}

}  // namespace
}  // namespace io
