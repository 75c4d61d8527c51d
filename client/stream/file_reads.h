// The READs of one file, each asked as often as it takes until it has an answer that is
// right. What reading in file order (file_stream.h) and anywhere (read_queue.h) share.
//
//   Ask(id, offset, memory) ──> in flight ──> answered ──────────────> Asker::OnAnswer()
//                                 ^   │
//                                 │   v  JUKEBOX, STALE, doubts, credentials, connections
//                                parked  that end (client/stream/read_retries.h)
//
// An answer is in doubt when it brings no data and does not fit what is known of the file's
// size: no end of file where the file ends, or one where it goes on. Attributes are then
// asked for, and if they do not make sense of it, the READ is sent again, some times, before
// nothing more is read.
//
// Every set of attributes that comes is compared with the ones before (file_version.h). An
// answer that shows that the file has changed is not used, and is the last.
#ifndef CLIENT_STREAM_FILE_READS_H_
#define CLIENT_STREAM_FILE_READS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/protocol/nfs3_read.h"
#include "client/session/session.h"
#include "client/stream/file_version.h"
#include "client/stream/read_retries.h"
#include "client/stream/window.h"
#include "rpc/channel.h"

namespace nfs {

// Thread-compatible, with its session. Allocates at construction only, but for errors.
class FileReads {
 public:
  struct Counters {
    uint64_t reads = 0;            // READ replies with data
    uint64_t short_reads = 0;      // ... that had fewer bytes than asked for, and no eof
    uint64_t jukebox_retries = 0;  // READs sent again because the server asked for time
    uint64_t doubts = 0;           // answers that did not fit the file's size
    uint64_t stale_handles = 0;    // times that the path was walked again
  };

  // Who asks. Called from TakeReplies() only; may Ask() in it.
  class Asker {
   public:
    // The first `count` bytes of the memory have come, maybe fewer than were asked for;
    // `eof`: the file ends behind them.
    virtual void OnAnswer(ChunkId id, uint32_t count, bool eof) = 0;
    // The file is at least so long.
    virtual void OnSize(uint64_t /*size*/) {}

   protected:
    ~Asker() = default;
  };

  // `most`: ids are below it. REQUIRES: both outlive it; the session has no others.
  FileReads(Session& session, Asker& asker, uint32_t most);
  // Replies that are still to come go nowhere.
  ~FileReads();
  FileReads(const FileReads&) = delete;
  FileReads& operator=(const FileReads&) = delete;

  // Chooses how replies are received, for READs of so many bytes: a large one's data
  // straight to its memory, many small ones at a time. A hint on cost only.
  void ExpectReadsOf(size_t bytes);

  // --- Asking, before Wait().

  // First what is to be asked again, and for attributes if an answer is in doubt, or
  // `is_last_look`: for the last time.
  void AskAgain(bool is_last_look);
  bool CanAsk() const { return status_.ok() && !is_stale_ && session_.trunk().CanCall(); }
  // REQUIRES: CanAsk(), and `id` is not in flight. The memory is not to be touched until
  // OnAnswer, or until status() is not OK. `may_divert`: as rpc::Request.
  void Ask(ChunkId id, uint64_t offset, std::span<std::byte> memory, bool may_divert = false);

  // Waits until something happens, `until` at most.
  void Wait(absl::Time until);
  // Takes what came. When the file's handle has become stale it does not return before
  // there is another, or none.
  void TakeReplies();

  // READs without attributes have said nothing about changes: one GETATTR does.
  bool NeedsLastLook() const { return status_.ok() && unseen_ && version_.IsMeaningful(); }

  // --- Data that goes past memory (client/stream/file_stream_diversion.cc).

  // Whether the reply whose head has come, and its data not yet, will be an answer with all
  // of its data and no need to ask again, whatever comes of other READs.
  bool IsSound(const rpc::Arrival& arrival);

  uint64_t offset(ChunkId id) const { return asks_[id].offset; }
  // Why no more answers will come: the server's or the connection's error
  // (client/errors.h), or that the file changed.
  const absl::Status& status() const { return status_; }
  // ... or what the asker has to say against an answer. The first one stays.
  void Fail(const absl::Status& status);
  const Counters& counters() const { return counters_; }

 private:
  struct Asked {
    uint64_t offset = 0;
    std::span<std::byte> memory;
    bool may_divert = false;
    bool claims_eof = false;  // what the server said of it, when in doubt
  };

  void SendRead(ChunkId id);
  void SendGetattr();

  void OnReply(const rpc::Reply& reply);
  void OnOrphan(uint64_t tag);
  void OnReadReply(ChunkId id, const rpc::Reply& reply);
  void OnRead(ChunkId id, const nfs3::Read3Head& head, uint32_t count);
  void OnReadError(ChunkId id, nfs3::Status status);
  void OnJukebox(ChunkId id, nfs3::Status status);
  void OnGetattrReply(const rpc::Reply& reply);
  // Whether more may be read.
  bool Observe(const nfs3::PostOpAttr& attributes);
  // How long the file is by these attributes; as far as is known when there are none.
  uint64_t SizeBy(const nfs3::PostOpAttr& attributes) const;

  bool EndsBeforeSize(uint64_t end) const;
  void Doubt(ChunkId id, bool claims_eof);
  void Resolve(ChunkId id);

  void FindFileAgain();

  Session& session_;
  Asker& asker_;
  FileVersion version_;
  ReadRetries retries_;
  std::vector<Asked> asks_;  // by id: what is in flight, or parked
  bool getattr_in_flight_ = false;
  bool unseen_ = false;  // a READ had no attributes, and no others came since
  bool is_stale_ = false;
  int stale_in_a_row_ = 0;
  Counters counters_;
  absl::Status status_;
};

}  // namespace nfs

#endif  // CLIENT_STREAM_FILE_READS_H_
