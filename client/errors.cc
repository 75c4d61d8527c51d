// Tested by tests/client/errors_test.cc.
#include "client/errors.h"

#include <string>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace nfs {

namespace {

// A status carries its class and the server's number as payloads: absl's codes alone
// cannot tell a MOUNT refused from a READ refused.
constexpr absl::string_view kKindUrl = "nfs/kind";
constexpr absl::string_view kNfsStatusUrl = "nfs/nfsstat3";

absl::Status WithKind(ErrorKind kind, absl::StatusCode code, absl::string_view text) {
  absl::Status status(code, text);
  status.SetPayload(kKindUrl, absl::Cord(absl::StrCat(static_cast<int>(kind))));
  return status;
}

std::optional<uint32_t> Payload(const absl::Status& status, absl::string_view url) {
  const absl::optional<absl::Cord> payload = status.GetPayload(url);
  uint32_t number = 0;
  if (!payload.has_value() || !absl::SimpleAtoi(std::string(*payload), &number)) {
    return std::nullopt;
  }
  return number;
}

absl::StatusCode CodeOf(nfs3::Status status) {
  switch (status) {
    case nfs3::Status::kNoEnt: return absl::StatusCode::kNotFound;
    case nfs3::Status::kPerm:
    case nfs3::Status::kAcces: return absl::StatusCode::kPermissionDenied;
    case nfs3::Status::kJukebox: return absl::StatusCode::kUnavailable;
    case nfs3::Status::kIsDir:
    case nfs3::Status::kNotDir:
    case nfs3::Status::kInval:
    case nfs3::Status::kStale: return absl::StatusCode::kFailedPrecondition;
    default: return absl::StatusCode::kInternal;
  }
}

absl::Status WithMessage(const absl::Status& status, absl::string_view message) {
  absl::Status changed(status.code(), message);
  status.ForEachPayload(
      [&](absl::string_view url, const absl::Cord& payload) { changed.SetPayload(url, payload); });
  return changed;
}

}  // namespace

ErrorKind KindOf(const absl::Status& status) {
  if (const auto kind = Payload(status, kKindUrl)) return static_cast<ErrorKind>(*kind);
  switch (status.code()) {
    case absl::StatusCode::kOk: return ErrorKind::kNone;
    case absl::StatusCode::kInvalidArgument: return ErrorKind::kUsage;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kUnimplemented: return ErrorKind::kUnreachable;
    case absl::StatusCode::kUnauthenticated: return ErrorKind::kMountRefused;
    case absl::StatusCode::kDeadlineExceeded: return ErrorKind::kTimedOut;
    case absl::StatusCode::kDataLoss: return ErrorKind::kProtocol;
    default: return ErrorKind::kLocal;
  }
}

std::optional<nfs3::Status> NfsStatusOf(const absl::Status& status) {
  const std::optional<uint32_t> number = Payload(status, kNfsStatusUrl);
  if (!number.has_value()) return std::nullopt;
  return static_cast<nfs3::Status>(*number);
}

bool IsStale(const absl::Status& status) {
  const std::optional<nfs3::Status> refusal = NfsStatusOf(status);
  return refusal.has_value() && nfs3::IsBadHandle(*refusal);
}

absl::Status NfsError(absl::string_view procedure, nfs3::Status status) {
  return NfsError(procedure, status, "");
}

absl::Status NfsError(absl::string_view procedure, nfs3::Status status, absl::string_view detail) {
  const std::string text = absl::StrCat(procedure, ": ", nfs3::Text(status), detail);
  absl::Status error = WithKind(ErrorKind::kNfs, CodeOf(status), text);
  error.SetPayload(kNfsStatusUrl, absl::Cord(absl::StrCat(static_cast<uint32_t>(status))));
  return error;
}

absl::Status PathError(absl::string_view text) {
  return WithKind(ErrorKind::kNfs, absl::StatusCode::kFailedPrecondition, text);
}

absl::Status MountError(mount3::Status status) {
  const auto number = static_cast<nfs3::Status>(status);
  return WithKind(ErrorKind::kMountRefused, CodeOf(number),
                  absl::StrCat("MNT: ", mount3::Text(status)));
}

absl::Status MountError(absl::string_view text) {
  return WithKind(ErrorKind::kMountRefused, absl::StatusCode::kFailedPrecondition, text);
}

absl::Status LocalError(const absl::Status& status) {
  return status.ok() ? status : WithKind(ErrorKind::kLocal, status.code(), status.message());
}

absl::Status FileChangedError(absl::string_view text) {
  return WithKind(ErrorKind::kFileChanged, absl::StatusCode::kAborted, text);
}

absl::Status Append(const absl::Status& status, absl::string_view text) {
  if (status.ok()) return status;
  return WithMessage(status, absl::StrCat(status.message(), text));
}

absl::Status Prepend(absl::string_view text, const absl::Status& status) {
  if (status.ok()) return status;
  return WithMessage(status, absl::StrCat(text, status.message()));
}

}  // namespace nfs
