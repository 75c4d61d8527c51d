// Tested by tests/server/script_parser_test.cc.
#include "tests/server/known_fields.h"

#include <array>

#include "client/protocol/mount3.h"
#include "client/protocol/nfs3_read.h"
#include "rpc/rpcbind.h"
#include "tests/server/reply_fields.h"

namespace server {

namespace {

// Gives every optional part of a value, and every list in it one element.
class Filler {
 public:
  template <typename T>
  void Field(const char* /*name*/, T& value) {
    xdr::Visit(*this, value);
  }
  template <typename T>
  void Optional(std::optional<T>& value) {
    xdr::Visit(*this, value.emplace());
  }
  void Counted(auto& array) { xdr::Visit(*this, array.elements.emplace_back()); }
  void Linked(auto& list) { xdr::Visit(*this, list.elements.emplace_back()); }
  void Bool(bool&) {}
  void Enum(auto&) {}
  void Integer(auto&) {}
  void Fixed(auto&) {}
  void Opaque(auto&) {}
  void Text(auto&) {}
};

class Search {
 public:
  Search(std::optional<uint32_t> program, std::optional<uint32_t> procedure, absl::string_view name)
      : program_(program), procedure_(procedure), name_(name) {}

  bool found() const { return found_; }

  template <typename T>
  void In(T value) {
    Filler filler;
    xdr::Visit(filler, value);
    FieldLocator locator(name_);
    xdr::Visit(locator, value);
    found_ = found_ || !locator.places().empty();
  }
  template <typename T>
  void InResults(const rpc::Procedure& of) {
    if (program_ && *program_ != of.program) return;
    if (procedure_ && *procedure_ != of.number) return;
    In(T());
  }

 private:
  const std::optional<uint32_t> program_;
  const std::optional<uint32_t> procedure_;
  const absl::string_view name_;
  bool found_ = false;
};

void SearchHeaders(Search& search) {
  rpc::ReplyHeader header;
  for (auto accept : {rpc::AcceptState::kSuccess, rpc::AcceptState::kProgMismatch}) {
    header.accept = accept;
    search.In(header);
  }
  header.state = rpc::ReplyState::kDenied;
  for (auto reject : {rpc::RejectState::kRpcMismatch, rpc::RejectState::kAuthError}) {
    header.reject = reject;
    search.In(header);
  }
}

}  // namespace

bool IsKnownField(std::optional<uint32_t> program, std::optional<uint32_t> procedure,
                  absl::string_view name) {
  Search search(program, procedure, name);
  SearchHeaders(search);
  search.InResults<nfs3::Getattr3Res>(nfs3::kGetattr);
  search.InResults<nfs3::Lookup3Res>(nfs3::kLookup);
  search.InResults<nfs3::Access3Res>(nfs3::kAccess);
  search.InResults<nfs3::Readlink3Res>(nfs3::kReadlink);
  search.InResults<nfs3::Read3Head>(nfs3::kRead);
  search.InResults<nfs3::Fsinfo3Res>(nfs3::kFsinfo);
  search.InResults<mount3::Mountres3>(mount3::kMnt);
  search.InResults<mount3::Exports>(mount3::kExport);
  search.InResults<rpc::GetportResult>(rpc::kGetport);
  search.InResults<rpc::GetaddrResult>(rpc::kGetaddr);
  return search.found();
}

}  // namespace server
