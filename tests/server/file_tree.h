// What the embedded server serves: directories, files, symbolic links and the rest.
//
//   FileTree tree;
//   tree.AddFile("/export/hello", BytesContents("hello\n"));
//   tree.AddFile("/export/big", PatternContents(uint64_t{5} << 30));
//   tree.AddSymlink("/export/link", "hello");
//
// Paths are absolute, names are any bytes but '/' and missing parents are made as
// directories of mode 0755. A file handle is a file id and a generation: when the node
// is gone, or has been made anew, the handle is stale. Times come from a counter that
// every change moves on by a second, so the same calls give the same tree.
#ifndef TESTS_SERVER_FILE_TREE_H_
#define TESTS_SERVER_FILE_TREE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>

#include "absl/strings/string_view.h"
#include "client/protocol/nfs3.h"
#include "tests/server/contents.h"

namespace server {

struct Ownership {
  uint32_t mode = 0644;  // permission bits only
  uint32_t uid = 0;
  uint32_t gid = 0;
};

// What may happen to a file between two calls.
struct FileChange {
  enum class Kind : uint8_t {
    kAppend,    // `bytes` more
    kTruncate,  // to `bytes`
    kRewrite,   // other bytes, same size, same file
    kReplace,   // another file of the same name, size and bytes; old handles are stale
    kRemove,    // no such name any more; old handles are stale
  };
  Kind kind = Kind::kAppend;
  uint64_t bytes = 0;
};

// Thread-safe: a test may change the tree while it is served. What is asked of a path
// that is not there, or added where something is already, fails an assertion.
class FileTree {
 public:
  // Every handle has `handle_bytes`, from 12 to 64.
  explicit FileTree(size_t handle_bytes = 20);

  void AddDirectory(absl::string_view path, Ownership ownership = {.mode = 0755});
  void AddFile(absl::string_view path, std::unique_ptr<Contents> contents,
               Ownership ownership = {});
  void AddSymlink(absl::string_view path, absl::string_view target);
  void AddSpecial(absl::string_view path, nfs3::FileType3 type, Ownership ownership = {});

  void SetOwnership(absl::string_view path, Ownership ownership);
  void SetModified(absl::string_view path, nfs3::NfsTime3 time);
  // The file system that `path` and what is added below it later belong to.
  void SetFsid(absl::string_view path, uint64_t fsid);
  // Other contents for the same file: handles stay good.
  void SetContents(absl::string_view path, std::unique_ptr<Contents> contents);
  // False when the node is not a regular file, or one that cannot be changed.
  bool Change(absl::string_view path, const FileChange& change);
  bool Change(const nfs3::FileHandle3& handle, const FileChange& change);
  // Every handle given out so far is stale from now on; file ids stay.
  void ExpireHandles();

  nfs3::FileHandle3 Handle(absl::string_view path) const;

  // The rest answers with kStale or kBadHandle for handles that are not good, and
  // leaves `out` alone unless the status is kOk.
  nfs3::Status Resolve(absl::string_view path, nfs3::FileHandle3& out) const;
  nfs3::Status Getattr(const nfs3::FileHandle3& handle, nfs3::Fattr3& out) const;
  // "." and ".." as usual; ".." of the top is the top.
  nfs3::Status Lookup(const nfs3::FileHandle3& dir, absl::string_view name,
                      nfs3::FileHandle3& out) const;
  nfs3::Status Readlink(const nfs3::FileHandle3& symlink, std::string& out) const;
  // How many bytes of `to` were filled: fewer than there are only at the end.
  nfs3::Status Read(const nfs3::FileHandle3& file, uint64_t offset, std::span<std::byte> to,
                    size_t& out) const;

 private:
  struct Node {
    uint64_t fileid = 0;
    uint32_t generation = 0;
    uint64_t fsid = 0;
    Node* parent = nullptr;
    std::string name;
    nfs3::FileType3 type = nfs3::FileType3::kDir;
    Ownership ownership;
    nfs3::NfsTime3 modified;
    std::map<std::string, Node*, std::less<>> children;  // of a directory
    std::unique_ptr<Contents> contents;                  // of a regular file
    std::string target;                                  // of a symbolic link
  };

  // All of these REQUIRE mutex_.
  Node* NewNode();
  Node* Add(absl::string_view path, nfs3::FileType3 type, Ownership ownership);
  Node* MakeParents(absl::string_view path);
  Node* AddChild(Node* parent, absl::string_view name, nfs3::FileType3 type, Ownership ownership);
  Node* FindPath(absl::string_view path) const;
  Node* MustFind(absl::string_view path) const;
  nfs3::Status FindHandle(const nfs3::FileHandle3& handle, Node*& node) const;
  nfs3::FileHandle3 HandleOf(const Node& node) const;
  bool ChangeNode(Node* node, const FileChange& change);
  bool ChangeContents(Contents& contents, const FileChange& change);
  void Replace(Node* node);
  void Remove(Node* node);
  nfs3::NfsTime3 Tick();

  const size_t handle_bytes_;
  mutable std::mutex mutex_;  // of all that follows
  std::unordered_map<uint64_t, std::unique_ptr<Node>> nodes_;
  Node* top_ = nullptr;
  uint64_t last_fileid_ = 1;
  uint32_t generation_ = 1;
  uint32_t seconds_ = 1'000'000'000;
};

}  // namespace server

#endif  // TESTS_SERVER_FILE_TREE_H_
