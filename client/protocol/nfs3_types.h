// The basic types of NFS version 3 (RFC 1813, 2.5 and 2.6).
#ifndef CLIENT_PROTOCOL_NFS3_TYPES_H_
#define CLIENT_PROTOCOL_NFS3_TYPES_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "xdr/types.h"

namespace nfs3 {

inline constexpr size_t kMaxHandleBytes = 64;  // NFS3_FHSIZE
// The RFC leaves names and paths to the server; these are what POSIX systems have.
inline constexpr size_t kMaxNameBytes = 255;
inline constexpr size_t kMaxPathBytes = 4096;

using FileName3 = xdr::String<kMaxNameBytes>;
using NfsPath3 = xdr::String<kMaxPathBytes>;

struct FileHandle3 {
  xdr::InlineOpaque<kMaxHandleBytes> data;

  bool operator==(const FileHandle3&) const = default;
  static void Describe(auto& coder, auto& self) { coder.Field("data", self.data); }
};

enum class FileType3 : uint32_t {
  kReg = 1,
  kDir = 2,
  kBlk = 3,
  kChr = 4,
  kLnk = 5,
  kSock = 6,
  kFifo = 7,
};
// "regular file", "directory", ...
const char* Name(FileType3 type);

struct SpecData3 {
  uint32_t specdata1 = 0;
  uint32_t specdata2 = 0;

  bool operator==(const SpecData3&) const = default;
  static void Describe(auto& coder, auto& self) {
    coder.Field("specdata1", self.specdata1);
    coder.Field("specdata2", self.specdata2);
  }
};

struct NfsTime3 {
  uint32_t seconds = 0;
  uint32_t nseconds = 0;

  bool operator==(const NfsTime3&) const = default;
  static void Describe(auto& coder, auto& self) {
    coder.Field("seconds", self.seconds);
    coder.Field("nseconds", self.nseconds);
  }
};

struct Fattr3 {
  FileType3 type = FileType3::kReg;
  uint32_t mode = 0;
  uint32_t nlink = 0;
  uint32_t uid = 0;
  uint32_t gid = 0;
  uint64_t size = 0;  // bytes
  uint64_t used = 0;  // bytes
  SpecData3 rdev;
  uint64_t fsid = 0;
  uint64_t fileid = 0;
  NfsTime3 atime;
  NfsTime3 mtime;
  NfsTime3 ctime;

  bool operator==(const Fattr3&) const = default;
  static void Describe(auto& coder, auto& self) {
    coder.Field("type", self.type);
    coder.Field("mode", self.mode);
    coder.Field("nlink", self.nlink);
    coder.Field("uid", self.uid);
    coder.Field("gid", self.gid);
    coder.Field("size", self.size);
    coder.Field("used", self.used);
    coder.Field("rdev", self.rdev);
    coder.Field("fsid", self.fsid);
    coder.Field("fileid", self.fileid);
    coder.Field("atime", self.atime);
    coder.Field("mtime", self.mtime);
    coder.Field("ctime", self.ctime);
  }
};

// Absent means unknown, never zero.
using PostOpAttr = std::optional<Fattr3>;

}  // namespace nfs3

#endif  // CLIENT_PROTOCOL_NFS3_TYPES_H_
