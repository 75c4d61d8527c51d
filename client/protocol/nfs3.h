// The procedures of NFS version 3 (RFC 1813, section 3.3) that streaming a file needs,
// with their arguments and results. READ has a file of its own. Names and field order
// are the RFC's.
#ifndef CLIENT_PROTOCOL_NFS3_H_
#define CLIENT_PROTOCOL_NFS3_H_

#include <cstdint>

#include "client/protocol/nfs3_status.h"
#include "client/protocol/nfs3_types.h"
#include "rpc/message.h"

namespace nfs3 {

inline constexpr uint32_t kProgram = 100003;
inline constexpr uint32_t kVersion = 3;
inline constexpr uint16_t kPort = 2049;

inline constexpr rpc::Procedure kNull = {kProgram, kVersion, 0, "NULL"};
inline constexpr rpc::Procedure kGetattr = {kProgram, kVersion, 1, "GETATTR"};
inline constexpr rpc::Procedure kLookup = {kProgram, kVersion, 3, "LOOKUP"};
inline constexpr rpc::Procedure kAccess = {kProgram, kVersion, 4, "ACCESS"};
inline constexpr rpc::Procedure kReadlink = {kProgram, kVersion, 5, "READLINK"};
inline constexpr rpc::Procedure kRead = {kProgram, kVersion, 6, "READ"};
inline constexpr rpc::Procedure kFsinfo = {kProgram, kVersion, 19, "FSINFO"};

// --- Procedure 0, NULL -----------------------------------------------------

struct Void {
  static void Describe(auto&, auto&) {}
};

// --- Procedure 1, GETATTR (3.3.1) ------------------------------------------

struct Getattr3Args {
  FileHandle3 object;
  static void Describe(auto& coder, auto& self) { coder.Field("object", self.object); }
};

struct Getattr3Res {
  Status status = Status::kOk;
  Fattr3 attributes;  // when kOk

  static void Describe(auto& coder, auto& self) {
    coder.Field("status", self.status);
    if (self.status == Status::kOk) coder.Field("obj_attributes", self.attributes);
  }
};

// --- Procedure 3, LOOKUP (3.3.3) -------------------------------------------

struct Lookup3Args {
  FileHandle3 dir;
  FileName3 name;
  static void Describe(auto& coder, auto& self) {
    coder.Field("dir", self.dir);
    coder.Field("name", self.name);
  }
};

struct Lookup3Res {
  Status status = Status::kOk;
  FileHandle3 object;         // when kOk
  PostOpAttr obj_attributes;  // when kOk
  PostOpAttr dir_attributes;

  static void Describe(auto& coder, auto& self) {
    coder.Field("status", self.status);
    if (self.status == Status::kOk) {
      coder.Field("object", self.object);
      coder.Field("obj_attributes", self.obj_attributes);
    }
    coder.Field("dir_attributes", self.dir_attributes);
  }
};

// --- Procedure 4, ACCESS (3.3.4) -------------------------------------------

inline constexpr uint32_t kAccessRead = 0x0001;

struct Access3Args {
  FileHandle3 object;
  uint32_t access = 0;
  static void Describe(auto& coder, auto& self) {
    coder.Field("object", self.object);
    coder.Field("access", self.access);
  }
};

struct Access3Res {
  Status status = Status::kOk;
  PostOpAttr obj_attributes;
  uint32_t access = 0;  // when kOk

  static void Describe(auto& coder, auto& self) {
    coder.Field("status", self.status);
    coder.Field("obj_attributes", self.obj_attributes);
    if (self.status == Status::kOk) coder.Field("access", self.access);
  }
};

// --- Procedure 5, READLINK (3.3.5) -----------------------------------------

struct Readlink3Args {
  FileHandle3 symlink;
  static void Describe(auto& coder, auto& self) { coder.Field("symlink", self.symlink); }
};

struct Readlink3Res {
  Status status = Status::kOk;
  PostOpAttr symlink_attributes;
  NfsPath3 data;  // when kOk

  static void Describe(auto& coder, auto& self) {
    coder.Field("status", self.status);
    coder.Field("symlink_attributes", self.symlink_attributes);
    if (self.status == Status::kOk) coder.Field("data", self.data);
  }
};

// --- Procedure 19, FSINFO (3.3.19) -----------------------------------------

struct Fsinfo3Args {
  FileHandle3 fsroot;
  static void Describe(auto& coder, auto& self) { coder.Field("fsroot", self.fsroot); }
};

// Sizes in bytes: the largest and the preferred READ and WRITE, the multiple that
// suits the server, the preferred READDIR.
struct Fsinfo3Ok {
  uint32_t rtmax = 0;
  uint32_t rtpref = 0;
  uint32_t rtmult = 0;
  uint32_t wtmax = 0;
  uint32_t wtpref = 0;
  uint32_t wtmult = 0;
  uint32_t dtpref = 0;
  uint64_t maxfilesize = 0;
  NfsTime3 time_delta;
  uint32_t properties = 0;

  bool operator==(const Fsinfo3Ok&) const = default;
  static void Describe(auto& coder, auto& self) {
    coder.Field("rtmax", self.rtmax);
    coder.Field("rtpref", self.rtpref);
    coder.Field("rtmult", self.rtmult);
    coder.Field("wtmax", self.wtmax);
    coder.Field("wtpref", self.wtpref);
    coder.Field("wtmult", self.wtmult);
    coder.Field("dtpref", self.dtpref);
    coder.Field("maxfilesize", self.maxfilesize);
    coder.Field("time_delta", self.time_delta);
    coder.Field("properties", self.properties);
  }
};

struct Fsinfo3Res {
  Status status = Status::kOk;
  PostOpAttr obj_attributes;
  Fsinfo3Ok info;  // when kOk

  static void Describe(auto& coder, auto& self) {
    coder.Field("status", self.status);
    coder.Field("obj_attributes", self.obj_attributes);
    if (self.status == Status::kOk) coder.Field("info", self.info);
  }
};

}  // namespace nfs3

#endif  // CLIENT_PROTOCOL_NFS3_H_
