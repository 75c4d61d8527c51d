// nfsstat3: what NFS version 3 servers answer (RFC 1813, 2.6).
#ifndef CLIENT_PROTOCOL_NFS3_STATUS_H_
#define CLIENT_PROTOCOL_NFS3_STATUS_H_

#include <cstdint>
#include <string>

namespace nfs3 {

// A server may send a number that is not here; it stays what it is.
enum class Status : uint32_t {
  kOk = 0,
  kPerm = 1,
  kNoEnt = 2,
  kIo = 5,
  kNxIo = 6,
  kAcces = 13,
  kExist = 17,
  kXDev = 18,
  kNoDev = 19,
  kNotDir = 20,
  kIsDir = 21,
  kInval = 22,
  kFBig = 27,
  kNoSpc = 28,
  kRoFs = 30,
  kMLink = 31,
  kNameTooLong = 63,
  kNotEmpty = 66,
  kDQuot = 69,
  kStale = 70,
  kRemote = 71,
  kBadHandle = 10001,
  kNotSync = 10002,
  kBadCookie = 10003,
  kNotSupp = 10004,
  kTooSmall = 10005,
  kServerFault = 10006,
  kBadType = 10007,
  kJukebox = 10008,
};

// "NFS3ERR_STALE"; "unknown nfsstat3" for a number that the RFC does not list.
const char* Name(Status status);

// "Stale file handle": the words of the errno of the same meaning.
const char* Words(Status status);

// Whether the server does not know the handle it was given, or not any more.
inline bool IsBadHandle(Status status) {
  return status == Status::kStale || status == Status::kBadHandle;
}

// "NFS3ERR_STALE (70): Stale file handle".
std::string Text(Status status);

}  // namespace nfs3

#endif  // CLIENT_PROTOCOL_NFS3_STATUS_H_
