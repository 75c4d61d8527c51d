// A transport that writes down who connects where and when, and what is still open.
#ifndef TESTS_CLIENT_WATCHED_TRANSPORT_H_
#define TESTS_CLIENT_WATCHED_TRANSPORT_H_

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "io/transport.h"

namespace nfs {

// Does as `transport` does, which must outlive it.
class WatchedTransport final : public io::Transport {
 public:
  struct Connect {
    std::string address;
    absl::Time when;
  };

  explicit WatchedTransport(io::Transport& transport) : transport_(transport) {}

  const std::vector<Connect>& connects() const { return connects_; }
  // Connections that are, or are being, made and have not been closed; now, and at most.
  size_t open() const { return open_.size(); }
  size_t most_open() const { return most_open_; }
  // Every Connect() fails with this from now on.
  void RefuseConnects(const absl::Status& status) { refusal_ = status; }

  absl::StatusOr<io::ConnectionId> Connect(const io::Address& address,
                                           const io::ConnectOptions& options) override {
    connects_.push_back({address.ToString(), Now()});
    if (!refusal_.ok()) return refusal_;
    const auto id = transport_.Connect(address, options);
    if (id.ok()) open_.insert(*id);
    most_open_ = std::max(most_open_, open_.size());
    return id;
  }
  void StartReceive(io::ConnectionId connection, const io::ReceiveInto& into) override {
    transport_.StartReceive(connection, into);
  }
  void StartSend(io::ConnectionId connection, std::span<const std::byte> bytes) override {
    transport_.StartSend(connection, bytes);
  }
  size_t SendNow(io::ConnectionId connection, std::span<const std::byte> bytes) override {
    return transport_.SendNow(connection, bytes);
  }
  io::ConnectionState Inspect(io::ConnectionId connection) override {
    return transport_.Inspect(connection);
  }
  bool EnlargeReceiveBuffer(io::ConnectionId connection, size_t bytes) override {
    return transport_.EnlargeReceiveBuffer(connection, bytes);
  }
  void Close(io::ConnectionId connection) override {
    open_.erase(connection);
    transport_.Close(connection);
  }
  void StartWrite(int fd, std::span<const std::byte> bytes) override {
    transport_.StartWrite(fd, bytes);
  }
  bool CanWriteAt(int fd) override { return transport_.CanWriteAt(fd); }
  void StartWriteAt(int fd, std::span<const std::byte> bytes, uint64_t offset,
                    io::WriteTag tag) override {
    transport_.StartWriteAt(fd, bytes, offset, tag);
  }
  absl::Status CanSplice(int fd) override { return transport_.CanSplice(fd); }
  void StartSplice(io::ConnectionId connection, int fd, size_t bytes) override {
    transport_.StartSplice(connection, fd, bytes);
  }
  void StopSplice() override { transport_.StopSplice(); }
  io::Turn Wait(absl::Time until) override { return transport_.Wait(until); }
  void Wake() override { transport_.Wake(); }
  absl::Time Now() override { return transport_.Now(); }
  const char* name() const override { return transport_.name(); }

 private:
  io::Transport& transport_;
  std::vector<struct Connect> connects_;
  std::set<io::ConnectionId> open_;
  size_t most_open_ = 0;
  absl::Status refusal_;
};

}  // namespace nfs

#endif  // TESTS_CLIENT_WATCHED_TRANSPORT_H_
