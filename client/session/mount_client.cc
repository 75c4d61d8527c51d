// Tested by tests/client/session_test.cc.
#include "client/session/mount_client.h"

#include <algorithm>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/connection/call.h"
#include "client/errors.h"
#include "client/session/export_path.h"

namespace nfs {

namespace {

// Some servers never answer EXPORT; nobody should wait long for what is a hint.
constexpr absl::Duration kExportTimeout = absl::Seconds(5);
constexpr absl::Duration kUnmountTimeout = absl::Seconds(1);
// A list of exports, with the clients each is for, is long on some servers.
constexpr size_t kLongestResult = 1 << 20;

std::string Offer(const std::vector<std::string>& exports) {
  if (exports.empty()) return "";
  return absl::StrCat("; the server exports: ", absl::CHexEscape(absl::StrJoin(exports, ", ")));
}

// What of a path may be an export: its parents too, and none that MNT cannot ask for.
std::vector<std::string> Mountable(absl::string_view path) {
  std::vector<std::string> directories = SelfAndParents(path);
  std::erase_if(directories, [](const std::string& directory) {
    return directory.size() > mount3::kMaxPathBytes;
  });
  return directories;
}

// Whether another part of the path may still be accepted.
bool IsAboutThePath(mount3::Status status) {
  switch (status) {
    case mount3::Status::kPerm:
    case mount3::Status::kNoEnt:
    case mount3::Status::kAcces:
    case mount3::Status::kNotDir:
    case mount3::Status::kInval: return true;
    default: return false;
  }
}

// Of two refusals the one that says more than "there is no such path".
bool SaysMore(mount3::Status status, mount3::Status than) {
  return than == mount3::Status::kOk ||
         (than == mount3::Status::kNoEnt && status != mount3::Status::kNoEnt);
}

}  // namespace

MountClient::MountClient(Dialer& dialer, const Options& options, const rpc::OpaqueAuth& credentials,
                         uint16_t port)
    : dialer_(dialer), options_(options), credentials_(credentials), port_(port) {}

absl::Status MountClient::Connect(absl::Duration timeout) {
  if (connection_ != nullptr && connection_->status().ok()) return absl::OkStatus();
  rpc::Channel::Options channel;
  channel.slots = 1;
  channel.credentials = credentials_;
  channel.results_bytes = kLongestResult;
  auto connection = dialer_.Dial({port_, timeout, dialer_.source_port(), channel});
  if (!connection.ok()) return Prepend("MOUNT: ", connection.status());
  connection_ = *std::move(connection);
  return absl::OkStatus();
}

std::vector<std::string> MountClient::ListExports() {
  std::vector<std::string> directories;
  if (!Connect(options_.connect_timeout).ok()) return directories;
  Pump& pump = dialer_.pump();
  const absl::StatusOr<mount3::Exports> result = Call<mount3::Exports>(
      pump, *connection_, mount3::kExport, nfs3::Void(), pump.now() + kExportTimeout);
  if (!result.ok()) {
    connection_.reset();  // its answer may still come, and would be in the way
    return directories;
  }
  for (const mount3::ExportNode& node : result->exports.elements) {
    directories.push_back(node.dir.text());
  }
  return directories;
}

absl::StatusOr<mount3::Mountres3> MountClient::Mnt(const std::string& directory) {
  const absl::Status connected = Connect(options_.connect_timeout);
  if (!connected.ok()) return connected;
  const mount3::DirPath path = {xdr::String<mount3::kMaxPathBytes>(directory)};
  return Call<mount3::Mountres3>(dialer_.pump(), *connection_, mount3::kMnt, path);
}

absl::StatusOr<MountedExport> MountClient::MountExportOf(absl::string_view path) {
  const std::vector<std::string> exports = ListExports();
  const std::optional<std::string> listed = LongestExport(exports, path);
  absl::StatusOr<MountedExport> mounted =
      MountFirst(listed.has_value() ? std::vector<std::string>{*listed} : Mountable(path));
  if (mounted.ok() || KindOf(mounted.status()) != ErrorKind::kMountRefused) return mounted;
  return Append(mounted.status(), Offer(exports));
}

absl::StatusOr<MountedExport> MountClient::MountFirst(const std::vector<std::string>& directories) {
  mount3::Status refusal = mount3::Status::kOk;
  for (const std::string& directory : directories) {
    const absl::StatusOr<mount3::Mountres3> result = Mnt(directory);
    if (!result.ok()) return result.status();
    if (result->status == mount3::Status::kOk) {
      const absl::Status flavor = CheckFlavor(*result);
      if (!flavor.ok()) return flavor;
      return MountedExport{directory, result->handle};
    }
    if (SaysMore(result->status, refusal)) refusal = result->status;
    if (!IsAboutThePath(result->status)) break;
  }
  return connection_->NamingServer(MountError(refusal));
}

absl::Status MountClient::CheckFlavor(const mount3::Mountres3& result) const {
  // An empty list is an old server's way to say nothing about it.
  const std::vector<rpc::AuthFlavor>& flavors = result.auth_flavors.elements;
  if (flavors.empty() || std::ranges::count(flavors, credentials_.flavor) != 0) {
    return absl::OkStatus();
  }
  std::string offered;
  for (rpc::AuthFlavor flavor : flavors) {
    absl::StrAppend(&offered, offered.empty() ? "" : ", ", rpc::Name(flavor), " (",
                    static_cast<uint32_t>(flavor), ")");
  }
  return MountError(absl::StrCat("MNT: the server does not take ", rpc::Name(credentials_.flavor),
                                 " for this export, but ", offered, connection_->server()));
}

uint16_t MountClient::source_port() const {
  return connection_ != nullptr ? connection_->source_port() : 0;
}

void MountClient::Unmount(const std::string& directory) {
  Pump& pump = dialer_.pump();
  const absl::Time deadline = pump.transport().Now() + kUnmountTimeout;
  if (!Connect(kUnmountTimeout).ok()) return;
  connection_->AbandonCalls();  // of which one may have been cancelled
  const mount3::DirPath path = {xdr::String<mount3::kMaxPathBytes>(directory)};
  (void)Call<nfs3::Void>(pump, *connection_, mount3::kUmnt, path, deadline);
  connection_.reset();
}

}  // namespace nfs
