#include "client/target.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace nfs {
namespace {

using testing::HasSubstr;

std::string Refusal(absl::string_view text) {
  const auto target = ParseTarget(text);
  EXPECT_EQ(target.status().code(), absl::StatusCode::kInvalidArgument) << text;
  return std::string(target.status().message());
}

TEST(Targets, EveryFormGivesHostPortAndPath) {
  struct Case {
    const char* text;
    const char* host;
    uint16_t port;
    const char* path;
  };
  const Case kCases[] = {
      {"nfs://server/export/file", "server", 0, "/export/file"},
      {"nfs://server:20049/export/file", "server", 20049, "/export/file"},
      {"nfs://user@server/export/file", "server", 0, "/export/file"},
      {"NFS://server/export/file", "server", 0, "/export/file"},
      {"nfs://192.0.2.7/f", "192.0.2.7", 0, "/f"},
      {"nfs://[2001:db8::7]/f", "2001:db8::7", 0, "/f"},
      {"nfs://[2001:db8::7]:2050/f", "2001:db8::7", 2050, "/f"},
      {"nfs://[fe80::1%25eth0]/f", "fe80::1%eth0", 0, "/f"},
      {"nfs://server/", "server", 0, "/"},
      {"server:/export/file", "server", 0, "/export/file"},
      {"[2001:db8::7]:/export", "2001:db8::7", 0, "/export"},
      {"[fe80::1%eth0]:/export", "fe80::1%eth0", 0, "/export"},
      {"server:/", "server", 0, "/"},
  };
  for (const Case& c : kCases) {
    const auto target = ParseTarget(c.text);
    ASSERT_TRUE(target.ok()) << c.text << ": " << target.status();
    EXPECT_EQ(target->host, c.host) << c.text;
    EXPECT_EQ(target->port, c.port) << c.text;
    EXPECT_EQ(target->path, c.path) << c.text;
    EXPECT_EQ(target->text, c.text);
  }
}

TEST(Paths, OfAUrlAreDecodedPerName) {
  for (const auto& [text, path] : std::initializer_list<std::pair<const char*, const char*>>{
           {"nfs://h/a%20b", "/a b"},
           {"nfs://h/what%3F", "/what?"},
           {"nfs://h/50%25", "/50%"},
           {"nfs://h/a:b/c:2020/d", "/a:b/c:2020/d"},
           {"nfs://h/%e2%9c%93", "/\xe2\x9c\x93"},
           {"nfs://h/%FC", "/\xfc"},
           {"nfs://h//a///b/", "/a/b"},
           {"nfs://h/a@b", "/a@b"}}) {
    const auto target = ParseTarget(text);
    ASSERT_TRUE(target.ok()) << text << ": " << target.status();
    EXPECT_EQ(target->path, path) << text;
  }
}

TEST(Paths, OfTheMountFormAreTakenAsTheyAre) {
  for (const auto& [text, path] : std::initializer_list<std::pair<const char*, const char*>>{
           {"h:/a%20b?c=d", "/a%20b?c=d"}, {"h:/a:/b", "/a:/b"}, {"h:/a//b/", "/a/b"}}) {
    const auto target = ParseTarget(text);
    ASSERT_TRUE(target.ok()) << text;
    EXPECT_EQ(target->path, path) << text;
    EXPECT_TRUE(target->keys.empty());
  }
}

TEST(Targets, ThatAreNoneAreRefusedWithWhatIsRight) {
  EXPECT_THAT(Refusal(""), HasSubstr("give nfs://host/path or host:/path"));
  EXPECT_THAT(Refusal("/just/a/path"), HasSubstr("give nfs://host/path"));
  EXPECT_THAT(Refusal("http://server/path"), HasSubstr("give nfs://host/path"));
  EXPECT_THAT(Refusal("server"), HasSubstr("give nfs://host/path"));
  EXPECT_THAT(Refusal("server:path"), HasSubstr("give nfs://host/path"));
  EXPECT_THAT(Refusal(":/path"), HasSubstr("no host"));
  EXPECT_THAT(Refusal("nfs:///path"), HasSubstr("no host"));
  EXPECT_THAT(Refusal("nfs://server"), HasSubstr("no path"));
  EXPECT_THAT(Refusal("nfs://server?rsize=1M"), HasSubstr("no path"));
  EXPECT_THAT(Refusal("nfs://server:0/f"), HasSubstr("'0' is not a port"));
  EXPECT_THAT(Refusal("nfs://server:99999/f"), HasSubstr("'99999' is not a port"));
  EXPECT_THAT(Refusal("nfs://server:nfs/f"), HasSubstr("'nfs' is not a port"));
  EXPECT_THAT(Refusal("nfs://[::1/f"), HasSubstr("without a ']'"));
  EXPECT_THAT(Refusal("nfs://[::1]x/f"), HasSubstr("is not a :port"));
  EXPECT_THAT(Refusal("nfs://2001:db8::7/f"), HasSubstr("in brackets"));
  EXPECT_THAT(Refusal("2001:db8::7:/f"), HasSubstr("in brackets"));
  EXPECT_THAT(Refusal("nfs://h/a%2"), HasSubstr("%25"));
  EXPECT_THAT(Refusal("nfs://h/a%"), HasSubstr("%25"));
  EXPECT_THAT(Refusal("nfs://h/a%zz"), HasSubstr("%25"));
  EXPECT_THAT(Refusal("nfs://h/a%2Fb"), HasSubstr("%2F is a slash inside a name"));
  EXPECT_THAT(Refusal("nfs://h/a%00b"), HasSubstr("NUL"));
}

TEST(Keys, SetOptionsByOurNamesAndByThoseOfLibnfs) {
  const auto target = ParseTarget(
      "nfs://h:2050/f?uid=5&gid=6&rsize=64K&nfsport=2051&mountport=635&version=3&timeo=10&"
      "retrans=1&readahead=1M&slots=8&io=poll");
  ASSERT_TRUE(target.ok()) << target.status();
  Options options;
  ASSERT_TRUE(ApplyTarget(*target, options).ok());
  EXPECT_EQ(options.port, 2051);
  EXPECT_EQ(options.mount_port, 635);
  EXPECT_EQ(options.uid, 5u);
  EXPECT_EQ(options.gid, 6u);
  EXPECT_EQ(options.rsize, 65536u);
  EXPECT_EQ(options.timeout, absl::Seconds(1));
  EXPECT_EQ(options.retransmissions, 1);
  EXPECT_EQ(options.readahead, 1u << 20);
  EXPECT_EQ(options.slots, 8);
}

std::string* warnings = nullptr;

TEST(Keys, OfLibnfsWithoutMeaningHereWarnAndAreElseIgnored) {
  std::string text;
  warnings = &text;
  Options options;
  options.warn = [](absl::string_view line) { warnings->append(line.data(), line.size()); };
  const auto target = ParseTarget("nfs://h/f?autoreconnect=-1&if=eth0");
  ASSERT_TRUE(target.ok());
  EXPECT_TRUE(ApplyTarget(*target, options).ok());
  EXPECT_THAT(text, HasSubstr("'autoreconnect' has no effect"));
  EXPECT_THAT(text, HasSubstr("'if' has no effect"));
}

TEST(Keys, ThatNobodyKnowsAndBadValuesAreUsageErrors) {
  for (const auto& [text, words] : std::initializer_list<std::pair<const char*, const char*>>{
           {"nfs://h/f?rsiz=1", "unknown URL key 'rsiz'"},
           {"nfs://h/f?rsize=x", "rsize: 'x'"},
           {"nfs://h/f?version=4", "only NFS version 3"},
           {"nfs://h/f?uid", "uid: ''"}}) {
    const auto target = ParseTarget(text);
    ASSERT_TRUE(target.ok()) << text;
    Options options;
    const absl::Status status = ApplyTarget(*target, options);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(status.message()), HasSubstr(words));
  }
}

}  // namespace
}  // namespace nfs
