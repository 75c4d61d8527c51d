// The load server against its clients: the bytes of the pattern arrive.
#include "tests/bench/load_server.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/protocol/nfs3_read.h"
#include "gtest/gtest.h"
#include "tests/bench/pattern.h"
#include "tests/bench/read_replies.h"
#include "tests/server/conversation.h"
#include "tests/support/subprocess.h"

namespace bench {
namespace {

constexpr uint64_t kSize = (5 << 20) + 3;  // longer than the pattern's period, and odd

const Pattern& ThePattern() {
  static const auto* pattern = new Pattern();
  return *pattern;
}

std::unique_ptr<LoadServer> StartServer(uint32_t rsize) {
  auto server = LoadServer::Start({.rsize = rsize, .files = {{"file", kSize}, {"empty", 0}}});
  EXPECT_TRUE(server.ok()) << server.status();
  return server.ok() ? *std::move(server) : nullptr;
}

support::Outcome RunOn(std::vector<std::string> argv, const LoadServer& server,
                       const std::string& file = "file") {
  argv.push_back(LoadUrl(server.port(), file));
  return support::RunProgram({.argv = argv});
}

TEST(LoadServer, GivesNfscatThePattern) {
  for (uint32_t rsize : {4096u, 12345u, 32u << 10, 1u << 20}) {
    const auto server = StartServer(rsize);
    const support::Outcome outcome = RunOn({"client/tools/nfscat"}, *server);
    ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
    PatternCheck check(ThePattern());
    EXPECT_TRUE(check.Take(xdr::BytesOf(outcome.out)).ok()) << check.position();
    EXPECT_TRUE(check.Finish(kSize).ok());
    EXPECT_GE(server->state().reads, kSize / rsize);
  }
}

TEST(LoadServer, GivesAnEmptyFile) {
  const auto server = StartServer(4096);
  const support::Outcome outcome = RunOn({"client/tools/nfscat"}, *server, "empty");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
}

TEST(LoadServer, SatisfiesTheCheckOfEveryClientToCompareWith) {
  const auto server = StartServer(1 << 20);
  const std::string size = std::to_string(kSize);
  for (const char* rsize : {"--rsize=4K", "--rsize=32K", "--rsize=1M"}) {
    const std::vector<std::vector<std::string>> clients = {
        {"tests/bench/floor", rsize, "--verify"},
        {"tests/bench/floor", rsize, "--verify", "--window=64", "--lowat=256K"},
        {"tests/bench/floor", rsize, "--verify", "--window=1"},
        {"tests/bench/reader", rsize, "--verify=" + size}};
    for (const std::vector<std::string>& client : clients) {
      const support::Outcome outcome = RunOn(client, *server);
      EXPECT_EQ(outcome.exit_status, 0) << client[0] << " " << rsize << ": " << outcome.err;
    }
  }
}

TEST(LoadServer, SatisfiesLibnfs) {
  constexpr int kMissing = 77;
  const auto server = StartServer(1 << 20);
  const std::string size = "--size=" + std::to_string(kSize);
  for (const auto& [rsize, how] :
       {std::pair("--rsize=32K", "--window=16"), std::pair("--rsize=1M", "--window=1"),
        std::pair("--rsize=4K", "--random=500")}) {
    const support::Outcome outcome =
        RunOn({"tests/bench/libnfs_pipeline", size, "--verify", rsize, how}, *server);
    if (outcome.exit_status == kMissing) GTEST_SKIP() << "NOT TESTED: " << outcome.err;
    EXPECT_EQ(outcome.exit_status, 0) << rsize << " " << how << ": " << outcome.err;
  }
}

TEST(LoadServer, TellsTheLatencyProgramsOneByOne) {
  const auto server = StartServer(8192);
  const support::Outcome floor =
      RunOn({"tests/bench/floor", "--rsize=4K", "--latency=10"}, *server);
  EXPECT_EQ(floor.out.rfind("p50 ", 0), 0u) << floor.out << floor.err;
  const support::Outcome ours = RunOn({"tests/bench/read_latency", "--reads=10"}, *server);
  EXPECT_EQ(ours.out.rfind("p50 ", 0), 0u) << ours.out << ours.err;
}

TEST(LoadServer, CountsWhatComesBeforeTheFirstRead) {
  const auto server = StartServer(4096);
  EXPECT_EQ(RunOn({"client/tools/nfscat"}, *server).exit_status, 0);
  EXPECT_GE(server->state().connections_before_read, 1u);
  EXPECT_LE(server->state().calls_before_read, server->state().other_calls);
}

// --- The calls that it does not decode field by field

nfs3::FileHandle3 SomeHandle(size_t bytes) {
  nfs3::FileHandle3 handle;
  handle.data.Assign(std::vector<std::byte>(bytes, std::byte{7}));
  return handle;
}

xdr::ByteView WithoutMark(const server::Bytes& record) { return xdr::ByteView(record).subspan(4); }

server::Bytes ReadRecord(size_t handle_bytes, uint64_t offset, uint32_t count) {
  const nfs3::Read3Args args = {SomeHandle(handle_bytes), offset, count};
  return server::EncodeCall(99, nfs3::kRead, args, server::User(1, 2, {3, 4}));
}

TEST(FindReadCall, FindsTheArgumentsBehindHandlesOfEveryLength) {
  for (size_t bytes = 0; bytes <= nfs3::kMaxHandleBytes; ++bytes) {
    const server::Bytes record = ReadRecord(bytes, uint64_t{5} << 32 | 6, 777);
    const auto call = FindReadCall(WithoutMark(record));
    ASSERT_TRUE(call.has_value());
    EXPECT_EQ(call->xid, 99u);
    EXPECT_EQ(call->handle.size(), bytes);
    EXPECT_EQ(call->offset, uint64_t{5} << 32 | 6);
    EXPECT_EQ(call->count, 777u);
  }
}

TEST(FindReadCall, FindsNothingInACallThatIsCutOff) {
  const server::Bytes record = ReadRecord(20, 0, 1);
  const xdr::ByteView whole = WithoutMark(record);
  for (size_t size = 0; size < whole.size(); ++size) {
    // A buffer of that size, so that AddressSanitizer sees a look beyond it.
    const server::Bytes cut(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size));
    EXPECT_FALSE(FindReadCall(cut).has_value()) << size;
  }
}

TEST(FindReadCall, FindsNothingInOtherCallsAndInGarbage) {
  const server::Bytes getattr =
      server::EncodeCall(1, nfs3::kGetattr, nfs3::Getattr3Args(), server::User(0, 0));
  EXPECT_FALSE(FindReadCall(WithoutMark(getattr)).has_value());
  const server::Bytes record = ReadRecord(20, 0, 1);
  for (size_t at = 4; at + 4 <= record.size(); at += 4) {
    server::Bytes huge = record;
    std::fill_n(huge.begin() + static_cast<ptrdiff_t>(at), 4, std::byte{0xff});
    FindReadCall(WithoutMark(huge));  // whatever it finds, it is inside
  }
}

// --- Its replies, as the project's own decoder sees them

server::Bytes ReplyBytes(uint64_t size, uint64_t offset, uint32_t count, uint32_t most) {
  ReadReplies replies(ThePattern(), most);
  replies.Add(MakeServedFile(SomeHandle(20), {.size = size}), {5, {}, offset, count});
  server::Bytes bytes;
  for (const iovec& span : replies.spans()) {
    const auto* const data = static_cast<const std::byte*>(span.iov_base);
    bytes.insert(bytes.end(), data, data + span.iov_len);
  }
  return bytes;
}

nfs3::Read3Res OnlyResult(const std::vector<server::Reply>& replies) {
  EXPECT_EQ(replies.size(), 1u);
  EXPECT_EQ(replies.at(0).header.xid, 5u);
  return replies.at(0).As<nfs3::Read3Res>();
}

TEST(ReadReplies, GivesWhatThereIsAndSaysWhenThatIsTheEnd) {
  for (uint64_t offset = 0; offset <= 12; ++offset) {
    for (uint32_t count = 0; count <= 12; ++count) {
      const std::vector<server::Reply> replies =
          server::DecodeReplies(ReplyBytes(/*size=*/10, offset, count, /*most=*/6));
      const nfs3::Read3Res result = OnlyResult(replies);
      const uint64_t left = offset < 10 ? 10 - offset : 0;
      const uint64_t wanted = std::min<uint64_t>({left, count, 6});
      EXPECT_EQ(result.count, wanted);
      EXPECT_EQ(result.eof, wanted == left);
      EXPECT_TRUE(std::ranges::equal(result.data.view(), ThePattern().At(offset, wanted)));
    }
  }
}

TEST(ReadReplies, AreFullBeforeSendmsgWouldRefuseThem) {
  ReadReplies replies(ThePattern(), 4096);
  const ServedFile file = MakeServedFile(SomeHandle(20), {.size = 1 << 20});
  while (!replies.full()) replies.Add(file, {1, {}, 1, 1});
  EXPECT_LE(replies.spans().size(), 1024u);
  replies.Clear();
  EXPECT_TRUE(replies.empty());
  EXPECT_TRUE(replies.spans().empty());
}

}  // namespace
}  // namespace bench
