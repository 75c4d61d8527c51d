// Answers to READs as memory to be sent, many at a time, without a copy of the data.
#ifndef TESTS_BENCH_READ_REPLIES_H_
#define TESTS_BENCH_READ_REPLIES_H_

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "client/protocol/nfs3.h"
#include "tests/bench/pattern.h"
#include "xdr/types.h"

namespace bench {

// Of a READ reply that carries attributes and no verifier, record mark included: everything
// before the data.
inline constexpr size_t kReadHeadBytes = 132;
using ReadHead = std::array<std::byte, kReadHeadBytes>;

// A file as READs see it.
struct ServedFile {
  nfs3::FileHandle3 handle;
  uint64_t size = 0;
  ReadHead head;  // of a reply, but for xid, lengths and eof
};

ServedFile MakeServedFile(const nfs3::FileHandle3& handle, const nfs3::Fattr3& attributes);

// What a READ call asks, looked up at its offsets and not decoded field by field.
struct ReadCall {
  uint32_t xid = 0;
  xdr::ByteView handle;
  uint64_t offset = 0;
  uint32_t count = 0;
};

// Nothing when the record (without its mark) is no whole READ call of NFS version 3.
std::optional<ReadCall> FindReadCall(xdr::ByteView record);

// The replies gathered so far, for sendmsg(2). Thread-compatible.
class ReadReplies {
 public:
  // A READ gives `most_bytes` at most. REQUIRES: most_bytes <= Pattern::kMostBytes, and the
  // pattern outlives this.
  ReadReplies(const Pattern& pattern, uint32_t most_bytes);

  // REQUIRES: !full(). `call.handle` is the file's.
  void Add(const ServedFile& file, const ReadCall& call);

  bool full() const { return replies_ == heads_.size(); }
  bool empty() const { return replies_ == 0; }
  // What to send. The caller may change it. Valid until Clear().
  std::span<iovec> spans() { return spans_; }
  void Clear();

 private:
  const Pattern& pattern_;
  const uint32_t most_bytes_;
  size_t replies_ = 0;
  std::vector<ReadHead> heads_;
  std::vector<iovec> spans_;
};

}  // namespace bench

#endif  // TESTS_BENCH_READ_REPLIES_H_
