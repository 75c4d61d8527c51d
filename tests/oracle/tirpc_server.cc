#include "tests/oracle/tirpc_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <rpc/rpc.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "tests/rpc/server_bytes.h"

namespace oracle {

namespace {

// Errors of the test's own machinery end it: there is nothing to judge then.
void DieUnless(bool ok, const char* what) {
  if (ok) return;
  std::perror(what);
  std::abort();
}

// --- The child ---------------------------------------------------------------

// libtirpc calls the functions that encode and decode by this type.
template <typename S>
xdrproc_t AsXdrproc(bool_t (*function)(XDR*, S*)) {
  return reinterpret_cast<xdrproc_t>(reinterpret_cast<void (*)()>(function));
}

xdrproc_t NoValue() { return reinterpret_cast<xdrproc_t>(reinterpret_cast<void (*)()>(xdr_void)); }

struct Blob {
  char* bytes = nullptr;
  u_int size = 0;
};

bool_t XdrBlob(XDR* xdrs, Blob* blob) {
  return xdr_bytes(xdrs, &blob->bytes, &blob->size, kMostBytes);
}

bool_t XdrGiveArgs(XDR* xdrs, GiveArgs* args) {
  bool_t attributes = args->attributes;
  if (!xdr_u_int(xdrs, &args->count) || !xdr_u_int(xdrs, &args->seed)) return FALSE;
  if (!xdr_bool(xdrs, &attributes)) return FALSE;
  args->attributes = attributes != 0;
  return TRUE;
}

// READ3res with its data.
bool_t XdrGiveResults(XDR* xdrs, GiveArgs* args) {
  u_int status = 0;
  bool_t attributes = args->attributes;
  bool_t eof = FALSE;
  rpc::Bytes fattr = rpc::Pattern(84, 84);
  rpc::Bytes data = rpc::Pattern(args->count, args->seed);
  Blob blob{reinterpret_cast<char*>(data.data()), args->count};
  return xdr_u_int(xdrs, &status) && xdr_bool(xdrs, &attributes) &&
         (!attributes || xdr_opaque(xdrs, reinterpret_cast<char*>(fattr.data()), 84)) &&
         xdr_u_int(xdrs, &args->count) && xdr_bool(xdrs, &eof) && XdrBlob(xdrs, &blob);
}

void Echo(SVCXPRT* transport) {
  Blob blob;
  if (svc_getargs(transport, AsXdrproc(XdrBlob), &blob)) {
    svc_sendreply(transport, AsXdrproc(XdrBlob), &blob);
  } else {
    svcerr_decode(transport);
  }
  svc_freeargs(transport, AsXdrproc(XdrBlob), &blob);
}

void Give(SVCXPRT* transport) {
  GiveArgs args;
  if (svc_getargs(transport, AsXdrproc(XdrGiveArgs), &args)) {
    svc_sendreply(transport, AsXdrproc(XdrGiveResults), &args);
  } else {
    svcerr_decode(transport);
  }
}

void Who(struct svc_req* request, SVCXPRT* transport) {
  if (request->rq_cred.oa_flavor != AUTH_SYS) return svcerr_weakauth(transport);
  auto* parms = static_cast<authunix_parms*>(request->rq_clntcred);
  svc_sendreply(transport, AsXdrproc(xdr_authunix_parms), parms);
}

void Dispatch(struct svc_req* request, SVCXPRT* transport) {
  switch (request->rq_proc) {
    case kNull.number: svc_sendreply(transport, NoValue(), nullptr); return;
    case kEcho.number: return Echo(transport);
    case kGive.number: return Give(transport);
    case kWho.number: return Who(request, transport);
    case kBreak.number: return svcerr_systemerr(transport);
    default: return svcerr_noproc(transport);
  }
}

[[noreturn]] void Serve(int listener, uint32_t send_bytes) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  SVCXPRT* transport = svc_vc_create(listener, send_bytes, 0);
  DieUnless(transport != nullptr, "svc_vc_create");
  constexpr int kDoNotRegister = 0;
  DieUnless(svc_register(transport, kTestProgram, kTestVersion, Dispatch, kDoNotRegister),
            "svc_register");
  svc_run();
  _exit(1);  // it never returns
}

// --- The parent --------------------------------------------------------------

sockaddr_in Loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

}  // namespace

TirpcServer::TirpcServer(uint32_t send_bytes) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = Loopback(0);
  socklen_t size = sizeof(address);
  auto* any = reinterpret_cast<sockaddr*>(&address);
  DieUnless(listener >= 0, "socket");
  DieUnless(bind(listener, any, size) == 0, "bind");
  DieUnless(listen(listener, 16) == 0, "listen");
  DieUnless(getsockname(listener, any, &size) == 0, "getsockname");
  port_ = ntohs(address.sin_port);
  process_ = fork();
  DieUnless(process_ >= 0, "fork");
  if (process_ == 0) Serve(listener, send_bytes);
  close(listener);
}

TirpcServer::~TirpcServer() {
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

int TirpcServer::Connect() const {
  const int connection = socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in address = Loopback(port_);
  DieUnless(connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0,
            "connect");
  return connection;
}

}  // namespace oracle
