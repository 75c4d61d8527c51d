// Tested by tests/client/session_test.cc.
#include "client/session/read_size.h"

#include <algorithm>

#include "client/connection/call.h"
#include "client/errors.h"

namespace nfs {

namespace {

// What is asked for when the server does not say what it likes, and the least.
constexpr uint32_t kDefaultRsize = 32 * 1024;
constexpr uint32_t kSmallestDefaultRsize = 4096;

}  // namespace

// RFC 1813, 3.3.19: rtpref is what the server likes, rtmax what it can; either may be
// zero on servers that do not know.
uint32_t ChooseReadSize(const Options& options, const nfs3::Fsinfo3Ok& info) {
  const uint32_t most = info.rtmax != 0 ? info.rtmax : UINT32_MAX;
  if (options.rsize != 0) return std::min(options.rsize, most);
  uint32_t liked = info.rtpref != 0 ? info.rtpref : info.rtmax;
  if (liked == 0) liked = kDefaultRsize;
  const uint32_t rsize = std::min({liked, most, kLargestDefaultRsize});
  return std::max(rsize, kSmallestDefaultRsize);
}

size_t LongestPayload(const Options& options) {
  return 2 * size_t{std::max(options.rsize, kLargestDefaultRsize)};
}

absl::StatusOr<uint32_t> AskReadSize(Pump& pump, Connection& connection,
                                     const nfs3::FileHandle3& root, const Options& options) {
  const absl::Time deadline = pump.now() + options.timeout;
  const auto result =
      Call<nfs3::Fsinfo3Res>(pump, connection, nfs3::kFsinfo, nfs3::Fsinfo3Args{root}, deadline);
  if (!connection.status().ok() || pump.cancelled()) return result.status();
  if (!result.ok()) {
    connection.AbandonCalls();
    return ChooseReadSize(options, {});
  }
  if (nfs3::IsBadHandle(result->status)) {
    return connection.NamingServer(NfsError("FSINFO", result->status));
  }
  const bool known = result->status == nfs3::Status::kOk;
  return ChooseReadSize(options, known ? result->info : nfs3::Fsinfo3Ok());
}

}  // namespace nfs
