// The questions that the services ask of the tree. Tested by
// tests/server/file_tree_test.cc.
#include "tests/server/file_tree.h"

namespace server {

nfs3::Status FileTree::Resolve(absl::string_view path, nfs3::FileHandle3& out) const {
  const std::lock_guard lock(mutex_);
  const Node* node = FindPath(path);
  if (node == nullptr) return nfs3::Status::kNoEnt;
  out = HandleOf(*node);
  return nfs3::Status::kOk;
}

nfs3::Status FileTree::Getattr(const nfs3::FileHandle3& handle, nfs3::Fattr3& out) const {
  const std::lock_guard lock(mutex_);
  Node* node = nullptr;
  const nfs3::Status status = FindHandle(handle, node);
  if (status != nfs3::Status::kOk) return status;
  out = nfs3::Fattr3();
  out.type = node->type;
  out.mode = node->ownership.mode;
  out.nlink = node->type == nfs3::FileType3::kDir ? 2 : 1;
  out.uid = node->ownership.uid;
  out.gid = node->ownership.gid;
  out.size = node->contents ? node->contents->size() : node->target.size();
  if (node->type == nfs3::FileType3::kDir) out.size = 4096;
  out.used = node->contents ? node->contents->used() : out.size;
  out.fsid = node->fsid;
  out.fileid = node->fileid;
  out.atime = out.mtime = out.ctime = node->modified;
  return status;
}

nfs3::Status FileTree::Lookup(const nfs3::FileHandle3& dir, absl::string_view name,
                              nfs3::FileHandle3& out) const {
  const std::lock_guard lock(mutex_);
  Node* node = nullptr;
  const nfs3::Status status = FindHandle(dir, node);
  if (status != nfs3::Status::kOk) return status;
  if (node->type != nfs3::FileType3::kDir) return nfs3::Status::kNotDir;
  if (name == "..") node = node->parent;
  if (name != "." && name != "..") {
    const auto child = node->children.find(std::string(name));
    if (child == node->children.end()) return nfs3::Status::kNoEnt;
    node = child->second;
  }
  out = HandleOf(*node);
  return status;
}

nfs3::Status FileTree::Readlink(const nfs3::FileHandle3& symlink, std::string& out) const {
  const std::lock_guard lock(mutex_);
  Node* node = nullptr;
  const nfs3::Status status = FindHandle(symlink, node);
  if (status != nfs3::Status::kOk) return status;
  if (node->type != nfs3::FileType3::kLnk) return nfs3::Status::kInval;
  out = node->target;
  return status;
}

nfs3::Status FileTree::Read(const nfs3::FileHandle3& file, uint64_t offset, std::span<std::byte> to,
                            size_t& out) const {
  const std::lock_guard lock(mutex_);
  Node* node = nullptr;
  const nfs3::Status status = FindHandle(file, node);
  if (status != nfs3::Status::kOk) return status;
  if (node->type == nfs3::FileType3::kDir) return nfs3::Status::kIsDir;
  if (node->type != nfs3::FileType3::kReg) return nfs3::Status::kInval;
  out = node->contents->Read(offset, to);
  return status;
}

}  // namespace server
