// Tested by tests/client/protocol_test.cc.
#include "client/protocol/mount3.h"

#include "absl/strings/str_cat.h"

namespace mount3 {

const char* Name(Status status) {
  switch (status) {
    case Status::kOk: return "MNT3_OK";
    case Status::kPerm: return "MNT3ERR_PERM";
    case Status::kNoEnt: return "MNT3ERR_NOENT";
    case Status::kIo: return "MNT3ERR_IO";
    case Status::kAcces: return "MNT3ERR_ACCES";
    case Status::kNotDir: return "MNT3ERR_NOTDIR";
    case Status::kInval: return "MNT3ERR_INVAL";
    case Status::kNameTooLong: return "MNT3ERR_NAMETOOLONG";
    case Status::kNotSupp: return "MNT3ERR_NOTSUPP";
    case Status::kServerFault: return "MNT3ERR_SERVERFAULT";
  }
  return "unknown mountstat3";
}

std::string Text(Status status) {
  // Each mountstat3 has the number, and so the words, of an nfsstat3.
  const auto number = static_cast<uint32_t>(status);
  return absl::StrCat(Name(status), " (", number,
                      "): ", nfs3::Words(static_cast<nfs3::Status>(number)));
}

}  // namespace mount3
