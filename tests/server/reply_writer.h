// Where the services put the results of a call, and where scripts change them.
#ifndef TESTS_SERVER_REPLY_WRITER_H_
#define TESTS_SERVER_REPLY_WRITER_H_

#include <cstddef>
#include <span>

#include "tests/server/call.h"
#include "tests/server/reply_buffer.h"
#include "tests/server/reply_fields.h"
#include "tests/server/script.h"
#include "xdr/encoder.h"

namespace server {

// Appends the reply to one call to `buffer`: the header, then the results.
class ReplyWriter {
 public:
  ReplyWriter(const Actions& actions, ReplyBuffer& buffer) : actions_(actions), buffer_(buffer) {}

  // The header; true when results are to follow, false when this is the whole reply.
  bool PutHeader(const Call& call);

  // Results of any type, as far as the script lets them pass.
  template <typename T>
  void Put(T results) {
    Edit(results);
    Append(results);
  }

  // What the script wants of results that begin with a status.
  template <typename T>
  void Edit(T& results) {
    if constexpr (requires { results.status; }) {
      if (actions_.status) results.status = static_cast<decltype(results.status)>(*actions_.status);
    }
    if (actions_.no_attributes) {
      AttributeStripper stripper(*actions_.no_attributes);
      xdr::Visit(stripper, results);
    }
  }

  // `value` at the end of the buffer, with its fields poked.
  template <typename T>
  void Append(const T& value) {
    Write(value, buffer_.Extend(EncodedSize(value)));
  }
  // `value` into `space`, which it fills, with its fields poked.
  template <typename T>
  void Write(const T& value, std::span<std::byte> space) {
    xdr::Encoder encoder(space);
    encoder.Put(value);
    if (!actions_.pokes) return;
    for (const Poke& poke : *actions_.pokes) {
      FieldLocator locator(poke.field);
      xdr::Visit(locator, value);
      for (const FieldLocator::Place& place : locator.places()) Overwrite(space, place, poke.value);
    }
  }

  const Actions& actions() const { return actions_; }
  ReplyBuffer& buffer() { return buffer_; }

 private:
  static void Overwrite(std::span<std::byte> space, const FieldLocator::Place& place,
                        uint64_t value);
  bool PutAccepted(const Call& call);

  const Actions& actions_;
  ReplyBuffer& buffer_;
};

}  // namespace server

#endif  // TESTS_SERVER_REPLY_WRITER_H_
