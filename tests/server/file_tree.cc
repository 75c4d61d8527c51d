// Tested by tests/server/file_tree_test.cc.
#include "tests/server/file_tree.h"

#include <array>
#include <cassert>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "xdr/decoder.h"
#include "xdr/encoder.h"

namespace server {

namespace {

constexpr uint64_t kFirstFsid = 0x5eed;

// What a handle says; zeros fill it up to its size.
struct HandleBody {
  uint64_t fileid = 0;
  uint32_t generation = 0;

  static void Describe(auto& coder, auto& self) {
    coder.Field("fileid", self.fileid);
    coder.Field("generation", self.generation);
  }
};

std::vector<absl::string_view> Components(absl::string_view path) {
  assert(absl::StartsWith(path, "/"));
  return absl::StrSplit(path, '/', absl::SkipEmpty());
}

}  // namespace

FileTree::FileTree(size_t handle_bytes) : handle_bytes_(handle_bytes) {
  assert(handle_bytes >= 12 && handle_bytes <= nfs3::kMaxHandleBytes);
  const std::lock_guard lock(mutex_);
  top_ = NewNode();
  top_->fsid = kFirstFsid;
  top_->ownership.mode = 0755;
  top_->parent = top_;
}

nfs3::NfsTime3 FileTree::Tick() { return {++seconds_, 0}; }

FileTree::Node* FileTree::NewNode() {
  const uint64_t fileid = ++last_fileid_;
  auto node = std::make_unique<Node>();
  node->fileid = fileid;
  node->generation = generation_;
  node->modified = Tick();
  return (nodes_[fileid] = std::move(node)).get();
}

FileTree::Node* FileTree::AddChild(Node* parent, absl::string_view name, nfs3::FileType3 type,
                                   Ownership ownership) {
  assert(parent->type == nfs3::FileType3::kDir && "the parent is not a directory");
  Node* node = NewNode();
  node->parent = parent;
  node->name = std::string(name);
  node->fsid = parent->fsid;
  node->type = type;
  node->ownership = ownership;
  [[maybe_unused]] const bool added = parent->children.emplace(node->name, node).second;
  assert(added && "the name is there already");
  parent->modified = node->modified;
  return node;
}

FileTree::Node* FileTree::MakeParents(absl::string_view path) {
  Node* node = top_;
  std::vector<absl::string_view> names = Components(path);
  assert(!names.empty());
  names.pop_back();
  for (absl::string_view name : names) {
    const auto child = node->children.find(std::string(name));
    node = child != node->children.end()
               ? child->second
               : AddChild(node, name, nfs3::FileType3::kDir, {.mode = 0755});
  }
  return node;
}

FileTree::Node* FileTree::Add(absl::string_view path, nfs3::FileType3 type, Ownership ownership) {
  return AddChild(MakeParents(path), Components(path).back(), type, ownership);
}

void FileTree::AddDirectory(absl::string_view path, Ownership ownership) {
  const std::lock_guard lock(mutex_);
  Add(path, nfs3::FileType3::kDir, ownership);
}

void FileTree::AddFile(absl::string_view path, std::unique_ptr<Contents> contents,
                       Ownership ownership) {
  const std::lock_guard lock(mutex_);
  Add(path, nfs3::FileType3::kReg, ownership)->contents = std::move(contents);
}

void FileTree::AddSymlink(absl::string_view path, absl::string_view target) {
  const std::lock_guard lock(mutex_);
  Add(path, nfs3::FileType3::kLnk, {.mode = 0777})->target = std::string(target);
}

void FileTree::AddSpecial(absl::string_view path, nfs3::FileType3 type, Ownership ownership) {
  const std::lock_guard lock(mutex_);
  Add(path, type, ownership);
}

void FileTree::SetOwnership(absl::string_view path, Ownership ownership) {
  const std::lock_guard lock(mutex_);
  MustFind(path)->ownership = ownership;
}

void FileTree::SetModified(absl::string_view path, nfs3::NfsTime3 time) {
  const std::lock_guard lock(mutex_);
  MustFind(path)->modified = time;
}

void FileTree::SetFsid(absl::string_view path, uint64_t fsid) {
  const std::lock_guard lock(mutex_);
  MustFind(path)->fsid = fsid;
}

void FileTree::SetContents(absl::string_view path, std::unique_ptr<Contents> contents) {
  const std::lock_guard lock(mutex_);
  Node* node = MustFind(path);
  node->contents = std::move(contents);
  node->modified = Tick();
}

bool FileTree::Change(absl::string_view path, const FileChange& change) {
  const std::lock_guard lock(mutex_);
  return ChangeNode(MustFind(path), change);
}

bool FileTree::Change(const nfs3::FileHandle3& handle, const FileChange& change) {
  const std::lock_guard lock(mutex_);
  Node* node = nullptr;
  return FindHandle(handle, node) == nfs3::Status::kOk && ChangeNode(node, change);
}

bool FileTree::ChangeNode(Node* node, const FileChange& change) {
  if (node->type != nfs3::FileType3::kReg) return false;
  node->modified = Tick();
  switch (change.kind) {
    case FileChange::Kind::kReplace: Replace(node); return true;
    case FileChange::Kind::kRemove: Remove(node); return true;
    default: return ChangeContents(*node->contents, change);
  }
}

bool FileTree::ChangeContents(Contents& contents, const FileChange& change) {
  switch (change.kind) {
    case FileChange::Kind::kAppend: return contents.Resize(contents.size() + change.bytes);
    case FileChange::Kind::kTruncate: return contents.Resize(change.bytes);
    default: return contents.Rewrite();
  }
}

void FileTree::Replace(Node* node) {
  Node* parent = node->parent;
  const std::string name = node->name;
  const Ownership ownership = node->ownership;
  std::unique_ptr<Contents> contents = std::move(node->contents);
  Remove(node);
  AddChild(parent, name, nfs3::FileType3::kReg, ownership)->contents = std::move(contents);
}

void FileTree::Remove(Node* node) {
  node->parent->children.erase(node->name);
  node->parent->modified = Tick();
  nodes_.erase(node->fileid);
}

void FileTree::ExpireHandles() {
  const std::lock_guard lock(mutex_);
  ++generation_;
  for (auto& [fileid, node] : nodes_) node->generation = generation_;
}

FileTree::Node* FileTree::FindPath(absl::string_view path) const {
  Node* node = top_;
  for (absl::string_view name : Components(path)) {
    const auto child = node->children.find(std::string(name));
    if (child == node->children.end()) return nullptr;
    node = child->second;
  }
  return node;
}

FileTree::Node* FileTree::MustFind(absl::string_view path) const {
  Node* node = FindPath(path);
  assert(node != nullptr && "no such path in the tree");
  return node;
}

nfs3::FileHandle3 FileTree::Handle(absl::string_view path) const {
  const std::lock_guard lock(mutex_);
  return HandleOf(*MustFind(path));
}

nfs3::FileHandle3 FileTree::HandleOf(const Node& node) const {
  std::array<std::byte, nfs3::kMaxHandleBytes> space{};
  xdr::Encoder encoder(space);
  encoder.Put(HandleBody{node.fileid, node.generation});
  nfs3::FileHandle3 handle;
  handle.data.Assign(std::span(space).first(handle_bytes_));
  return handle;
}

nfs3::Status FileTree::FindHandle(const nfs3::FileHandle3& handle, Node*& node) const {
  if (handle.data.size() != handle_bytes_) return nfs3::Status::kBadHandle;
  const auto body = xdr::Decoder(handle.data.view()).Get<HandleBody>();
  const auto found = nodes_.find(body.fileid);
  if (found == nodes_.end() || found->second->generation != body.generation) {
    return nfs3::Status::kStale;
  }
  node = found->second.get();
  return nfs3::Status::kOk;
}

}  // namespace server
