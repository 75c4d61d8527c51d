// MOUNT version 3 (RFC 1813, appendix I). Tested by tests/server/service_test.cc.
#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tests/server/service.h"

namespace server {

namespace {

using mount3::Status;

// The export that `path` is, or is below; the longest one.
const Export* FindExport(const std::vector<Export>& exports, const std::string& path) {
  const Export* best = nullptr;
  for (const Export& candidate : exports) {
    const bool below = candidate.subdirectories &&
                       absl::StartsWith(path, candidate.path == "/" ? "/" : candidate.path + "/");
    if (path != candidate.path && !below) continue;
    if (best == nullptr || best->path.size() < candidate.path.size()) best = &candidate;
  }
  return best;
}

const std::string& RootOf(const Export& exported) {
  return exported.root.empty() ? exported.path : exported.root;
}

// Walks from the root of the export. An empty name, as a stray slash makes, is no name.
nfs3::Status Walk(const FileTree& tree, absl::string_view names, nfs3::FileHandle3& handle) {
  for (absl::string_view name : absl::StrSplit(names, '/')) {
    if (name.empty()) return nfs3::Status::kNoEnt;
    const nfs3::Status status = tree.Lookup(handle, name, handle);
    if (status != nfs3::Status::kOk) return status;
  }
  return nfs3::Status::kOk;
}

// What MNT gives for `path`, which is `exported` or below it.
nfs3::Status FindDirectory(const Export& exported, absl::string_view path, const FileTree& tree,
                           nfs3::FileHandle3& handle) {
  nfs3::Status status = tree.Resolve(RootOf(exported), handle);
  if (status != nfs3::Status::kOk) return status;
  if (absl::ConsumePrefix(&path, exported.path) && !path.empty()) {
    if (exported.path != "/") absl::ConsumePrefix(&path, "/");
    status = Walk(tree, path, handle);
    if (status != nfs3::Status::kOk) return status;
  }
  nfs3::Fattr3 attributes;
  status = tree.Getattr(handle, attributes);
  const bool is_directory = attributes.type == nfs3::FileType3::kDir;
  return status == nfs3::Status::kOk && !is_directory ? nfs3::Status::kNotDir : status;
}

void Mnt(const Call& call, const std::vector<Export>& exports, const FileTree& tree,
         ReplyWriter& reply) {
  mount3::Mountres3 results;
  const Export* exported = FindExport(exports, call.arguments.name);
  if (exported == nullptr) {
    results.status = Status::kNoEnt;
  } else if (exported->refusal != Status::kOk) {
    results.status = exported->refusal;
  } else {
    // Each nfsstat3 that can come out of it has its number in mountstat3 too.
    results.status =
        static_cast<Status>(FindDirectory(*exported, call.arguments.name, tree, results.handle));
    results.auth_flavors.elements = exported->flavors;
  }
  reply.Put(results);
}

void ListExports(const std::vector<Export>& exports, ReplyWriter& reply) {
  mount3::Exports results;
  for (const Export& exported : exports) {
    mount3::ExportNode& node = results.exports.elements.emplace_back();
    node.dir = xdr::String<mount3::kMaxPathBytes>(exported.path);
    for (const std::string& group : exported.groups) {
      node.groups.elements.push_back({xdr::String<mount3::kMaxNameBytes>(group)});
    }
  }
  reply.Put(results);
}

}  // namespace

void ServeMount3(const Call& call, const std::vector<Export>& exports, const FileTree& tree,
                 ReplyWriter& reply) {
  switch (call.procedure) {
    case mount3::kMnt.number: return Mnt(call, exports, tree, reply);
    case mount3::kExport.number: return ListExports(exports, reply);
    default: return reply.Put(nfs3::Void());  // NULL, UMNT
  }
}

}  // namespace server
