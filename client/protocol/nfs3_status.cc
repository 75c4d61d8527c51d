// Tested by tests/client/protocol_test.cc.
#include "client/protocol/nfs3_status.h"

#include "absl/strings/str_cat.h"

namespace nfs3 {

namespace {

struct Entry {
  Status status;
  const char* name;
  const char* words;
};

constexpr Entry kEntries[] = {
    {Status::kOk, "NFS3_OK", "Success"},
    {Status::kPerm, "NFS3ERR_PERM", "Operation not permitted"},
    {Status::kNoEnt, "NFS3ERR_NOENT", "No such file or directory"},
    {Status::kIo, "NFS3ERR_IO", "Input/output error"},
    {Status::kNxIo, "NFS3ERR_NXIO", "No such device or address"},
    {Status::kAcces, "NFS3ERR_ACCES", "Permission denied"},
    {Status::kExist, "NFS3ERR_EXIST", "File exists"},
    {Status::kXDev, "NFS3ERR_XDEV", "Invalid cross-device link"},
    {Status::kNoDev, "NFS3ERR_NODEV", "No such device"},
    {Status::kNotDir, "NFS3ERR_NOTDIR", "Not a directory"},
    {Status::kIsDir, "NFS3ERR_ISDIR", "Is a directory"},
    {Status::kInval, "NFS3ERR_INVAL", "Invalid argument"},
    {Status::kFBig, "NFS3ERR_FBIG", "File too large"},
    {Status::kNoSpc, "NFS3ERR_NOSPC", "No space left on device"},
    {Status::kRoFs, "NFS3ERR_ROFS", "Read-only file system"},
    {Status::kMLink, "NFS3ERR_MLINK", "Too many links"},
    {Status::kNameTooLong, "NFS3ERR_NAMETOOLONG", "File name too long"},
    {Status::kNotEmpty, "NFS3ERR_NOTEMPTY", "Directory not empty"},
    {Status::kDQuot, "NFS3ERR_DQUOT", "Disk quota exceeded"},
    {Status::kStale, "NFS3ERR_STALE", "Stale file handle"},
    {Status::kRemote, "NFS3ERR_REMOTE", "Object is remote"},
    {Status::kBadHandle, "NFS3ERR_BADHANDLE", "Illegal file handle"},
    {Status::kNotSync, "NFS3ERR_NOT_SYNC", "Update synchronization mismatch"},
    {Status::kBadCookie, "NFS3ERR_BAD_COOKIE", "Stale directory cookie"},
    {Status::kNotSupp, "NFS3ERR_NOTSUPP", "Operation not supported"},
    {Status::kTooSmall, "NFS3ERR_TOOSMALL", "Buffer or request too small"},
    {Status::kServerFault, "NFS3ERR_SERVERFAULT", "Server fault"},
    {Status::kBadType, "NFS3ERR_BADTYPE", "Object type not supported by the server"},
    {Status::kJukebox, "NFS3ERR_JUKEBOX", "Try again later"},
};

const Entry* Find(Status status) {
  for (const Entry& entry : kEntries) {
    if (entry.status == status) return &entry;
  }
  return nullptr;
}

}  // namespace

const char* Name(Status status) {
  const Entry* entry = Find(status);
  return entry == nullptr ? "unknown nfsstat3" : entry->name;
}

const char* Words(Status status) {
  const Entry* entry = Find(status);
  return entry == nullptr ? "a status that RFC 1813 does not list" : entry->words;
}

std::string Text(Status status) {
  return absl::StrCat(Name(status), " (", static_cast<uint32_t>(status), "): ", Words(status));
}

}  // namespace nfs3
