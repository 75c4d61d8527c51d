// Every knob of a stream, for programs and for the command line alike.
#ifndef CLIENT_OPTIONS_H_
#define CLIENT_OPTIONS_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace nfs {

enum class Security : uint8_t { kSys, kNone };

enum class Engine : uint8_t {
  kAuto,   // io_uring, or poll(2) where the system blocks it
  kUring,  // io_uring or an error
  kPoll,
};

// Source ports below 1024, which "secure" exports ask for.
enum class ReservedPort : uint8_t { kTry, kInsist, kNever };

inline constexpr int kMostConnections = 16;

struct Options {
  // --- What is asked for at a time ---

  // Bytes of one READ. More is cheaper per byte and fairer to slow links when less.
  // 0: what the server prefers, at most 1 MiB. Never over the server's maximum.
  uint32_t rsize = 0;

  // READ calls in flight on one connection, 1 to 1024. Many servers hold back beyond
  // 128. "Readahead proposes, slots dispose": the smaller of the two is what counts.
  int slots = 64;

  // How far ahead of the reader to ask, in bytes. It should cover what the path
  // carries in one round trip; beyond that it costs memory and cache. 0: one READ at a
  // time, and only when the reader waits for it. Smaller than rsize: READs are as
  // small as this. Not set: automatic, from 4 MiB on as much as the path turns out to
  // need, and the slots can ask for.
  std::optional<uint64_t> readahead;
  // ... and no less than this, in bytes: what fills a local network and still lies in a
  // processor's cache, where receiving costs least. Less is tried only where it is faster, on the
  // same machine.
  uint64_t least_readahead = 4 << 20;

  // TCP connections that carry the READs, 1 to kMostConnections, each with its slots. More
  // than one helps where a connection is held to a share of the path (by its TCP window, by
  // one of several links or by a core of the server); no more are made than the file and
  // the readahead have READs for. Not set: automatic: one, and more while TCP's windows keep a
  // long path empty (client/connection/widening.h); READs anywhere have one.
  std::optional<int> nconnect;

  // Bound on the memory that holds file data, in bytes, whatever readahead wants.
  uint64_t max_memory = uint64_t{256} << 20;

  // --- Who asks ---

  Security security = Security::kSys;
  // AUTH_SYS identity; where not set, the process's own. At most 16 groups travel.
  std::optional<uint32_t> uid;
  std::optional<uint32_t> gid;
  std::optional<std::vector<uint32_t>> groups;

  // --- Where ---

  // 0: ask rpcbind on port 111.
  uint16_t port = 0;
  uint16_t mount_port = 0;
  ReservedPort reserved_port = ReservedPort::kTry;

  // --- How long ---

  // For one reply, before the call is sent again; and how often that is done before
  // the stream fails: when no reply has come for timeout * (retransmissions + 1).
  absl::Duration timeout = absl::Seconds(60);
  int retransmissions = 2;
  // Never fail for that, once the server has been reached.
  bool hard = false;
  // For a connection to be made, per address.
  absl::Duration connect_timeout = absl::Seconds(10);

  Engine engine = Engine::kAuto;

  // Called with one line of text each, if set: `warn` for what a person should know (an
  // option has no effect), `note` for what one may want to know (why poll is used, which
  // connection was given up).
  void (*warn)(absl::string_view text) = nullptr;
  void (*note)(absl::string_view text) = nullptr;
  // ... and in the words of the kernel's client, when the server has not responded for
  // some seconds, and when it does again: "nfs: server HOST not responding, still
  // trying" and "nfs: server HOST OK". In the thread that turns the stream.
  std::function<void(absl::string_view text)> announce;
};

// How long calls may be in flight while no reply comes, before the stream fails.
absl::Duration Patience(const Options& options);

// Bytes of a file; a length beyond its end means up to the end.
struct Range {
  uint64_t offset = 0;
  uint64_t length = UINT64_MAX;

  // How many of them a file of so many bytes has.
  uint64_t BytesOf(uint64_t file_size) const {
    return file_size > offset ? std::min(length, file_size - offset) : 0;
  }
};

// One option by the name it has on the command line and in a URL.
struct OptionDescription {
  const char* name;   // "rsize"
  const char* value;  // what to show for its value, "BYTES"; null: it has none
  const char* help;   // for --help
};

// All that SetOption knows and --help should show, in the order to show it.
const std::vector<OptionDescription>& DescribeOptions();

// Sets the option `name` to `value` as a user typed it. InvalidArgument says what is
// wrong and what is right; NotFound: there is no such option.
absl::Status SetOption(absl::string_view name, absl::string_view value, Options& options);

// "4096", "64K", "1M", "2g", "1T": powers of 1024. InvalidArgument otherwise.
absl::Status ParseSize(absl::string_view text, uint64_t& size);
// The shortest text that it reads as `size`.
std::string FormatSize(uint64_t size);

}  // namespace nfs

#endif  // CLIENT_OPTIONS_H_
