// Tested by tests/client/session_test.cc.
#include "client/session/session.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/errors.h"
#include "client/session/call.h"
#include "client/session/identity.h"
#include "io/engine.h"

namespace nfs {

namespace {

// What is asked for when the server does not say what it likes, and the most when it
// does but the user does not.
constexpr uint32_t kDefaultRsize = 32 * 1024;
constexpr uint32_t kSmallestDefaultRsize = 4096;
constexpr uint32_t kLargestDefaultRsize = 1 << 20;

io::Engine EngineOf(Engine engine) {
  switch (engine) {
    case Engine::kAuto: return io::Engine::kAuto;
    case Engine::kUring: return io::Engine::kUring;
    case Engine::kPoll: return io::Engine::kPoll;
  }
  return io::Engine::kAuto;
}

// RFC 1813, 3.3.19: rtpref is what the server likes, rtmax what it can; either may be
// zero on servers that do not know.
uint32_t ChooseRsize(const Options& options, const nfs3::Fsinfo3Ok& info) {
  const uint32_t most = info.rtmax != 0 ? info.rtmax : UINT32_MAX;
  if (options.rsize != 0) return std::min(options.rsize, most);
  uint32_t liked = info.rtpref != 0 ? info.rtpref : info.rtmax;
  if (liked == 0) liked = kDefaultRsize;
  const uint32_t rsize = std::min({liked, most, kLargestDefaultRsize});
  return std::max(rsize, kSmallestDefaultRsize);
}

bool IsBadHandle(nfs3::Status status) {
  return status == nfs3::Status::kStale || status == nfs3::Status::kBadHandle;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Session>> Session::Open(const Target& target,
                                                       const Options& options) {
  std::string why_not_uring;
  auto transport = io::MakeTransport(EngineOf(options.engine), &why_not_uring);
  if (!transport.ok()) return transport.status();
  if (!why_not_uring.empty() && options.note != nullptr) {
    options.note(absl::StrCat("using poll: ", why_not_uring));
  }
  auto addresses = io::Resolve(target.host, 0);
  if (!addresses.ok()) return addresses.status();
  return Open(*std::move(transport), *std::move(addresses), target, options);
}

absl::StatusOr<std::unique_ptr<Session>> Session::Open(std::unique_ptr<io::Transport> transport,
                                                       std::vector<io::Address> addresses,
                                                       const Target& target,
                                                       const Options& options) {
  std::unique_ptr<Session> session(
      new Session(std::move(transport), std::move(addresses), options));
  const absl::Status status = session->OpenFile(target);
  if (!status.ok()) return status;
  return session;
}

Session::Session(std::unique_ptr<io::Transport> transport, std::vector<io::Address> addresses,
                 const Options& options)
    : options_(options),
      transport_(std::move(transport)),
      pump_(*transport_),
      dialer_(pump_, std::move(addresses), options_),
      ports_(dialer_, options_),
      credentials_(CredentialsOf(options_)) {}

Session::~Session() { Close(); }

void Session::CloseConnection() { connection_->Close(absl::CancelledError("closed")); }

void Session::Close() {
  connection_.reset();
  if (mounted_.has_value()) mount_->Unmount(mounted_->directory);
  mounted_.reset();
}

absl::Status Session::OpenFile(const Target& target) {
  absl::Status status = Mount(target.path);
  if (status.ok()) status = ConnectToNfs();
  if (!status.ok()) return status;
  absl::StatusOr<RemoteFile> file = PathWalk(pump_, *connection_, *mounted_).Follow(target.path);
  if (!file.ok()) return file.status();
  file_ = *std::move(file);
  status = CheckType();
  return status.ok() ? AskLimitsAndAccess() : status;
}

// --- Mounting --------------------------------------------------------------

absl::Status Session::Mount(absl::string_view path) {
  if (options_.mount_port != 0) return MountAt(options_.mount_port, path);
  const absl::StatusOr<uint16_t> port = ports_.Find(mount3::kProgram, mount3::kVersion);
  if (port.ok()) return MountAt(*port, path);
  // Without a port mapper: servers that use one port for everything answer MOUNT there.
  const uint16_t nfs_port = options_.port != 0 ? options_.port : nfs3::kPort;
  const absl::Status status = MountAt(nfs_port, path);
  if (status.ok() || KindOf(status) == ErrorKind::kMountRefused) return status;
  return Append(port.status(),
                absl::StrCat("; nor does MOUNT answer on the NFS port: ", status.message(),
                             "; give --port and --mountport ", "if you know them"));
}

absl::Status Session::MountAt(uint16_t port, absl::string_view path) {
  mount_ = std::make_unique<MountClient>(dialer_, options_, credentials_, port);
  absl::StatusOr<MountedExport> mounted = mount_->MountExportOf(path);
  if (mounted.ok()) mounted_ = *std::move(mounted);
  return mounted.status();
}

// --- The NFS connection ----------------------------------------------------

absl::StatusOr<uint16_t> Session::NfsPort() {
  if (options_.port != 0) return options_.port;
  const absl::StatusOr<uint16_t> port = ports_.Find(nfs3::kProgram, nfs3::kVersion);
  // A port mapper that cannot be reached says nothing about NFS; one that answers does.
  const bool unreachable = !port.ok() && options_.mount_port != 0;
  return unreachable ? nfs3::kPort : port;
}

absl::Status Session::ConnectToNfs() {
  const absl::StatusOr<uint16_t> port = NfsPort();
  if (!port.ok()) return port.status();
  rpc::Channel::Options channel;
  channel.slots = options_.slots;
  channel.credentials = credentials_;
  channel.payload_bytes = options_.rsize != 0 ? options_.rsize : kLargestDefaultRsize;
  channel.timeout = options_.timeout;
  channel.retransmissions = options_.retransmissions;
  channel.xid_seed = std::random_device()();
  auto connection = dialer_.Dial(*port, options_.connect_timeout, channel);
  if (!connection.ok()) return Prepend("NFS: ", connection.status());
  connection_ = *std::move(connection);
  return absl::OkStatus();
}

// --- The file --------------------------------------------------------------

absl::Status Session::CheckType() const {
  const nfs3::FileType3 type = file_.attributes.type;
  const std::string server = connection_->server();
  switch (type) {
    case nfs3::FileType3::kReg: return absl::OkStatus();
    case nfs3::FileType3::kDir: return NfsError("READ", nfs3::Status::kIsDir, server);
    default:
      return NfsError("READ", nfs3::Status::kInval,
                      absl::StrCat(": a ", nfs3::Name(type), ", not a regular file", server));
  }
}

absl::Status Session::AskLimitsAndAccess() {
  constexpr int kQuestions = 2;  // their numbers are the tags
  int asked = 0;
  absl::Status status;
  for (int answered = 0; answered < kQuestions && status.ok(); ++answered) {
    for (; asked < kQuestions && connection_->CanCall(); ++asked) {
      if (asked == 0) {
        connection_->Call({.procedure = nfs3::kFsinfo, .tag = 0},
                          nfs3::Fsinfo3Args{mounted_->root});
      } else {
        connection_->Call({.procedure = nfs3::kAccess, .tag = 1},
                          nfs3::Access3Args{file_.handle, nfs3::kAccessRead});
      }
    }
    const absl::StatusOr<rpc::Reply> reply =
        WaitForReply(pump_, *connection_, absl::InfiniteFuture());
    if (!reply.ok()) return reply.status();
    status = reply->tag == 0 ? OnFsinfo(*reply) : OnAccess(*reply);
  }
  return status;
}

absl::Status Session::OnFsinfo(const rpc::Reply& reply) {
  // FSINFO is advice: a server that cannot give it can still be read from.
  nfs3::Fsinfo3Res result;
  const bool understood = reply.status.ok() && DecodeResult(reply.results, result).ok();
  if (understood && IsBadHandle(result.status)) {
    return InContext(nfs3::kFsinfo, NfsError("FSINFO", result.status), *connection_);
  }
  const bool known = understood && result.status == nfs3::Status::kOk;
  rsize_ = ChooseRsize(options_, known ? result.info : nfs3::Fsinfo3Ok());
  return absl::OkStatus();
}

absl::Status Session::OnAccess(const rpc::Reply& reply) {
  // A server that cannot say whether we may read will say so when we do.
  nfs3::Access3Res result;
  const bool understood = reply.status.ok() && DecodeResult(reply.results, result).ok();
  if (!understood) return absl::OkStatus();
  nfs3::Status status = result.status;
  const bool denied = status == nfs3::Status::kOk && (result.access & nfs3::kAccessRead) == 0;
  if (denied) status = nfs3::Status::kAcces;
  if (status == nfs3::Status::kAcces || IsBadHandle(status)) {
    return InContext(nfs3::kAccess, NfsError("ACCESS", status), *connection_);
  }
  return absl::OkStatus();
}

}  // namespace nfs
