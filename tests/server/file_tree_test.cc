#include "tests/server/file_tree.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "xdr/types.h"

namespace server {
namespace {

using nfs3::Status;
using Kind = FileChange::Kind;

std::vector<std::byte> Pattern(uint64_t offset, size_t size, uint64_t seed = 0) {
  std::vector<std::byte> bytes(size);
  FillPattern(offset, bytes, seed);
  return bytes;
}

std::string ReadAt(const FileTree& tree, const nfs3::FileHandle3& file, uint64_t offset,
                   size_t size) {
  std::string bytes(size, '?');
  size_t got = 0;
  EXPECT_EQ(tree.Read(file, offset, std::as_writable_bytes(std::span(bytes)), got), Status::kOk);
  return bytes.substr(0, got);
}

nfs3::Fattr3 Attributes(const FileTree& tree, const nfs3::FileHandle3& handle) {
  nfs3::Fattr3 attributes;
  EXPECT_EQ(tree.Getattr(handle, attributes), Status::kOk);
  return attributes;
}

TEST(FillPattern, IsTheSameHoweverItIsCut) {
  const std::vector<std::byte> whole = Pattern(0, 100);
  for (size_t from = 0; from <= whole.size(); ++from) {
    for (size_t size = 0; size <= whole.size() - from; ++size) {
      const xdr::ByteView expected = xdr::ByteView(whole).subspan(from, size);
      EXPECT_TRUE(std::ranges::equal(Pattern(from, size), expected)) << from << " " << size;
    }
  }
}

TEST(FillPattern, HasNoWordTwice) {
  std::set<std::string> words;
  for (uint64_t at : {uint64_t{0}, uint64_t{1} << 32, uint64_t{1} << 62}) {
    const std::vector<std::byte> bytes = Pattern(at, 8 * 4096);
    for (size_t i = 0; i < bytes.size(); i += 8) {
      const absl::string_view word = xdr::TextOf(xdr::ByteView(bytes).subspan(i, 8));
      EXPECT_TRUE(words.insert(std::string(word)).second) << at + i;
    }
  }
  EXPECT_NE(Pattern(0, 8, 0), Pattern(0, 8, 1));
}

TEST(FileTree, HasSparseFilesOfAnySize) {
  FileTree tree;
  const uint64_t size = (uint64_t{1} << 63) - 1;
  const std::map<uint64_t, std::string> marks = {
      {0, "start"}, {0xffffffff, "4G"}, {size - 3, "end"}};
  tree.AddFile("/sparse", SparseContents(size, marks));
  const nfs3::FileHandle3 file = tree.Handle("/sparse");
  EXPECT_EQ(Attributes(tree, file).size, size);
  EXPECT_EQ(Attributes(tree, file).used, 10u);
  const auto zeros = [](size_t count) { return std::string(count, '\0'); };
  EXPECT_EQ(ReadAt(tree, file, 0, 8), "start" + zeros(3));
  EXPECT_EQ(ReadAt(tree, file, 3, 4), "rt" + zeros(2));
  EXPECT_EQ(ReadAt(tree, file, 0xfffffffe, 4), zeros(1) + "4G" + zeros(1));
  EXPECT_EQ(ReadAt(tree, file, 0x100000000, 2), "G" + zeros(1));
  EXPECT_EQ(ReadAt(tree, file, uint64_t{1} << 62, 5), zeros(5));
  EXPECT_EQ(ReadAt(tree, file, size - 5, 100), zeros(2) + "end");
  EXPECT_EQ(ReadAt(tree, file, size, 100), "");
}

TEST(FileTree, SparseFilesChange) {
  FileTree tree;
  tree.AddFile("/sparse", SparseContents(10, {{1, "abc"}, {8, "z"}}));
  const nfs3::FileHandle3 file = tree.Handle("/sparse");
  ASSERT_TRUE(tree.Change("/sparse", {Kind::kTruncate, 3}));
  ASSERT_TRUE(tree.Change("/sparse", {Kind::kAppend, 2}));
  EXPECT_EQ(ReadAt(tree, file, 0, 9), std::string("\0ab\0\0", 5));
  ASSERT_TRUE(tree.Change("/sparse", {Kind::kRewrite}));
  EXPECT_EQ(ReadAt(tree, file, 0, 9), std::string("\0\x9e\x9d\0\0", 5));
}

TEST(FileTree, GivesBytesUpToTheEnd) {
  FileTree tree;
  tree.AddFile("/export/dir/hello", BytesContents("hello\n"));
  const nfs3::FileHandle3 file = tree.Handle("/export/dir/hello");
  EXPECT_EQ(ReadAt(tree, file, 0, 100), "hello\n");
  EXPECT_EQ(ReadAt(tree, file, 2, 3), "llo");
  EXPECT_EQ(ReadAt(tree, file, 6, 3), "");
  EXPECT_EQ(ReadAt(tree, file, UINT64_MAX, 3), "");
  EXPECT_EQ(Attributes(tree, file).size, 6u);
}

TEST(FileTree, ServesFilesOfAnySize) {
  FileTree tree;
  const uint64_t size = (uint64_t{1} << 63) - 1;
  tree.AddFile("/huge", PatternContents(size, 5));
  const std::vector<std::byte> end = Pattern(size - 10, 10, 5);
  EXPECT_EQ(ReadAt(tree, tree.Handle("/huge"), size - 10, 100), xdr::TextOf(end));
}

TEST(FileTree, KnowsTypesAndOwners) {
  FileTree tree;
  tree.AddFile("/f", BytesContents(""), {.mode = 0640, .uid = 7, .gid = 8});
  tree.AddSymlink("/l", "f");
  tree.AddSpecial("/p", nfs3::FileType3::kFifo);
  const nfs3::Fattr3 file = Attributes(tree, tree.Handle("/f"));
  EXPECT_EQ(file.type, nfs3::FileType3::kReg);
  EXPECT_EQ(file.mode, 0640u);
  EXPECT_EQ(file.uid, 7u);
  EXPECT_EQ(file.gid, 8u);
  EXPECT_EQ(Attributes(tree, tree.Handle("/l")).type, nfs3::FileType3::kLnk);
  EXPECT_EQ(Attributes(tree, tree.Handle("/p")).type, nfs3::FileType3::kFifo);
  EXPECT_EQ(Attributes(tree, tree.Handle("/")).type, nfs3::FileType3::kDir);
}

TEST(FileTree, LooksNamesUp) {
  FileTree tree;
  tree.AddFile("/d/\xff name", BytesContents("x"));
  nfs3::FileHandle3 found;
  EXPECT_EQ(tree.Lookup(tree.Handle("/d"), "\xff name", found), Status::kOk);
  EXPECT_EQ(found, tree.Handle("/d/\xff name"));
  EXPECT_EQ(tree.Lookup(tree.Handle("/d"), "name", found), Status::kNoEnt);
  EXPECT_EQ(tree.Lookup(tree.Handle("/d/\xff name"), "x", found), Status::kNotDir);
  EXPECT_EQ(tree.Lookup(tree.Handle("/d"), ".", found), Status::kOk);
  EXPECT_EQ(found, tree.Handle("/d"));
  EXPECT_EQ(tree.Lookup(tree.Handle("/d"), "..", found), Status::kOk);
  EXPECT_EQ(found, tree.Handle("/"));
  EXPECT_EQ(tree.Lookup(tree.Handle("/"), "..", found), Status::kOk);
  EXPECT_EQ(found, tree.Handle("/"));
}

TEST(FileTree, RefusesWhatIsNoFileOrNoLink) {
  FileTree tree;
  tree.AddSymlink("/d/l", "a b");
  tree.AddSpecial("/d/p", nfs3::FileType3::kFifo);
  size_t got = 0;
  std::string target;
  EXPECT_EQ(tree.Read(tree.Handle("/d"), 0, {}, got), Status::kIsDir);
  EXPECT_EQ(tree.Read(tree.Handle("/d/p"), 0, {}, got), Status::kInval);
  EXPECT_EQ(tree.Read(tree.Handle("/d/l"), 0, {}, got), Status::kInval);
  EXPECT_EQ(tree.Readlink(tree.Handle("/d"), target), Status::kInval);
  EXPECT_EQ(tree.Readlink(tree.Handle("/d/l"), target), Status::kOk);
  EXPECT_EQ(target, "a b");
}

TEST(FileTree, GoesOnWithThePatternWhenAFileGrows) {
  FileTree tree;
  tree.AddFile("/f", BytesContents("abc"));
  const nfs3::FileHandle3 file = tree.Handle("/f");
  const nfs3::NfsTime3 before = Attributes(tree, file).mtime;
  EXPECT_TRUE(tree.Change("/f", {Kind::kAppend, 20}));
  EXPECT_EQ(ReadAt(tree, file, 3, 100), xdr::TextOf(Pattern(3, 20)));
  EXPECT_TRUE(tree.Change(file, {Kind::kTruncate, 2}));
  EXPECT_EQ(ReadAt(tree, file, 0, 100), "ab");
  EXPECT_NE(Attributes(tree, file).mtime, before);
}

TEST(FileTree, RewritesInPlace) {
  FileTree tree;
  tree.AddFile("/f", PatternContents(100));
  const nfs3::FileHandle3 file = tree.Handle("/f");
  const std::string before = ReadAt(tree, file, 0, 100);
  EXPECT_TRUE(tree.Change("/f", {Kind::kRewrite}));
  EXPECT_EQ(tree.Handle("/f"), file);
  EXPECT_EQ(Attributes(tree, file).size, 100u);
  EXPECT_NE(ReadAt(tree, file, 0, 100), before);
  tree.SetContents("/f", BytesContents("new"));
  EXPECT_EQ(ReadAt(tree, file, 0, 100), "new");
}

TEST(FileTree, MakesHandlesStale) {
  FileTree tree;
  tree.AddFile("/f", BytesContents("abc"));
  tree.AddFile("/g", BytesContents("abc"));
  const nfs3::FileHandle3 f = tree.Handle("/f"), g = tree.Handle("/g");
  nfs3::Fattr3 attributes;
  EXPECT_TRUE(tree.Change("/f", {Kind::kReplace}));
  EXPECT_EQ(tree.Getattr(f, attributes), Status::kStale);
  EXPECT_EQ(ReadAt(tree, tree.Handle("/f"), 0, 9), "abc");
  EXPECT_TRUE(tree.Change("/g", {Kind::kRemove}));
  EXPECT_EQ(tree.Getattr(g, attributes), Status::kStale);
  nfs3::FileHandle3 found;
  EXPECT_EQ(tree.Resolve("/g", found), Status::kNoEnt);
  EXPECT_FALSE(tree.Change(g, {Kind::kAppend, 1}));
  EXPECT_FALSE(tree.Change("/", {Kind::kAppend, 1}));
}

TEST(FileTree, ExpiresHandlesButNotFileIds) {
  FileTree tree;
  tree.AddFile("/f", BytesContents("abc"));
  const nfs3::FileHandle3 old = tree.Handle("/f");
  const uint64_t fileid = Attributes(tree, old).fileid;
  tree.ExpireHandles();
  nfs3::Fattr3 attributes;
  EXPECT_EQ(tree.Getattr(old, attributes), Status::kStale);
  EXPECT_EQ(Attributes(tree, tree.Handle("/f")).fileid, fileid);
}

TEST(FileTree, RefusesHandlesThatItNeverMade) {
  FileTree tree(64);
  EXPECT_EQ(tree.Handle("/").data.size(), 64u);
  nfs3::FileHandle3 handle;
  nfs3::Fattr3 attributes;
  EXPECT_EQ(tree.Getattr(handle, attributes), Status::kBadHandle);
  handle.data.Assign(xdr::BytesOf(std::string(64, 'x')));
  EXPECT_EQ(tree.Getattr(handle, attributes), Status::kStale);
}

TEST(FileTree, HasFileSystems) {
  FileTree tree;
  tree.AddDirectory("/a");
  tree.AddDirectory("/b");
  tree.SetFsid("/b", 99);
  tree.AddFile("/a/f", BytesContents(""));
  tree.AddFile("/b/f", BytesContents(""));
  EXPECT_NE(Attributes(tree, tree.Handle("/a/f")).fsid, 99u);
  EXPECT_EQ(Attributes(tree, tree.Handle("/b/f")).fsid, 99u);
}

}  // namespace
}  // namespace server
