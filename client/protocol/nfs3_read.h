// Procedure 6, READ (RFC 1813, 3.3.6): the one whose results carry a payload.
#ifndef CLIENT_PROTOCOL_NFS3_READ_H_
#define CLIENT_PROTOCOL_NFS3_READ_H_

#include <cstdint>

#include "client/protocol/nfs3.h"
#include "rpc/slot_table.h"
#include "xdr/types.h"

namespace nfs3 {

struct Read3Args {
  FileHandle3 file;
  uint64_t offset = 0;
  uint32_t count = 0;

  bool operator==(const Read3Args&) const = default;
  static void Describe(auto& coder, auto& self) {
    coder.Field("file", self.file);
    coder.Field("offset", self.offset);
    coder.Field("count", self.count);
  }
};

// The results of a READ, as one message.
struct Read3Res {
  Status status = Status::kOk;
  PostOpAttr file_attributes;
  uint32_t count = 0;                // when kOk
  bool eof = false;                  // when kOk
  xdr::OpaqueView<UINT32_MAX> data;  // when kOk

  static void Describe(auto& coder, auto& self) {
    coder.Field("status", self.status);
    coder.Field("file_attributes", self.file_attributes);
    if (self.status != Status::kOk) return;
    coder.Field("count", self.count);
    coder.Field("eof", self.eof);
    coder.Field("data", self.data);
  }
};

// The same up to the data itself, which has been received elsewhere: of the data there
// is only its length word. `count` is to be the same; some servers do not keep to that.
struct Read3Head {
  Status status = Status::kOk;
  PostOpAttr file_attributes;
  uint32_t count = 0;  // when kOk
  bool eof = false;    // when kOk
  uint32_t data = 0;   // when kOk: bytes

  static void Describe(auto& coder, auto& self) { Read3Res::Describe(coder, self); }
};

// Finds the data in the results of a READ, so that it is received into place.
rpc::PayloadPlace LocateReadData(xdr::ByteView results);

}  // namespace nfs3

#endif  // CLIENT_PROTOCOL_NFS3_READ_H_
