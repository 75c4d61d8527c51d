#include "tests/oracle/rfc1813_judges.h"

#include <cstdlib>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/oracle/rfc1813.h"
#include "xdr/decoder.h"

namespace oracle {

namespace {

// --- Their values from ours. They point to the memory of ours. ----------------------

char* Pointer(xdr::ByteView bytes) {
  return reinterpret_cast<char*>(const_cast<std::byte*>(bytes.data()));
}

char* Pointer(const std::string& text) { return const_cast<char*>(text.c_str()); }

u_int Size(xdr::ByteView bytes) { return static_cast<u_int>(bytes.size()); }

nfs_fh3 From(const nfs3::FileHandle3& handle) {
  return {{Size(handle.data.view()), Pointer(handle.data.view())}};
}

nfstime3 From(const nfs3::NfsTime3& time) { return {time.seconds, time.nseconds}; }

fattr3 From(const nfs3::Fattr3& ours) {
  fattr3 theirs{};
  theirs.type = static_cast<ftype3>(ours.type);
  theirs.mode = ours.mode;
  theirs.nlink = ours.nlink;
  theirs.uid = ours.uid;
  theirs.gid = ours.gid;
  theirs.size = ours.size;
  theirs.used = ours.used;
  theirs.rdev = {ours.rdev.specdata1, ours.rdev.specdata2};
  theirs.fsid = ours.fsid;
  theirs.fileid = ours.fileid;
  theirs.atime = From(ours.atime);
  theirs.mtime = From(ours.mtime);
  theirs.ctime = From(ours.ctime);
  return theirs;
}

post_op_attr From(const nfs3::PostOpAttr& ours) {
  post_op_attr theirs{};
  theirs.attributes_follow = ours.has_value();
  if (ours.has_value()) theirs.post_op_attr_u.attributes = From(*ours);
  return theirs;
}

nfsstat3 From(nfs3::Status status) { return static_cast<nfsstat3>(status); }

GETATTR3args From(const nfs3::Getattr3Args& ours) { return {From(ours.object)}; }

GETATTR3res From(const nfs3::Getattr3Res& ours) {
  GETATTR3res theirs{};
  theirs.status = From(ours.status);
  theirs.GETATTR3res_u.resok.obj_attributes = From(ours.attributes);
  return theirs;
}

LOOKUP3args From(const nfs3::Lookup3Args& ours) {
  return {{From(ours.dir), Pointer(ours.name.text())}};
}

LOOKUP3res From(const nfs3::Lookup3Res& ours) {
  LOOKUP3res theirs{};
  theirs.status = From(ours.status);
  if (ours.status == nfs3::Status::kOk) {
    theirs.LOOKUP3res_u.resok = {From(ours.object), From(ours.obj_attributes),
                                 From(ours.dir_attributes)};
  } else {
    theirs.LOOKUP3res_u.resfail = {From(ours.dir_attributes)};
  }
  return theirs;
}

ACCESS3args From(const nfs3::Access3Args& ours) { return {From(ours.object), ours.access}; }

ACCESS3res From(const nfs3::Access3Res& ours) {
  ACCESS3res theirs{};
  theirs.status = From(ours.status);
  if (ours.status == nfs3::Status::kOk) {
    theirs.ACCESS3res_u.resok = {From(ours.obj_attributes), ours.access};
  } else {
    theirs.ACCESS3res_u.resfail = {From(ours.obj_attributes)};
  }
  return theirs;
}

READLINK3args From(const nfs3::Readlink3Args& ours) { return {From(ours.symlink)}; }

READLINK3res From(const nfs3::Readlink3Res& ours) {
  READLINK3res theirs{};
  theirs.status = From(ours.status);
  if (ours.status == nfs3::Status::kOk) {
    theirs.READLINK3res_u.resok = {From(ours.symlink_attributes), Pointer(ours.data.text())};
  } else {
    theirs.READLINK3res_u.resfail = {From(ours.symlink_attributes)};
  }
  return theirs;
}

READ3args From(const nfs3::Read3Args& ours) { return {From(ours.file), ours.offset, ours.count}; }

READ3res From(const nfs3::Read3Res& ours) {
  READ3res theirs{};
  theirs.status = From(ours.status);
  if (ours.status == nfs3::Status::kOk) {
    theirs.READ3res_u.resok = {From(ours.file_attributes),
                               ours.count,
                               ours.eof,
                               {Size(ours.data.view()), Pointer(ours.data.view())}};
  } else {
    theirs.READ3res_u.resfail = {From(ours.file_attributes)};
  }
  return theirs;
}

FSINFO3args From(const nfs3::Fsinfo3Args& ours) { return {From(ours.fsroot)}; }

FSINFO3res From(const nfs3::Fsinfo3Res& ours) {
  FSINFO3res theirs{};
  theirs.status = From(ours.status);
  if (ours.status == nfs3::Status::kOk) {
    const nfs3::Fsinfo3Ok& info = ours.info;
    theirs.FSINFO3res_u.resok = {From(ours.obj_attributes),
                                 info.rtmax,
                                 info.rtpref,
                                 info.rtmult,
                                 info.wtmax,
                                 info.wtpref,
                                 info.wtmult,
                                 info.dtpref,
                                 info.maxfilesize,
                                 From(info.time_delta),
                                 info.properties};
  } else {
    theirs.FSINFO3res_u.resfail = {From(ours.obj_attributes)};
  }
  return theirs;
}

dirpath From(const mount3::DirPath& ours) { return Pointer(ours.path.text()); }

mountres3 From(const mount3::Mountres3& ours) {
  mountres3 theirs{};
  theirs.fhs_status = static_cast<mountstat3>(ours.status);
  const auto& flavors = ours.auth_flavors.elements;
  auto* values = reinterpret_cast<int*>(const_cast<rpc::AuthFlavor*>(flavors.data()));
  theirs.mountres3_u.mountinfo = {{Size(ours.handle.data.view()), Pointer(ours.handle.data.view())},
                                  {static_cast<u_int>(flavors.size()), values}};
  return theirs;
}

// Lists have nodes of their own; they last until the next list is made.
std::deque<groupnode> group_nodes;
std::deque<exportnode> export_nodes;

groups GroupsFrom(const std::vector<mount3::GroupNode>& ours) {
  groups next = nullptr;
  for (auto it = ours.rbegin(); it != ours.rend(); ++it) {
    next = &group_nodes.emplace_back(groupnode{Pointer(it->name.text()), next});
  }
  return next;
}

exports From(const mount3::Exports& ours) {
  group_nodes.clear();
  export_nodes.clear();
  exports next = nullptr;
  const auto& nodes = ours.exports.elements;
  for (auto it = nodes.rbegin(); it != nodes.rend(); ++it) {
    next = &export_nodes.emplace_back(
        exportnode{Pointer(it->dir.text()), GroupsFrom(it->groups.elements), next});
  }
  return next;
}

// --- Their encoding and decoding ------------------------------------------------------

constexpr size_t kLargest = 32 << 10;

template <typename Theirs>
using XdrFunction = bool_t (*)(XDR*, Theirs*);

template <typename Theirs>
std::optional<Bytes> EncodeTheirs(XdrFunction<Theirs> function, Theirs& value) {
  Bytes space(kLargest);
  XDR xdrs;
  xdrmem_create(&xdrs, Pointer(space), static_cast<u_int>(space.size()), XDR_ENCODE);
  if (!function(&xdrs, &value)) return std::nullopt;
  space.resize(xdr_getpos(&xdrs));
  return space;
}

template <typename T, typename Theirs, XdrFunction<Theirs> kFunction>
std::optional<Bytes> Encode(const T& value) {
  Theirs theirs = From(value);
  return EncodeTheirs<Theirs>(kFunction, theirs);
}

// Their value of `bytes` is encoded by them once more, and shown as we decode that: what
// they did not understand as we meant it does not come back as it was.
template <typename T, typename Theirs, XdrFunction<Theirs> kFunction>
bool Decode(xdr::ByteView bytes, const std::function<void(const T&)>& seen) {
  Theirs theirs{};
  XDR xdrs;
  xdrmem_create(&xdrs, Pointer(bytes), Size(bytes), XDR_DECODE);
  const bool decoded = kFunction(&xdrs, &theirs) && xdr_getpos(&xdrs) == bytes.size();
  if (decoded) {
    const std::optional<Bytes> again = EncodeTheirs<Theirs>(kFunction, theirs);
    xdr::Decoder decoder(*again);
    seen(decoder.Get<T>());
  }
  xdr_free(reinterpret_cast<xdrproc_t>(kFunction), &theirs);
  return decoded;
}

template <typename T, typename Theirs, XdrFunction<Theirs> kFunction>
constexpr Judge<T> kJudge = {Encode<T, Theirs, kFunction>, Decode<T, Theirs, kFunction>};

}  // namespace

const Judge<nfs3::Getattr3Args> kGetattr3Args =
    kJudge<nfs3::Getattr3Args, GETATTR3args, xdr_GETATTR3args>;
const Judge<nfs3::Getattr3Res> kGetattr3Res =
    kJudge<nfs3::Getattr3Res, GETATTR3res, xdr_GETATTR3res>;
const Judge<nfs3::Lookup3Args> kLookup3Args =
    kJudge<nfs3::Lookup3Args, LOOKUP3args, xdr_LOOKUP3args>;
const Judge<nfs3::Lookup3Res> kLookup3Res = kJudge<nfs3::Lookup3Res, LOOKUP3res, xdr_LOOKUP3res>;
const Judge<nfs3::Access3Args> kAccess3Args =
    kJudge<nfs3::Access3Args, ACCESS3args, xdr_ACCESS3args>;
const Judge<nfs3::Access3Res> kAccess3Res = kJudge<nfs3::Access3Res, ACCESS3res, xdr_ACCESS3res>;
const Judge<nfs3::Readlink3Args> kReadlink3Args =
    kJudge<nfs3::Readlink3Args, READLINK3args, xdr_READLINK3args>;
const Judge<nfs3::Readlink3Res> kReadlink3Res =
    kJudge<nfs3::Readlink3Res, READLINK3res, xdr_READLINK3res>;
const Judge<nfs3::Read3Args> kRead3Args = kJudge<nfs3::Read3Args, READ3args, xdr_READ3args>;
const Judge<nfs3::Read3Res> kRead3Res = kJudge<nfs3::Read3Res, READ3res, xdr_READ3res>;
const Judge<nfs3::Fsinfo3Args> kFsinfo3Args =
    kJudge<nfs3::Fsinfo3Args, FSINFO3args, xdr_FSINFO3args>;
const Judge<nfs3::Fsinfo3Res> kFsinfo3Res = kJudge<nfs3::Fsinfo3Res, FSINFO3res, xdr_FSINFO3res>;
const Judge<mount3::DirPath> kDirPath = kJudge<mount3::DirPath, dirpath, xdr_dirpath>;
const Judge<mount3::Mountres3> kMountres3 = kJudge<mount3::Mountres3, mountres3, xdr_mountres3>;
const Judge<mount3::Exports> kExports = kJudge<mount3::Exports, exports, xdr_exports>;

}  // namespace oracle
