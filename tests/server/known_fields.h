// Which fields the replies have, so that a script cannot name others.
#ifndef TESTS_SERVER_KNOWN_FIELDS_H_
#define TESTS_SERVER_KNOWN_FIELDS_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace server {

// Whether the header of a reply, or the results of a procedure, can have a field that
// goes by `name` as Poke::field does. Without a procedure, or a program: of any.
bool IsKnownField(std::optional<uint32_t> program, std::optional<uint32_t> procedure,
                  absl::string_view name);

}  // namespace server

#endif  // TESTS_SERVER_KNOWN_FIELDS_H_
