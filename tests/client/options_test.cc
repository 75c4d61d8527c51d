#include "client/options.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace nfs {
namespace {

using testing::HasSubstr;

std::string Refusal(absl::string_view name, absl::string_view value) {
  Options options;
  const absl::Status status = SetOption(name, value, options);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << name << "=" << value;
  return std::string(status.message());
}

TEST(Sizes, TakeUnitsOf1024InEitherCase) {
  const std::pair<const char*, uint64_t> kCases[] = {
      {"0", 0},
      {"4096", 4096},
      {"64K", 65536},
      {"64k", 65536},
      {"1M", 1048576},
      {"2G", uint64_t{2} << 30},
      {"1t", uint64_t{1} << 40},
      {"8388607T", 8388607ull << 40},
  };
  for (const auto& [text, expected] : kCases) {
    uint64_t size = 1;
    EXPECT_TRUE(ParseSize(text, size).ok()) << text;
    EXPECT_EQ(size, expected) << text;
  }
}

TEST(Sizes, AnythingElseIsRefusedAndTheRefusalShowsARightOne) {
  for (const char* text : {"", "K", "-1", "+1", " 1", "1 ", "1.5M", "1MB", "0x10", "M1", "1KK",
                           "99999999999999999999", "8388608T"}) {
    uint64_t size = 0;
    const absl::Status status = ParseSize(text, size);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(status.message()), HasSubstr("64K")) << text;
  }
}

TEST(Options, EveryOneIsSetByItsName) {
  Options options;
  for (const auto& [name, value] :
       std::initializer_list<std::pair<const char*, const char*>>{{"rsize", "32K"},
                                                                  {"slots", "2"},
                                                                  {"readahead", "16M"},
                                                                  {"nconnect", "4"},
                                                                  {"max-memory", "1G"},
                                                                  {"uid", "7"},
                                                                  {"gid", "8"},
                                                                  {"groups", "1,2,3"},
                                                                  {"sec", "none"},
                                                                  {"port", "20049"},
                                                                  {"mountport", "635"},
                                                                  {"noresvport", ""},
                                                                  {"timeo", "5"},
                                                                  {"retrans", "0"},
                                                                  {"connect-timeout", "3"},
                                                                  {"io", "poll"}}) {
    EXPECT_TRUE(SetOption(name, value, options).ok()) << name;
  }
  EXPECT_EQ(options.rsize, 32768u);
  EXPECT_EQ(options.slots, 2);
  EXPECT_EQ(options.readahead, 16u << 20);
  EXPECT_EQ(options.nconnect, 4);
  EXPECT_EQ(options.max_memory, 1u << 30);
  EXPECT_EQ(options.uid, 7u);
  EXPECT_EQ(options.gid, 8u);
  EXPECT_EQ(options.groups, (std::vector<uint32_t>{1, 2, 3}));
  EXPECT_EQ(options.security, Security::kNone);
  EXPECT_EQ(options.port, 20049);
  EXPECT_EQ(options.mount_port, 635);
  EXPECT_EQ(options.reserved_port, ReservedPort::kNever);
  EXPECT_EQ(options.timeout, absl::Milliseconds(500));
  EXPECT_EQ(options.retransmissions, 0);
  EXPECT_EQ(options.connect_timeout, absl::Seconds(3));
  EXPECT_EQ(options.engine, Engine::kPoll);
}

TEST(Options, EveryOneThatHelpShowsCanBeSetAndIsShownOnce) {
  std::set<std::string> names;
  for (const OptionDescription& description : DescribeOptions()) {
    EXPECT_TRUE(names.insert(description.name).second) << description.name;
    Options options;
    EXPECT_NE(SetOption(description.name, "?", options).code(), absl::StatusCode::kNotFound);
  }
  EXPECT_EQ(names.size(), 18u);
}

TEST(Options, PatienceIsTheTimeoutOfTheCallAndItsResends) {
  Options options;
  EXPECT_EQ(Patience(options), absl::Seconds(180));
  options.timeout = absl::Seconds(5);
  options.retransmissions = 0;
  EXPECT_EQ(Patience(options), absl::Seconds(5));
}

TEST(Options, HardIsASwitchAndHasPatienceWithoutEnd) {
  Options options;
  EXPECT_FALSE(options.hard);
  for (const char* on : {"", "1"}) {
    options.hard = false;
    EXPECT_TRUE(SetOption("hard", on, options).ok()) << on;
    EXPECT_TRUE(options.hard);
    EXPECT_EQ(Patience(options), absl::InfiniteDuration());
  }
  EXPECT_TRUE(SetOption("hard", "0", options).ok());
  EXPECT_EQ(Patience(options), absl::Seconds(180));
  EXPECT_THAT(Refusal("hard", "yes"), HasSubstr("hard: 'yes' is neither 1 nor 0"));
}

TEST(Options, AutomaticReadaheadIsNoNumber) {
  Options options;
  options.readahead = 5;
  EXPECT_TRUE(SetOption("readahead", "auto", options).ok());
  EXPECT_FALSE(options.readahead.has_value());
}

TEST(Options, ARefusalNamesTheOptionTheValueAndWhatIsRight) {
  EXPECT_EQ(Refusal("slots", "0"), "slots: '0' is not a number from 1 to 1024");
  EXPECT_EQ(Refusal("slots", "1025"), "slots: '1025' is not a number from 1 to 1024");
  EXPECT_EQ(Refusal("sec", "krb5"), "sec: 'krb5' is none of: sys, none");
  EXPECT_EQ(Refusal("io", "epoll"), "io: 'epoll' is none of: auto, uring, poll");
  EXPECT_THAT(Refusal("rsize", "banana"), HasSubstr("rsize: 'banana' is not a size"));
  EXPECT_THAT(Refusal("rsize", "1"), HasSubstr("from 512 to 16M"));
  EXPECT_THAT(Refusal("port", "65536"), HasSubstr("from 1 to 65535"));
  EXPECT_THAT(Refusal("uid", "-1"), HasSubstr("'-1' is not a number"));
  EXPECT_THAT(Refusal("groups", "1,x"), HasSubstr("'x' is not a number"));
  EXPECT_THAT(Refusal("nconnect", "0"), HasSubstr("from 1 to 16"));
  EXPECT_THAT(Refusal("nconnect", "17"), HasSubstr("from 1 to 16"));
  EXPECT_THAT(Refusal("resvport", "yes"), HasSubstr("neither 1 nor 0"));
}

TEST(Options, AnUnknownOneIsNotFound) {
  Options options;
  EXPECT_EQ(SetOption("rsizes", "1", options).code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace nfs
