// The program nfs3d, run as a user runs it.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/protocol/mount3.h"
#include "client/protocol/nfs3_read.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rpc/rpcbind.h"
#include "tests/server/tcp_client.h"
#include "tests/server/udp_client.h"

extern char** environ;

namespace server {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

class Nfs3d {
 public:
  explicit Nfs3d(std::vector<std::string> arguments) {
    int out[2], err[2];
    EXPECT_EQ(::pipe2(out, O_CLOEXEC), 0);
    EXPECT_EQ(::pipe2(err, O_CLOEXEC), 0);
    arguments.insert(arguments.begin(), "tests/server/nfs3d");
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    posix_spawn_file_actions_adddup2(&actions, err[1], 2);
    EXPECT_EQ(posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    ::close(out[1]);
    ::close(err[1]);
    out_ = io::UniqueFd(out[0]);
    err_ = io::UniqueFd(err[0]);
  }
  ~Nfs3d() {
    if (pid_ > 0) End(SIGKILL);
  }

  std::string OutLine() { return ReadUntil(out_, '\n'); }
  std::string Out() { return ReadUntil(out_, '\0'); }
  std::string Err() { return ReadUntil(err_, '\0'); }

  // The exit status, or 128 and the signal that it died of.
  int Wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  int End(int signal) {
    ::kill(pid_, signal);
    return Wait();
  }

 private:
  static std::string ReadUntil(const io::UniqueFd& fd, char end) {
    std::string text;
    char byte;
    while (::read(fd.get(), &byte, 1) == 1) {
      text += byte;
      if (byte == end) break;
    }
    return text;
  }

  pid_t pid_ = 0;
  io::UniqueFd out_;
  io::UniqueFd err_;
};

uint16_t PortIn(const std::string& line) {
  return static_cast<uint16_t>(std::atoi(line.c_str() + line.rfind('=') + 1));
}

nfs3::FileHandle3 Mount(TcpClient& client, const std::string& path = "/export") {
  return client.Ask<mount3::Mountres3>(mount3::kMnt, mount3::DirPath{xdr::String<1024>(path)})
      .handle;
}

nfs3::Lookup3Res Lookup(TcpClient& client, const std::string& name) {
  return client.Ask<nfs3::Lookup3Res>(nfs3::kLookup,
                                      nfs3::Lookup3Args{Mount(client), nfs3::FileName3(name)});
}

std::string ReadFile(TcpClient& client, const std::string& name) {
  client.Call(nfs3::kRead, nfs3::Read3Args{Lookup(client, name).object, 0, 1 << 20});
  const std::vector<Reply> replies = client.ReceiveReply();
  if (replies.size() != 1) return "no reply";
  const auto results = replies[0].As<nfs3::Read3Res>();
  return results.status == nfs3::Status::kOk ? std::string(xdr::TextOf(results.data.view()))
                                             : nfs3::Text(results.status);
}

TEST(Nfs3d, ServesAPattern) {
  Nfs3d nfs3d({"--pattern=big:1M", "--pattern=small:10"});
  const std::string line = nfs3d.OutLine();
  EXPECT_THAT(line,
              MatchesRegex("nfs3d: serving nfs://127.0.0.1:[0-9]+/export\\?mountport=[0-9]+\n"));
  TcpClient client(PortIn(line));
  Bytes expected(1 << 20);
  FillPattern(0, expected);
  EXPECT_TRUE(ReadFile(client, "big") == xdr::TextOf(expected));
  EXPECT_EQ(ReadFile(client, "small").size(), 10u);
  EXPECT_EQ(nfs3d.End(SIGTERM), 0);
  EXPECT_EQ(nfs3d.Err(), "");
}

TEST(Nfs3d, ServesASparseFile) {
  Nfs3d nfs3d({"--sparse=holes:8G", "--sparse=small:3"});
  TcpClient client(PortIn(nfs3d.OutLine()));
  const nfs3::Lookup3Res holes = Lookup(client, "holes");
  EXPECT_EQ(holes.obj_attributes->size, uint64_t{8} << 30);
  EXPECT_EQ(holes.obj_attributes->used, 8u);
  client.Call(nfs3::kRead, nfs3::Read3Args{holes.object, (uint64_t{8} << 30) - 10, 100});
  const std::vector<Reply> replies = client.ReceiveReply();
  EXPECT_EQ(xdr::TextOf(replies.at(0).As<nfs3::Read3Res>().data.view()),
            absl::string_view("\0\0the end\n", 10));
  EXPECT_EQ(ReadFile(client, "small"), "nd\n");
}

TEST(Nfs3d, ServesADirectory) {
  const std::string directory = absl::StrCat(testing::TempDir(), "/served");
  ::mkdir(directory.c_str(), 0755);
  ::mkdir(absl::StrCat(directory, "/sub").c_str(), 0750);
  std::ofstream(absl::StrCat(directory, "/file name")) << "on disk";
  ::mkfifo(absl::StrCat(directory, "/fifo").c_str(), 0600);
  ASSERT_EQ(::symlink("file name", absl::StrCat(directory, "/link").c_str()), 0);

  Nfs3d nfs3d({absl::StrCat("--serve=", directory), "--pattern=generated:5"});
  TcpClient client(PortIn(nfs3d.OutLine()));
  EXPECT_EQ(ReadFile(client, "file name"), "on disk");
  EXPECT_EQ(ReadFile(client, "generated").size(), 5u);
  EXPECT_EQ(Lookup(client, "sub").obj_attributes->mode, 0750u);
  EXPECT_EQ(Lookup(client, "sub").obj_attributes->type, nfs3::FileType3::kDir);
  EXPECT_EQ(Lookup(client, "fifo").obj_attributes->type, nfs3::FileType3::kFifo);
  const auto link = client.Ask<nfs3::Readlink3Res>(
      nfs3::kReadlink, nfs3::Readlink3Args{Lookup(client, "link").object});
  EXPECT_EQ(link.data.text(), "file name");
  // Bytes come from the disk when they are asked for.
  ASSERT_EQ(::unlink(absl::StrCat(directory, "/file name").c_str()), 0);
  EXPECT_EQ(ReadFile(client, "file name"), "NFS3ERR_IO (5): Input/output error");
  EXPECT_EQ(nfs3d.End(SIGINT), 0);
}

TEST(Nfs3d, FollowsRulesAndScripts) {
  const std::string script = absl::StrCat(testing::TempDir(), "/script");
  std::ofstream(script) << "# bad\nREAD nth=2 status=IO\n";
  Nfs3d nfs3d({"--pattern=f:10", "--rule=LOOKUP nth=3 status=ACCES",
               absl::StrCat("--script=", script), "--log", "--export=/srv/data"});
  const std::string line = nfs3d.OutLine();
  EXPECT_THAT(line, HasSubstr("/srv/data?"));
  TcpClient client(PortIn(line));
  const nfs3::FileHandle3 root = Mount(client, "/srv/data");
  const auto lookup = [&] {
    return client.Ask<nfs3::Lookup3Res>(nfs3::kLookup,
                                        nfs3::Lookup3Args{root, nfs3::FileName3("f")});
  };
  const nfs3::FileHandle3 file = lookup().object;
  const auto read = [&] {
    client.Call(nfs3::kRead, nfs3::Read3Args{file, 0, 10});
    return client.ReceiveReply().at(0).As<nfs3::Read3Res>().status;
  };
  EXPECT_EQ(read(), nfs3::Status::kOk);
  EXPECT_EQ(read(), nfs3::Status::kIo);
  EXPECT_EQ(lookup().status, nfs3::Status::kOk);
  EXPECT_EQ(lookup().status, nfs3::Status::kAcces);
  EXPECT_EQ(nfs3d.End(SIGTERM), 0);
  EXPECT_THAT(nfs3d.Err(), HasSubstr("NFS.READ xid 0x3 offset 0 count 10 AUTH_SYS uid 0\n"));
}

TEST(Nfs3d, ListensWhereItIsTold) {
  Nfs3d first({"--pattern=f:10", "--mountport=0", "--rpcbindport=0", "--address=127.0.0.1"});
  const std::string line = first.OutLine();
  EXPECT_EQ(first.OutLine().substr(0, 22), "nfs3d: rpcbind on port");
  const std::string port = line.substr(line.rfind('=') + 1);
  Nfs3d second({"--pattern=f:10", absl::StrCat("--port=", PortIn(line))});
  EXPECT_THAT(second.Err(), HasSubstr("Address already in use"));
  EXPECT_EQ(second.Wait(), 1);
}

TEST(Nfs3d, ServesMountByUdpAlone) {
  Nfs3d nfs3d({"--pattern=f:10", "--transport=tcp", "--mountport=0", "--mount-transport=udp",
               "--rpcbindport=0", "--rule=MOUNT transport=udp nth=1 drop"});
  UdpClient mountd(PortIn(nfs3d.OutLine()));
  const std::string rpcbind_line = nfs3d.OutLine();
  TcpClient rpcbind(
      static_cast<uint16_t>(std::atoi(rpcbind_line.c_str() + rpcbind_line.rfind(' ') + 1)));
  const auto port = [&](rpc::IpProtocol protocol) {
    const rpc::Mapping mapping = {mount3::kProgram, 3, protocol};
    return rpcbind.Ask<rpc::GetportResult>(rpc::kGetport, mapping).port;
  };
  EXPECT_EQ(port(rpc::IpProtocol::kTcp), 0u);
  EXPECT_NE(port(rpc::IpProtocol::kUdp), 0u);
  const mount3::DirPath path = {xdr::String<1024>("/export")};
  mountd.Call(mount3::kMnt, path);
  EXPECT_EQ(mountd.Ask<mount3::Mountres3>(mount3::kMnt, path).status, mount3::Status::kOk);
}

TEST(Nfs3d, KeepsRepliesForXidsThatComeAgain) {
  Nfs3d nfs3d({"--pattern=f:10", "--drc=8"});
  const uint16_t port = PortIn(nfs3d.OutLine());
  TcpClient first_run(port), second_run(port);  // both count their xids from 1
  first_run.Call(nfs3::kNull, nfs3::Void());
  EXPECT_TRUE(first_run.ReceiveReply().at(0).results().empty());
  second_run.Call(mount3::kMnt, mount3::DirPath{xdr::String<1024>("/export")});
  EXPECT_TRUE(second_run.ReceiveReply().at(0).results().empty());
}

TEST(Nfs3d, Helps) {
  for (const char* option : {"--help", "-h"}) {
    Nfs3d nfs3d({option});
    EXPECT_THAT(nfs3d.Out(), HasSubstr("--pattern=NAME:SIZE"));
    EXPECT_EQ(nfs3d.Wait(), 0);
  }
}

TEST(Nfs3d, RefusesBadUsage) {
  const std::vector<std::vector<std::string>> bad = {
      {},
      {"--nonsense"},
      {"--pattern"},
      {"--pattern=f"},
      {"--pattern=:5"},
      {"--pattern=a/b:5"},
      {"--pattern=f:5x"},
      {"--sparse=f"},
      {"--pattern=f:5", "--port=65536"},
      {"--pattern=f:5", "--port=http"},
      {"--pattern=f:5", "--transport=sctp"},
      {"--pattern=f:5", "--mount-transport=udp"},
      {"--pattern=f:5", "--max-read=0"},
      {"--pattern=f:5", "--export=here"},
      {"--pattern=f:5", "--rule=READ statos=5"},
      {"--pattern=f:5", "--script=/no/such/file"},
      {"--pattern=f:5", "--seed=x"},
      {"--pattern=f:5", "--drc=x"},
      {"--pattern=f:5", "--log=1"},
      {"--pattern=f:5", "-x"},
      {"--pattern=f:5", "extra"},
      {"--serve=.", "--rule=READ append=5"},
  };
  for (const std::vector<std::string>& arguments : bad) {
    Nfs3d nfs3d(arguments);
    const std::string error = nfs3d.Err();
    EXPECT_EQ(nfs3d.Wait(), 2) << error;
    EXPECT_THAT(error, MatchesRegex("nfs3d: .+\nTry 'nfs3d --help'.\n"));
  }
}

TEST(Nfs3d, SaysWhatItCannotDo) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"--serve=/no/such/directory"},
                                             {"--pattern=f:1", "--pattern=f:2"},
                                             {"--pattern=f:1", "--address=10.0.0.1"}}) {
    Nfs3d nfs3d(arguments);
    EXPECT_THAT(nfs3d.Err(), HasSubstr("nfs3d: "));
    EXPECT_EQ(nfs3d.Wait(), 1);
  }
}

}  // namespace
}  // namespace server
