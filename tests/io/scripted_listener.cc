#include "tests/io/scripted_listener.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace io {

namespace {

Address LocalAddress(int fd) {
  sockaddr_storage storage = {};
  socklen_t size = sizeof(storage);
  getsockname(fd, reinterpret_cast<sockaddr*>(&storage), &size);
  return Address(reinterpret_cast<sockaddr*>(&storage), size);
}

bool SendAll(int fd, const std::string& bytes, size_t piece_bytes) {
  for (size_t begin = 0; begin < bytes.size();) {
    const size_t piece = std::min(piece_bytes, bytes.size() - begin);
    const ssize_t sent = send(fd, bytes.data() + begin, piece, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    begin += static_cast<size_t>(sent);
    // So that the pieces travel, and wake the client, one by one.
    if (piece_bytes != SIZE_MAX) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

void BreakOff(UniqueFd& fd) {
  const linger at_once = {.l_onoff = 1, .l_linger = 0};
  setsockopt(fd.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  fd.Reset();
}

}  // namespace

ScriptedListener::ScriptedListener(std::vector<Script> scripts)
    : peers_(scripts.size()),
      listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
      stop_(eventfd(0, EFD_CLOEXEC)) {
  for (size_t i = 0; i < scripts.size(); ++i) peers_[i].script = std::move(scripts[i]);
  const Address any_port = Address::Loopback(0);
  bind(listener_.get(), any_port.raw(), any_port.raw_size());
  listen(listener_.get(), 16);
  address_ = LocalAddress(listener_.get());
  thread_ = std::thread([this] { Accept(); });
}

void ScriptedListener::Accept() {
  for (Peer& peer : peers_) {
    sockaddr_storage storage = {};
    socklen_t size = sizeof(storage);
    peer.fd = UniqueFd(
        accept4(listener_.get(), reinterpret_cast<sockaddr*>(&storage), &size, SOCK_CLOEXEC));
    if (peer.fd.get() < 0) return;  // the end
    peer.client = Address(reinterpret_cast<sockaddr*>(&storage), size);
    peer.thread = std::thread([this, &peer] {
      Run(peer);
      peer.done = true;
      peer.done.notify_all();
    });
  }
}

void ScriptedListener::Run(Peer& peer) {
  for (const Step& step : peer.script) {
    if (!Do(step, peer)) return;
  }
  Take(SIZE_MAX, peer);
}

bool ScriptedListener::Do(const Step& step, Peer& peer) {
  switch (step.kind) {
    case Step::Kind::kSend: return SendAll(peer.fd.get(), step.bytes, step.size);
    case Step::Kind::kAwait: return Take(step.size, peer);
    case Step::Kind::kClose: return shutdown(peer.fd.get(), SHUT_WR) == 0;
    case Step::Kind::kReset: BreakOff(peer.fd); return false;
    case Step::Kind::kIgnore: break;
  }
  pollfd stop = {.fd = stop_.get(), .events = POLLIN, .revents = 0};
  poll(&stop, 1, -1);
  return false;
}

bool ScriptedListener::Take(size_t size, Peer& peer) {
  std::vector<char> space(64 * 1024);
  while (size > 0) {
    const ssize_t taken = recv(peer.fd.get(), space.data(), std::min(space.size(), size), 0);
    if (taken <= 0) return false;
    peer.received.append(space.data(), static_cast<size_t>(taken));
    if (size != SIZE_MAX) size -= static_cast<size_t>(taken);
  }
  return true;
}

ScriptedListener::~ScriptedListener() {
  const uint64_t one = 1;
  (void)!write(stop_.get(), &one, sizeof(one));
  shutdown(listener_.get(), SHUT_RDWR);
  thread_.join();
  for (Peer& peer : peers_) {
    if (peer.thread.joinable()) peer.thread.join();
  }
}

const std::string& ScriptedListener::Received(size_t n) {
  peers_[n].done.wait(false);
  return peers_[n].received;
}

uint16_t ScriptedListener::ClientPort(size_t n) {
  peers_[n].done.wait(false);
  return peers_[n].client.port();
}

}  // namespace io
