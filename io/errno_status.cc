// Tested by tests/io/errno_status_test.cc.
#include "io/errno_status.h"

#include <cassert>
#include <cerrno>
#include <cstring>
#include <span>
#include <string>

#include "absl/strings/str_cat.h"

namespace io {

namespace {

using absl::StatusCode;

struct Meaning {
  int error;
  StatusCode code;
};

constexpr Meaning kSocketErrors[] = {
    {ECONNREFUSED, StatusCode::kUnavailable},
    {ECONNRESET, StatusCode::kUnavailable},
    {ECONNABORTED, StatusCode::kUnavailable},
    {ETIMEDOUT, StatusCode::kUnavailable},
    {EPIPE, StatusCode::kUnavailable},
    {ENOTCONN, StatusCode::kUnavailable},
    {ESHUTDOWN, StatusCode::kUnavailable},
    {EHOSTUNREACH, StatusCode::kUnavailable},
    {EHOSTDOWN, StatusCode::kUnavailable},
    {ENETUNREACH, StatusCode::kUnavailable},
    {ENETDOWN, StatusCode::kUnavailable},
    {ENETRESET, StatusCode::kUnavailable},
    {ENONET, StatusCode::kUnavailable},
    {ENOPROTOOPT, StatusCode::kUnavailable},  // ICMP: protocol unreachable
    {EOPNOTSUPP, StatusCode::kUnavailable},   // ICMP: source route failed
    {EPROTO, StatusCode::kUnavailable},
    {EIO, StatusCode::kUnavailable},
    {ECANCELED, StatusCode::kUnavailable},  // its thread has ended
    {EACCES, StatusCode::kPermissionDenied},
    {EPERM, StatusCode::kPermissionDenied},  // a firewall's word, too
    {EMFILE, StatusCode::kResourceExhausted},
    {ENFILE, StatusCode::kResourceExhausted},
    {ENOBUFS, StatusCode::kResourceExhausted},
    {ENOMEM, StatusCode::kResourceExhausted},
    {EADDRINUSE, StatusCode::kResourceExhausted},
    {EADDRNOTAVAIL, StatusCode::kResourceExhausted},  // no source port is free
    {EAFNOSUPPORT, StatusCode::kUnimplemented},
    {EPROTONOSUPPORT, StatusCode::kUnimplemented},
    {ENOSYS, StatusCode::kUnimplemented},
    {EINVAL, StatusCode::kInvalidArgument},  // a link-local address without a scope
};

constexpr Meaning kOutputErrors[] = {
    {EPIPE, StatusCode::kAborted},
    {ECONNRESET, StatusCode::kAborted},  // a socket's way to say it
    {ENOSPC, StatusCode::kResourceExhausted},
    {EDQUOT, StatusCode::kResourceExhausted},
    {EFBIG, StatusCode::kResourceExhausted},
    {ENOMEM, StatusCode::kResourceExhausted},
    {ENOBUFS, StatusCode::kResourceExhausted},
    {EACCES, StatusCode::kPermissionDenied},
    {EPERM, StatusCode::kPermissionDenied},
    {EROFS, StatusCode::kPermissionDenied},
    {EBADF, StatusCode::kInvalidArgument},
    {EINVAL, StatusCode::kInvalidArgument},
    {EISDIR, StatusCode::kInvalidArgument},
    {ESPIPE, StatusCode::kInvalidArgument},
    {EIO, StatusCode::kDataLoss},
};

StatusCode CodeOf(int error, std::span<const Meaning> meanings) {
  for (const Meaning& meaning : meanings) {
    if (meaning.error == error) return meaning.code;
  }
  return StatusCode::kInternal;
}

std::string Words(absl::string_view operation, int error) {
  assert(error != 0);
  const char* name = strerrorname_np(error);
  const char* words = strerrordesc_np(error);
  return absl::StrCat(operation, ": ", name != nullptr ? name : "errno", " (", error,
                      "): ", words != nullptr ? words : "unknown");
}

}  // namespace

absl::Status SocketError(absl::string_view operation, int error) {
  return absl::Status(CodeOf(error, kSocketErrors), Words(operation, error));
}

absl::Status SocketError(absl::string_view operation, int error, const Address& peer) {
  return absl::Status(CodeOf(error, kSocketErrors),
                      absl::StrCat(Words(operation, error), " [", peer.ToString(), "]"));
}

absl::Status PeerClosed(const Address& peer) {
  return absl::UnavailableError(
      absl::StrCat("recv: the peer closed the connection [", peer.ToString(), "]"));
}

absl::Status OutputError(int error) { return OutputError("write", error); }

absl::Status OutputError(absl::string_view operation, int error) {
  return absl::Status(CodeOf(error, kOutputErrors), Words(operation, error));
}

}  // namespace io
