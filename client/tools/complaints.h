// What a program says on standard error.
#ifndef CLIENT_TOOLS_COMPLAINTS_H_
#define CLIENT_TOOLS_COMPLAINTS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace nfs {

// Who complains; main() says so before anything else. `name` is a literal.
void NameProgram(const char* name);

// "nfscat: " and a line of text. As Options::warn and Options::note.
void Complain(absl::string_view text);

// As Options::announce: in the kernel client's own words, which administrators look for. Where
// there may be a live line of progress it is wiped away first.
void Announce(absl::string_view text);

// Complains of `status`; the exit status for it (client/errors.h).
int Fail(const absl::Status& status);

}  // namespace nfs

#endif  // CLIENT_TOOLS_COMPLAINTS_H_
