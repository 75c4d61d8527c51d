// What people are told of a server that stops responding, in the words of the kernel's
// client.
#ifndef CLIENT_CONNECTION_SERVER_NOTICE_H_
#define CLIENT_CONNECTION_SERVER_NOTICE_H_

#include <functional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace nfs {

// Shared by all connections to the server: it is one server, however many of them notice,
// and the one that hears of it again need not be the one that did not. Thread-compatible.
class ServerNotice {
 public:
  // `tell` is given a line of text; it may be empty, and then nobody is told.
  ServerNotice(std::string host, std::function<void(absl::string_view)> tell)
      : host_(std::move(host)), tell_(std::move(tell)) {}

  // Whether Quiet() would say something.
  bool IsOwed() const { return tell_ != nullptr && !is_quiet_; }

  absl::Time last_reply() const { return last_reply_; }

  // The server owes replies and has been quiet for long.
  void Quiet() {
    if (IsOwed()) Say("not responding, still trying");
    is_quiet_ = true;
  }
  // It has replied, on whichever connection.
  void Heard(absl::Time now) {
    last_reply_ = now;
    if (std::exchange(is_quiet_, false) && tell_ != nullptr) Say("OK");
  }

 private:
  void Say(absl::string_view what) { tell_(absl::StrCat("nfs: server ", host_, " ", what)); }

  const std::string host_;
  const std::function<void(absl::string_view)> tell_;
  absl::Time last_reply_ = absl::InfinitePast();
  bool is_quiet_ = false;
};

}  // namespace nfs

#endif  // CLIENT_CONNECTION_SERVER_NOTICE_H_
