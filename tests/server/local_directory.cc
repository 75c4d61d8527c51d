// Tested by tests/server/nfs3d_test.cc.
#include "tests/server/local_directory.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace server {

namespace {

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

absl::StatusOr<std::vector<std::string>> NamesIn(const std::string& path) {
  const std::unique_ptr<DIR, CloseDirectory> directory(::opendir(path.c_str()));
  if (directory == nullptr) {
    return absl::NotFoundError(absl::StrCat(path, ": ", std::strerror(errno)));
  }
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(directory.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  std::ranges::sort(names);  // the same file ids every time
  return names;
}

nfs3::FileType3 TypeOf(const struct stat& info) {
  switch (info.st_mode & S_IFMT) {
    case S_IFDIR: return nfs3::FileType3::kDir;
    case S_IFLNK: return nfs3::FileType3::kLnk;
    case S_IFBLK: return nfs3::FileType3::kBlk;
    case S_IFCHR: return nfs3::FileType3::kChr;
    case S_IFSOCK: return nfs3::FileType3::kSock;
    case S_IFIFO: return nfs3::FileType3::kFifo;
    default: return nfs3::FileType3::kReg;
  }
}

std::string TargetOf(const std::string& link) {
  char target[PATH_MAX];
  const ssize_t size = ::readlink(link.c_str(), target, sizeof(target));
  return size < 0 ? std::string() : std::string(target, static_cast<size_t>(size));
}

void AddNode(const std::string& local, const std::string& path, const struct stat& info,
             FileTree& tree) {
  const Ownership ownership = {info.st_mode & 07777, info.st_uid, info.st_gid};
  const nfs3::FileType3 type = TypeOf(info);
  switch (type) {
    case nfs3::FileType3::kDir: tree.AddDirectory(path, ownership); break;
    case nfs3::FileType3::kLnk: tree.AddSymlink(path, TargetOf(local)); break;
    case nfs3::FileType3::kReg:
      tree.AddFile(path, DiskContents(local, static_cast<uint64_t>(info.st_size)), ownership);
      break;
    default: tree.AddSpecial(path, type, ownership);
  }
}

absl::Status AddEntry(const std::string& local, const std::string& path, FileTree& tree) {
  struct stat info;
  if (::lstat(local.c_str(), &info) != 0) return absl::OkStatus();
  AddNode(local, path, info, tree);
  absl::Status status;
  if (TypeOf(info) == nfs3::FileType3::kDir) status = AddLocalDirectory(local, path, tree);
  tree.SetModified(path, {static_cast<uint32_t>(info.st_mtim.tv_sec),
                          static_cast<uint32_t>(info.st_mtim.tv_nsec)});
  return status;
}

}  // namespace

absl::Status AddLocalDirectory(const std::string& directory, absl::string_view path,
                               FileTree& tree) {
  const absl::StatusOr<std::vector<std::string>> names = NamesIn(directory);
  if (!names.ok()) return names.status();
  for (const std::string& name : *names) {
    const absl::Status status =
        AddEntry(absl::StrCat(directory, "/", name), absl::StrCat(path, "/", name), tree);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace server
