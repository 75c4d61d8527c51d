// Text in JSON.
#ifndef CLIENT_TOOLS_JSON_TEXT_H_
#define CLIENT_TOOLS_JSON_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace nfs {

// `bytes` as a JSON string, with its quotes. NFS names are bytes: those that are not UTF-8 become
// \udc80 to \udcff, as Python's "surrogateescape" has it, so that nothing is lost.
std::string JsonText(absl::string_view bytes);

}  // namespace nfs

#endif  // CLIENT_TOOLS_JSON_TEXT_H_
