// Which calls a rule is for: script.h.
#include "tests/server/script.h"

#include <string>
#include <vector>

#include "client/protocol/mount3.h"
#include "client/protocol/nfs3.h"
#include "gtest/gtest.h"

namespace server {
namespace {

Call MakeCall(const rpc::Procedure& procedure, uint64_t connection = 1) {
  Call call;
  call.program = procedure.program;
  call.version = procedure.version;
  call.procedure = procedure.number;
  call.peer = {connection, 40000};
  return call;
}

Rule Failing(Conditions conditions, uint32_t status = 5) {
  return {conditions, {.status = status}};
}

// One letter per call: x where the rule applies.
std::string Fired(Script& script, const std::vector<Call>& calls) {
  std::string fired;
  for (const Call& call : calls) fired += script.OnCall(call).status ? 'x' : '.';
  return fired;
}

std::string Fired(Script& script, size_t reads) {
  return Fired(script, std::vector<Call>(reads, MakeCall(nfs3::kRead)));
}

TEST(Script, IsHonestWithoutRules) {
  Script script;
  EXPECT_EQ(Fired(script, 3), "...");
}

TEST(Script, CountsFromOne) {
  Script script;
  script.Add(Failing({.nth = {3, 3}}));
  EXPECT_EQ(Fired(script, 6), "..x...");
}

TEST(Script, TakesRanges) {
  Script from, to;
  from.Add(Failing({.nth = {3, UINT64_MAX}}));
  to.Add(Failing({.nth = {0, 2}}));
  EXPECT_EQ(Fired(from, 6), "..xxxx");
  EXPECT_EQ(Fired(to, 6), "xx....");
}

TEST(Script, TakesEveryFew) {
  Script script;
  script.Add(Failing({.nth = {2, 8}, .every = 3}));
  EXPECT_EQ(Fired(script, 10), ".x..x..x..");
}

TEST(Script, CountsOnlyWhatMeetsTheOtherConditions) {
  Script script;
  script.Add(Failing({.program = nfs3::kProgram, .procedure = nfs3::kRead.number, .nth = {2, 2}}));
  const Call read = MakeCall(nfs3::kRead), lookup = MakeCall(nfs3::kLookup);
  EXPECT_EQ(Fired(script, {read, lookup, lookup, read, read}), "...x.");
}

TEST(Script, TellsProgramsApart) {
  Script script;
  script.Add(Failing({.program = mount3::kProgram}));
  EXPECT_EQ(Fired(script, {MakeCall(mount3::kNull), MakeCall(nfs3::kNull)}), "x.");
}

TEST(Script, TellsConnectionsAndPortsApart) {
  Script script;
  script.Add(Failing({.connection = {2, 3}}));
  const auto on = [](uint64_t connection) { return MakeCall(nfs3::kRead, connection); };
  EXPECT_EQ(Fired(script, {on(1), on(2), on(3), on(4)}), ".xx.");
  script.Clear();
  script.Add(Failing({.source_port = {1024, 65535}}));
  Call low = on(1);
  low.peer.source_port = 1023;
  EXPECT_EQ(Fired(script, {low, on(1)}), ".x");
}

TEST(Script, TellsNamesAndOffsetsApart) {
  Script script;
  script.Add(Failing({.name = "a"}));
  script.Add(Failing(
      {.program = nfs3::kProgram, .procedure = nfs3::kRead.number, .offset = {4096, 8191}}));
  Call a = MakeCall(nfs3::kLookup), b = a;
  a.arguments.name = "a";
  b.arguments.name = "b";
  Call inside = MakeCall(nfs3::kRead), outside = inside;
  inside.arguments.offset = 8191;
  outside.arguments.offset = 8192;
  EXPECT_EQ(Fired(script, {a, b, inside, outside}), "x.x.");
}

TEST(Script, ThrowsItsDiceTheSameEveryTime) {
  Script one(7), same(7), other(8);
  for (Script* script : {&one, &same, &other}) script->Add(Failing({.chance = 0.25}));
  const std::string fired = Fired(one, 1000);
  EXPECT_EQ(Fired(same, 1000), fired);
  EXPECT_NE(Fired(other, 1000), fired);
  EXPECT_NEAR(std::ranges::count(fired, 'x'), 250, 60);
}

TEST(Script, AddsRulesUpAndTheLaterWins) {
  Script script;
  script.Add({{}, {.status = 5, .delay = absl::Seconds(1)}});
  script.Add({{.nth = {2, 2}}, {.status = 70}});
  const Call read = MakeCall(nfs3::kRead);
  EXPECT_EQ(script.OnCall(read).status, 5u);
  const Actions second = script.OnCall(read);
  EXPECT_EQ(second.status, 70u);
  EXPECT_EQ(second.delay, absl::Seconds(1));
}

TEST(Script, KeepsConnectionsAndCallsApart) {
  Script script;
  script.Add({{.is_connect = true, .nth = {2, 2}}, {.silent = true}});
  EXPECT_FALSE(script.OnCall(MakeCall(nfs3::kRead)).silent.has_value());
  EXPECT_FALSE(script.OnConnect({1, 40000}).silent.has_value());
  EXPECT_TRUE(script.OnConnect({2, 40000}).silent.has_value());
  script.Add(Failing({}));
  EXPECT_FALSE(script.OnConnect({3, 40000}).status.has_value());
}

}  // namespace
}  // namespace server
