// Tested by tests/server/nfs3d_test.cc.
#include "tests/server/nfs3d_options.h"

#include <getopt.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/server/rule_values.h"
#include "tests/server/script_parser.h"

namespace server {

const char kNfs3dHelp[] =
    R"(Usage: nfs3d [OPTION]...
Serves NFS version 3 and MOUNT version 3 on a loopback address, for tests: from memory,
read-only, and as badly as it is told to. It listens on TCP, and on the UDP port of the
same number. The first line of its output is
  nfs3d: serving nfs://127.0.0.1:PORT/export?mountport=PORT
and it serves until SIGINT or SIGTERM. Further lines say where rpcbind listens, and what
has another port by UDP because the one that was picked for TCP was taken.

  --serve=DIR         serve the directory DIR as it is now (bytes are read on demand)
  --pattern=NAME:SIZE serve a generated file; may be repeated. SIZE takes K, M, G, T
  --sparse=NAME:SIZE  the same, all zeros but for "the end\n" at its end; it uses 8 bytes
  --export=PATH       what to call it (default /export)
  --address=ADDRESS   in 127.0.0.0/8, or ::1 (default 127.0.0.1)
  --port=N            for NFS and MOUNT (default 0: pick one)
  --mountport=N       for MOUNT alone
  --rpcbindport=N     for rpcbind, which knows where NFS and MOUNT listen
  --transport=T       tcp, udp or both (default both)
  --mount-transport=T the same for --mountport alone
  --max-read=SIZE     the most that a READ gives, and FSINFO's rtmax (default 1M)
  --drc=N             keep the last N replies: a call from the same address with the
                      same xid gets the same reply, whatever it asks (default 0: none)
  --rule=RULE         how to misbehave; may be repeated
  --script=FILE       a file with one rule per line
  --seed=N            of the dice behind chance=P (default 1)
  --log               print every call on standard error
  -h, --help

RULE is WHO, conditions and actions, for example
  READ nth=3 status=IO         READ delay=50ms           LOOKUP name=secret status=ACCES
  READ frag=9,1,14             READ every=8 short=511    CONNECT nth=2 refuse=5s rst
tests/server/script_parser.h has them all.
)";

namespace {

enum Option : int {
  kServe = 1000,
  kPattern,
  kSparse,
  kExport,
  kAddress,
  kPort,
  kMountPort,
  kRpcbindPort,
  kTransport,
  kMountTransport,
  kMaxRead,
  kDrc,
  kRule,
  kScript,
  kSeed,
  kLog,
};

constexpr option kOptions[] = {
    {"serve", required_argument, nullptr, kServe},
    {"pattern", required_argument, nullptr, kPattern},
    {"sparse", required_argument, nullptr, kSparse},
    {"export", required_argument, nullptr, kExport},
    {"address", required_argument, nullptr, kAddress},
    {"port", required_argument, nullptr, kPort},
    {"mountport", required_argument, nullptr, kMountPort},
    {"rpcbindport", required_argument, nullptr, kRpcbindPort},
    {"transport", required_argument, nullptr, kTransport},
    {"mount-transport", required_argument, nullptr, kMountTransport},
    {"max-read", required_argument, nullptr, kMaxRead},
    {"drc", required_argument, nullptr, kDrc},
    {"rule", required_argument, nullptr, kRule},
    {"script", required_argument, nullptr, kScript},
    {"seed", required_argument, nullptr, kSeed},
    {"log", no_argument, nullptr, kLog},
    {"help", no_argument, nullptr, 'h'},
    {},
};

absl::Status Usage(absl::string_view text) { return absl::InvalidArgumentError(text); }

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (!file.good()) return Usage(absl::StrCat("--script=", path, ": cannot be read"));
  return text.str();
}

class Parser {
 public:
  absl::StatusOr<Nfs3dOptions> Parse(int argc, char** argv) {
    optind = 0;  // begin anew: a test parses more than once
    opterr = 0;
    for (;;) {
      const int at = std::max(optind, 1);
      const int option = getopt_long(argc, argv, "+:h", kOptions, nullptr);
      if (option == -1) break;
      if (option == '?')
        return Usage(absl::StrCat(argv[at], ": no such option, or it takes no value"));
      if (option == ':') return Usage(absl::StrCat(argv[at], ": needs a value"));
      const absl::Status status = Take(option, optarg == nullptr ? "" : optarg);
      if (!status.ok()) return status;
    }
    if (optind < argc) return Usage(absl::StrCat(argv[optind], ": is no option"));
    return Finish();
  }

 private:
  absl::Status Take(int option, const std::string& value) {
    switch (option) {
      case kServe: options_.serve = value; return absl::OkStatus();
      case kPattern: return TakePattern("pattern", value, /*is_sparse=*/false);
      case kSparse: return TakePattern("sparse", value, /*is_sparse=*/true);
      case kExport: return TakeExport(value);
      case kAddress: options_.listen.address = value; return absl::OkStatus();
      case kPort: return TakePort("port", value, port_);
      case kMountPort: return TakePort("mountport", value, mount_port_);
      case kRpcbindPort: return TakePort("rpcbindport", value, rpcbind_port_);
      case kTransport: return TakeTransport("transport", value, transport_);
      case kMountTransport: return TakeTransport("mount-transport", value, mount_transport_);
      case kMaxRead: return TakeMaxRead(value);
      case kDrc: return TakeNumber("drc", value, options_.cached_replies);
      case kRule: return TakeRules("rule", value);
      case kScript: return TakeScript(value);
      case kSeed: return TakeNumber("seed", value, options_.seed);
      case kLog: options_.log = true; return absl::OkStatus();
      default: options_.help = true; return absl::OkStatus();
    }
  }

  absl::Status TakeNumber(absl::string_view name, absl::string_view value, uint64_t& to) {
    const std::optional<uint64_t> number = ParseNumber(value);
    if (!number) return Usage(absl::StrCat("--", name, "=", value, ": is no number"));
    to = *number;
    return absl::OkStatus();
  }

  absl::Status TakePort(absl::string_view name, absl::string_view value,
                        std::optional<uint16_t>& to) {
    const std::optional<uint32_t> port = ParseUint32(value);
    if (!port || *port > UINT16_MAX) {
      return Usage(absl::StrCat("--", name, "=", value, ": is no port"));
    }
    to = static_cast<uint16_t>(*port);
    return absl::OkStatus();
  }

  static absl::Status TakeTransport(absl::string_view name, absl::string_view value,
                                    std::string& to) {
    if (value != "tcp" && value != "udp" && value != "both") {
      return Usage(absl::StrCat("--", name, "=", value, ": is not tcp, udp or both"));
    }
    to = std::string(value);
    return absl::OkStatus();
  }

  absl::Status TakePattern(absl::string_view name_of_option, const std::string& value,
                           bool is_sparse) {
    const size_t colon = value.rfind(':');
    const std::optional<uint64_t> size =
        colon == std::string::npos ? std::nullopt : ParseNumber(value.substr(colon + 1));
    const std::string name = value.substr(0, colon);
    if (!size || name.empty() || name == "." || name == ".." || absl::StrContains(name, "/")) {
      return Usage(absl::StrCat("--", name_of_option, "=", value, ": is not NAME:SIZE"));
    }
    options_.patterns.push_back({name, *size, is_sparse});
    return absl::OkStatus();
  }

  absl::Status TakeExport(const std::string& value) {
    if (!absl::StartsWith(value, "/") || value == "/" || absl::StrContains(value, "//") ||
        absl::EndsWith(value, "/")) {
      return Usage(absl::StrCat("--export=", value, ": is no path like /export"));
    }
    options_.export_path = value;
    return absl::OkStatus();
  }

  absl::Status TakeMaxRead(absl::string_view value) {
    const std::optional<uint32_t> size = ParseUint32(value);
    constexpr uint32_t kMost = 64 << 20;
    if (!size || *size == 0 || *size > kMost) {
      return Usage(absl::StrCat("--max-read=", value, ": is no size from 1 to 64M"));
    }
    options_.nfs.max_read = options_.nfs.fsinfo.rtmax = options_.nfs.fsinfo.rtpref = *size;
    return absl::OkStatus();
  }

  absl::Status TakeRules(absl::string_view name, absl::string_view text) {
    absl::StatusOr<std::vector<Rule>> rules = ParseScript(text);
    if (!rules.ok()) return Usage(absl::StrCat("--", name, ": ", rules.status().message()));
    std::ranges::move(*rules, std::back_inserter(options_.rules));
    return absl::OkStatus();
  }

  absl::Status TakeScript(const std::string& path) {
    const absl::StatusOr<std::string> text = ReadFile(path);
    if (!text.ok()) return text.status();
    return TakeRules(absl::StrCat("script=", path), *text);
  }

  absl::StatusOr<Nfs3dOptions> Finish() {
    if (options_.help) return options_;
    if (options_.serve.empty() && options_.patterns.empty()) {
      return Usage(
          "nothing to serve: --serve=DIR, --pattern=NAME:SIZE or --sparse=NAME:SIZE is needed");
    }
    const auto changes_bytes = [](const Rule& rule) {
      return rule.actions.file_change && ChangesBytes(*rule.actions.file_change);
    };
    if (!options_.serve.empty() && std::ranges::any_of(options_.rules, changes_bytes)) {
      return Usage("append, truncate and rewrite cannot change the files of --serve");
    }
    if (!mount_transport_.empty() && !mount_port_) {
      return Usage("--mount-transport: needs --mountport beside it");
    }
    AddPorts();
    return options_;
  }

  static bool ChangesBytes(const FileChange& change) {
    return change.kind != FileChange::Kind::kReplace && change.kind != FileChange::Kind::kRemove;
  }

  void AddPorts() {
    options_.listen.ports.clear();
    AddPort(port_.value_or(0), {.nfs = true, .mount = !mount_port_}, transport_);
    const std::string& by = mount_transport_.empty() ? transport_ : mount_transport_;
    if (mount_port_) AddPort(*mount_port_, {.nfs = false, .mount = true}, by);
    const Programs rpcbind = {.nfs = false, .mount = false, .rpcbind = true};
    if (rpcbind_port_) AddPort(*rpcbind_port_, rpcbind, transport_);
  }

  void AddPort(uint16_t port, const Programs& programs, absl::string_view transport) {
    options_.listen.ports.push_back(
        {port, programs, /*tcp=*/transport != "udp", /*udp=*/transport != "tcp"});
  }

  Nfs3dOptions options_;
  std::optional<uint16_t> port_;
  std::optional<uint16_t> mount_port_;
  std::optional<uint16_t> rpcbind_port_;
  std::string transport_ = "both";
  std::string mount_transport_;  // empty: as transport_
};

}  // namespace

absl::StatusOr<Nfs3dOptions> ParseNfs3dOptions(int argc, char** argv) {
  return Parser().Parse(argc, argv);
}

}  // namespace server
