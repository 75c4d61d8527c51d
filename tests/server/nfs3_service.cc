// NFS version 3 (RFC 1813, section 3). Tested by tests/server/service_test.cc.
#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include "client/protocol/nfs3_read.h"
#include "tests/server/permissions.h"
#include "tests/server/service.h"

namespace server {

namespace {

using nfs3::Status;

// The junk that stands for data which a file does not have.
constexpr std::byte kBeyondEnd{0xee};

// nfs3::Readlink3Res with a path of any length: what it is too long for is the client's
// question.
struct LongReadlink3Res {
  Status status = Status::kOk;
  nfs3::PostOpAttr symlink_attributes;
  xdr::String<1 << 24> data;

  static void Describe(auto& coder, auto& self) {
    coder.Field("status", self.status);
    coder.Field("symlink_attributes", self.symlink_attributes);
    if (self.status == Status::kOk) coder.Field("data", self.data);
  }
};

class Nfs3Service {
 public:
  Nfs3Service(const Call& call, const NfsSettings& settings, FileTree& tree, ReplyWriter& reply)
      : arguments_(call.arguments),
        identity_(Squashed(call.identity, settings.root_squash)),
        max_read_(call.peer.transport == Transport::kUdp
                      ? std::min(settings.max_read, settings.max_udp_read)
                      : settings.max_read),
        settings_(settings),
        tree_(tree),
        reply_(reply) {}

  void Getattr() {
    nfs3::Getattr3Res results;
    results.status = tree_.Getattr(arguments_.handle, results.attributes);
    reply_.Put(results);
  }

  void Lookup() {
    nfs3::Lookup3Res results;
    results.dir_attributes = Attributes(arguments_.handle);
    results.status = AllowedToLookUp(results.dir_attributes);
    if (results.status == Status::kOk) {
      results.status = tree_.Lookup(arguments_.handle, arguments_.name, results.object);
    }
    if (results.status == Status::kOk) results.obj_attributes = Attributes(results.object);
    reply_.Put(results);
  }

  void Access() {
    nfs3::Access3Res results;
    results.obj_attributes = Attributes(arguments_.handle);
    results.status = StatusOf(arguments_.handle);
    if (results.obj_attributes) {
      results.access = arguments_.access & AccessBits(*results.obj_attributes, identity_);
    }
    reply_.Put(results);
  }

  void Readlink() {
    LongReadlink3Res results;
    results.symlink_attributes = Attributes(arguments_.handle);
    std::string target;
    results.status = tree_.Readlink(arguments_.handle, target);
    results.data.Assign(xdr::BytesOf(target));
    reply_.Put(results);
  }

  void Fsinfo() {
    nfs3::Fsinfo3Res results;
    results.obj_attributes = Attributes(arguments_.handle);
    results.status = StatusOf(arguments_.handle);
    results.info = settings_.fsinfo;
    reply_.Put(results);
  }

  // The data is read straight to its place in the reply; the head, which says how much
  // it was, is written before it afterwards.
  void Read() {
    nfs3::Read3Head head;
    head.file_attributes = Attributes(arguments_.handle);
    head.status = AllowedToRead(head.file_attributes);
    const uint64_t size = head.file_attributes ? head.file_attributes->size : 0;
    reply_.Edit(head);
    if (head.status != Status::kOk) return reply_.Append(head);
    ReplyBuffer& buffer = reply_.buffer();
    const size_t head_at = buffer.size();
    const size_t head_bytes = EncodedSize(head);
    buffer.Extend(head_bytes);
    head.status = ReadData(size, head);
    if (head.status == Status::kOk) {
      return reply_.Write(head, buffer.bytes().subspan(head_at, head_bytes));
    }
    buffer.Truncate(head_at);
    reply_.Append(head);
  }

 private:
  nfs3::PostOpAttr Attributes(const nfs3::FileHandle3& handle) const {
    nfs3::Fattr3 attributes;
    if (tree_.Getattr(handle, attributes) != Status::kOk) return std::nullopt;
    return attributes;
  }
  Status StatusOf(const nfs3::FileHandle3& handle) const {
    nfs3::Fattr3 attributes;
    return tree_.Getattr(handle, attributes);
  }
  // kStale and the like when there are no attributes.
  Status Allowed(const nfs3::PostOpAttr& attributes, uint32_t wanted) const {
    if (!attributes) return StatusOf(arguments_.handle);
    return Permits(*attributes, identity_, wanted) ? Status::kOk : Status::kAcces;
  }
  Status AllowedToLookUp(const nfs3::PostOpAttr& directory) const {
    if (directory && directory->type != nfs3::FileType3::kDir) return Status::kNotDir;
    return Allowed(directory, kExecute);
  }
  // RFC 1813, 4.4: the owner may always read, since NFS has no open() that keeps the
  // right to.
  Status AllowedToRead(const nfs3::PostOpAttr& file) const {
    if (!file) return StatusOf(arguments_.handle);
    if (file->type == nfs3::FileType3::kDir) return Status::kIsDir;
    if (file->type != nfs3::FileType3::kReg) return Status::kInval;
    if (file->uid == identity_.uid) return Status::kOk;
    return Allowed(file, kRead);
  }

  // Appends the data and its padding, and says in `head` what they are.
  Status ReadData(uint64_t size, nfs3::Read3Head& head) {
    const Actions& actions = reply_.actions();
    ReplyBuffer& buffer = reply_.buffer();
    const uint32_t asked = std::min(arguments_.count, max_read_);
    const uint32_t honest = std::min(asked, actions.short_read.value_or(asked));
    const uint32_t over = actions.over.value_or(0);
    const std::span<std::byte> space = buffer.Extend(size_t{honest} + over);
    size_t got = 0;
    const Status status = tree_.Read(arguments_.handle, arguments_.offset, space, got);
    if (status != Status::kOk) return status;
    if (got == 0 && honest != 0 && arguments_.offset < size) return Status::kIo;
    std::ranges::fill(space.subspan(got), kBeyondEnd);
    got = std::min<size_t>(got, honest);
    head.eof = actions.eof.value_or(arguments_.offset + got >= size);
    head.count = head.data = static_cast<uint32_t>(got) + over;
    buffer.Truncate(buffer.size() - (honest - got));
    std::ranges::fill(buffer.Extend(xdr::PaddedSize(head.count) - head.count), std::byte{0});
    return status;
  }

  const Arguments& arguments_;
  const rpc::Identity identity_;
  const uint32_t max_read_;
  const NfsSettings& settings_;
  FileTree& tree_;
  ReplyWriter& reply_;
};

}  // namespace

void ServeNfs3(const Call& call, const NfsSettings& settings, FileTree& tree, ReplyWriter& reply) {
  Nfs3Service service(call, settings, tree, reply);
  switch (call.procedure) {
    case nfs3::kGetattr.number: return service.Getattr();
    case nfs3::kLookup.number: return service.Lookup();
    case nfs3::kAccess.number: return service.Access();
    case nfs3::kReadlink.number: return service.Readlink();
    case nfs3::kRead.number: return service.Read();
    case nfs3::kFsinfo.number: return service.Fsinfo();
    default: return reply.Put(nfs3::Void());
  }
}

}  // namespace server
