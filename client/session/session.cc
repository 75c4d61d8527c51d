// Tested by tests/client/session_test.cc.
#include "client/session/session.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/connection/call.h"
#include "client/errors.h"
#include "client/session/hints.h"
#include "client/session/identity.h"
#include "client/session/read_size.h"
#include "io/engine.h"

namespace nfs {

namespace {

io::Engine EngineOf(Engine engine) {
  switch (engine) {
    case Engine::kAuto: return io::Engine::kAuto;
    case Engine::kUring: return io::Engine::kUring;
    case Engine::kPoll: return io::Engine::kPoll;
  }
  return io::Engine::kAuto;
}

// It may be there again later.
bool IsAway(const absl::Status& status) {
  return KindOf(status) == ErrorKind::kUnreachable || KindOf(status) == ErrorKind::kTimedOut;
}

constexpr int kMostStaleInARow = 2;

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
  Environment environment;
  environment.transport = *std::move(transport);
  environment.addresses = *std::move(addresses);
  environment.resolver = io::MakeResolver(target.host);
  environment.seed = std::random_device()();
  return Open(std::move(environment), target, options);
}

absl::StatusOr<std::unique_ptr<Session>> Session::Open(Environment environment,
                                                       const Target& target,
                                                       const Options& options) {
  std::unique_ptr<Session> session(new Session(std::move(environment), target, options));
  const absl::Status status = session->OpenFile();
  if (!status.ok()) return session->WithHint(status);
  return session;
}

Session::Session(Environment environment, const Target& target, const Options& options)
    : options_(options),
      path_(target.path),
      transport_(std::move(environment.transport)),
      addresses_(target.host, std::move(environment.addresses), std::move(environment.resolver)),
      pump_(*transport_),
      dialer_(pump_, addresses_, options_, environment.seed),
      ports_(dialer_, options_),
      credentials_(CredentialsOf(options_, environment.seed)) {}

Session::~Session() { Close(); }

void Session::Close() {
  trunk_.reset();
  pump_.Renew();
  if (mounted_.has_value()) mount_->Unmount(mounted_->directory);
  mounted_.reset();
}

absl::Status Session::OpenFile() {
  absl::Status status = Mount();
  if (status.ok()) status = ConnectToNfs();
  if (!status.ok()) return status;
  ports_.Close();
  status = FindAndAsk();
  // The server may have started anew between two questions.
  for (int i = 0; i < kMostStaleInARow && IsStale(status); ++i) status = FindAndAsk();
  return status;
}

absl::Status Session::FindAndAsk() {
  absl::StatusOr<RemoteFile> file = FindFile();
  if (!file.ok()) return file.status();
  file_ = *std::move(file);
  const auto rsize = AskReadSize(pump_, connection(), mounted_->root, options_);
  if (rsize.ok()) rsize_ = *rsize;
  return rsize.status();
}

absl::Status Session::WithHint(const absl::Status& status) const {
  uint16_t source_port = mount_ != nullptr ? mount_->source_port() : 0;
  if (trunk_ != nullptr) source_port = trunk_->lead().source_port();
  return nfs::WithHint(status, options_, source_port);
}

// --- Mounting --------------------------------------------------------------

absl::Status Session::Mount() {
  if (options_.mount_port != 0) return MountAt(options_.mount_port);
  const absl::StatusOr<uint16_t> port = ports_.Find(mount3::kProgram, mount3::kVersion);
  if (port.ok()) return MountAt(*port);
  // Without a port mapper: servers that use one port for everything answer MOUNT there.
  const uint16_t nfs_port = options_.port != 0 ? options_.port : nfs3::kPort;
  const absl::Status status = MountAt(nfs_port);
  if (status.ok() || KindOf(status) == ErrorKind::kMountRefused) return status;
  return Append(port.status(),
                absl::StrCat("; nor does MOUNT answer on the NFS port: ", status.message(),
                             "; give --port and --mountport ", "if you know them"));
}

absl::Status Session::MountAt(uint16_t port) {
  mount_ = std::make_unique<MountClient>(dialer_, options_, credentials_, port);
  absl::StatusOr<MountedExport> mounted = mount_->MountExportOf(path_);
  if (mounted.ok()) mounted_ = *std::move(mounted);
  return mounted.status();
}

// --- The NFS connection ----------------------------------------------------

absl::Status Session::ConnectToNfs() {
  if (options_.port != 0) return ConnectToNfsAt(options_.port);
  const absl::StatusOr<uint16_t> port = ports_.Find(nfs3::kProgram, nfs3::kVersion);
  if (port.ok()) return ConnectToNfsAt(*port);
  // Without a port mapper, or with one of no use: where NFS nearly always is.
  const absl::Status status = ConnectToNfsAt(nfs3::kPort);
  if (status.ok()) return status;
  return Append(port.status(), absl::StrCat("; nor does NFS answer on its usual port: ",
                                            status.message(), "; give --port if you know it"));
}

absl::Status Session::ConnectToNfsAt(uint16_t port) {
  rpc::Channel::Options channel;
  channel.slots = options_.slots;
  channel.credentials = credentials_;
  channel.payload_bytes = LongestPayload(options_);
  const Dialer::Call call = {port, options_.connect_timeout, dialer_.source_port(), channel};
  auto connection = dialer_.Dial(call);
  if (!connection.ok()) return Prepend("NFS: ", connection.status());
  const Trunk::Options options = {[this, call] { return dialer_.BeginToDial(call); },
                                  options_.note};
  trunk_ = std::make_unique<Trunk>(pump_, *std::move(connection), options);
  return absl::OkStatus();
}

// --- The file --------------------------------------------------------------

absl::StatusOr<RemoteFile> Session::Walk() {
  absl::StatusOr<RemoteFile> file = PathWalk(pump_, connection(), *mounted_).Follow(path_);
  const absl::Status status = file.ok() ? CheckType(*file) : file.status();
  if (!status.ok()) return status;
  return file;
}

absl::StatusOr<RemoteFile> Session::FindFile() {
  absl::StatusOr<RemoteFile> file = Walk();
  if (!IsStale(file.status())) return file;
  const absl::Status status = MountAgain();
  if (!status.ok()) return status;
  return Walk();
}

// After a restart NFS may be there before MOUNT is, and MOUNT before rpcbind knows it: the
// port that it had is not forgotten for what rpcbind says.
absl::Status Session::MountAgain() {
  const uint16_t known_port = mount_->port();
  const absl::Time deadline = pump_.now() + Patience(options_);
  RetryDelay delay(dialer_.NextSeed());
  for (;;) {
    absl::Status status = MountAt(known_port);
    if (IsAway(status)) status = Mount();  // it may have moved
    ports_.Close();
    if (!IsAway(status)) return status;
    if (pump_.now() >= deadline) return absl::DeadlineExceededError(status.message());
    const absl::Status slept = Sleep(pump_, std::max(delay.Next(), RetryDelay::kShortest));
    if (!slept.ok()) return slept;
  }
}

absl::Status Session::CheckType(const RemoteFile& file) const {
  const nfs3::FileType3 type = file.attributes.type;
  const std::string server = trunk_->lead().server();
  switch (type) {
    case nfs3::FileType3::kReg: return absl::OkStatus();
    case nfs3::FileType3::kDir: return NfsError("READ", nfs3::Status::kIsDir, server);
    default:
      return NfsError("READ", nfs3::Status::kInval,
                      absl::StrCat(": a ", nfs3::Name(type), ", not a regular file", server));
  }
}

}  // namespace nfs
