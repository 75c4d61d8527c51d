// Tested by tests/client/protocol_test.cc.
#include "client/protocol/nfs3_types.h"

namespace nfs3 {

const char* Name(FileType3 type) {
  switch (type) {
    case FileType3::kReg: return "regular file";
    case FileType3::kDir: return "directory";
    case FileType3::kBlk: return "block device";
    case FileType3::kChr: return "character device";
    case FileType3::kLnk: return "symbolic link";
    case FileType3::kSock: return "socket";
    case FileType3::kFifo: return "named pipe";
  }
  return "file of an unknown type";
}

}  // namespace nfs3
