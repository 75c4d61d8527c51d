// The MOUNT protocol version 3 (RFC 1813, appendix I): from a path to a file handle.
#ifndef CLIENT_PROTOCOL_MOUNT3_H_
#define CLIENT_PROTOCOL_MOUNT3_H_

#include <cstdint>
#include <string>

#include "client/protocol/nfs3.h"
#include "rpc/message.h"
#include "xdr/types.h"

namespace mount3 {

inline constexpr uint32_t kProgram = 100005;
inline constexpr uint32_t kVersion = 3;

inline constexpr rpc::Procedure kNull = {kProgram, kVersion, 0, "NULL"};
inline constexpr rpc::Procedure kMnt = {kProgram, kVersion, 1, "MNT"};
inline constexpr rpc::Procedure kUmnt = {kProgram, kVersion, 3, "UMNT"};
inline constexpr rpc::Procedure kExport = {kProgram, kVersion, 5, "EXPORT"};

inline constexpr size_t kMaxPathBytes = 1024;  // MNTPATHLEN
inline constexpr size_t kMaxNameBytes = 255;   // MNTNAMLEN
// Bounds of ours: the RFC has none on its lists.
inline constexpr size_t kMaxFlavors = 64;
inline constexpr size_t kMaxExports = 4096;
inline constexpr size_t kMaxGroups = 1024;

// mountstat3. A server may send a number that is not here; it stays what it is.
enum class Status : uint32_t {
  kOk = 0,
  kPerm = 1,
  kNoEnt = 2,
  kIo = 5,
  kAcces = 13,
  kNotDir = 20,
  kInval = 22,
  kNameTooLong = 63,
  kNotSupp = 10004,
  kServerFault = 10006,
};
// "MNT3ERR_ACCES".
const char* Name(Status status);
// "MNT3ERR_ACCES (13): Permission denied".
std::string Text(Status status);

struct DirPath {
  xdr::String<kMaxPathBytes> path;
  static void Describe(auto& coder, auto& self) { coder.Field("dirpath", self.path); }
};

// Result of MNT: the handle of the directory, and the authentication flavors that
// the server takes for it.
struct Mountres3 {
  Status status = Status::kOk;
  nfs3::FileHandle3 handle;                               // when kOk
  xdr::Array<rpc::AuthFlavor, kMaxFlavors> auth_flavors;  // when kOk

  static void Describe(auto& coder, auto& self) {
    coder.Field("fhs_status", self.status);
    if (self.status != Status::kOk) return;
    coder.Field("fhandle", self.handle);
    coder.Field("auth_flavors", self.auth_flavors);
  }
};

// A host, network or group that an export is meant for.
struct GroupNode {
  xdr::String<kMaxNameBytes> name;
  static void Describe(auto& coder, auto& self) { coder.Field("gr_name", self.name); }
};

struct ExportNode {
  xdr::String<kMaxPathBytes> dir;
  xdr::List<GroupNode, kMaxGroups> groups;
  static void Describe(auto& coder, auto& self) {
    coder.Field("ex_dir", self.dir);
    coder.Field("ex_groups", self.groups);
  }
};

// Result of EXPORT.
struct Exports {
  xdr::List<ExportNode, kMaxExports> exports;
  static void Describe(auto& coder, auto& self) { coder.Field("exports", self.exports); }
};

}  // namespace mount3

#endif  // CLIENT_PROTOCOL_MOUNT3_H_
