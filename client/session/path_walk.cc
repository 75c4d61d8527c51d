// Tested by tests/client/session_test.cc.
#include "client/session/path_walk.h"

#include <optional>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/connection/call.h"
#include "client/errors.h"
#include "client/session/export_path.h"

namespace nfs {

namespace {

std::string Quoted(const std::string& name) {
  return absl::StrCat("\"", absl::CHexEscape(name), "\"");
}

}  // namespace

PathWalk::PathWalk(Pump& pump, Connection& connection, const MountedExport& mounted)
    : pump_(pump), connection_(connection), mounted_(mounted) {
  trail_.push_back({mounted.root, {}});
}

std::string PathWalk::Server() const { return connection_.server(); }

absl::StatusOr<RemoteFile> PathWalk::Follow(absl::string_view path) {
  const auto names = NamesBelow(mounted_.directory, path);
  if (!names.has_value()) return PathError("the path is not in the export");
  ahead_.assign(names->begin(), names->end());
  if (ahead_.empty()) {
    const absl::StatusOr<nfs3::Fattr3> root = Getattr(mounted_.root);
    if (!root.ok()) return root.status();
    trail_.back().attributes = *root;
  }
  while (!ahead_.empty()) {
    const std::string name = std::move(ahead_.front());
    ahead_.pop_front();
    const absl::Status status = Step(name);
    if (!status.ok()) return status;
  }
  return trail_.back();
}

absl::Status PathWalk::Step(const std::string& name) {
  if (name == ".") return absl::OkStatus();
  if (name == "..") return Leave();
  return Enter(name);
}

absl::Status PathWalk::Leave() {
  if (trail_.size() == 1) {
    return PathError(absl::StrCat("LOOKUP: \"..\" leads outside the export ",
                                  Quoted(mounted_.directory), Server()));
  }
  trail_.pop_back();
  return absl::OkStatus();
}

absl::Status PathWalk::Enter(const std::string& name) {
  absl::StatusOr<RemoteFile> found = Lookup(name);
  if (!found.ok()) return found.status();
  if (found->attributes.type == nfs3::FileType3::kLnk) return FollowLink(found->handle, name);
  trail_.push_back(*std::move(found));
  return absl::OkStatus();
}

absl::StatusOr<RemoteFile> PathWalk::Lookup(const std::string& name) {
  const std::string detail = absl::StrCat(": ", Quoted(name), Server());
  if (name.size() > nfs3::kMaxNameBytes) {
    return NfsError("LOOKUP", nfs3::Status::kNameTooLong, detail);
  }
  const nfs3::Lookup3Args args = {trail_.back().handle, nfs3::FileName3(name)};
  const auto result = Call<nfs3::Lookup3Res>(pump_, connection_, nfs3::kLookup, args);
  if (!result.ok()) return result.status();
  if (result->status != nfs3::Status::kOk) return NfsError("LOOKUP", result->status, detail);
  if (result->obj_attributes.has_value()) {
    return RemoteFile{result->object, *result->obj_attributes};
  }
  const absl::StatusOr<nfs3::Fattr3> attributes = Getattr(result->object);
  if (!attributes.ok()) return attributes.status();
  return RemoteFile{result->object, *attributes};
}

absl::StatusOr<nfs3::Fattr3> PathWalk::Getattr(const nfs3::FileHandle3& handle) {
  const nfs3::Getattr3Args args = {handle};
  const auto result = Call<nfs3::Getattr3Res>(pump_, connection_, nfs3::kGetattr, args);
  if (!result.ok()) return result.status();
  if (result->status != nfs3::Status::kOk) return NfsError("GETATTR", result->status, Server());
  return result->attributes;
}

absl::Status PathWalk::FollowLink(const nfs3::FileHandle3& link, const std::string& name) {
  if (++links_ > kMaxLinks) {
    return PathError(absl::StrCat("READLINK: more than ", kMaxLinks,
                                  " levels of symbolic links: ", Quoted(name), Server()));
  }
  const nfs3::Readlink3Args args = {link};
  const auto result = Call<nfs3::Readlink3Res>(pump_, connection_, nfs3::kReadlink, args);
  if (!result.ok()) return result.status();
  if (result->status != nfs3::Status::kOk) {
    return NfsError("READLINK", result->status, absl::StrCat(": ", Quoted(name), Server()));
  }
  return Redirect(result->data.text());
}

absl::Status PathWalk::Redirect(const std::string& destination) {
  if (destination.empty() || destination.find('\0') != std::string::npos) {
    return PathError(absl::StrCat("READLINK: the symbolic link leads to ", Quoted(destination),
                                  ", which is no path", Server()));
  }
  std::vector<std::string> names = NamesOf(destination);
  if (absl::StartsWith(destination, "/")) {
    const auto below = NamesBelow(mounted_.directory, destination);
    if (!below.has_value()) {
      return PathError(absl::StrCat("READLINK: the symbolic link leads outside the export ",
                                    Quoted(mounted_.directory), ", to ", Quoted(destination),
                                    Server()));
    }
    names = *below;
    trail_.resize(1);
  }
  ahead_.insert(ahead_.begin(), names.begin(), names.end());
  return absl::OkStatus();
}

}  // namespace nfs
