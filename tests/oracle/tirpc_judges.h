// libtirpc's opinion of the messages of rpc/. Its headers stay in tirpc_judges.cc.
#ifndef TESTS_ORACLE_TIRPC_JUDGES_H_
#define TESTS_ORACLE_TIRPC_JUDGES_H_

#include <cstdint>

#include "rpc/auth.h"
#include "rpc/message.h"
#include "rpc/rpcbind.h"
#include "tests/oracle/judge.h"

namespace oracle {

extern const Judge<rpc::CallHeader> kTirpcCallHeader;      // xdr_callmsg
extern const Judge<rpc::ReplyHeader> kTirpcReplyHeader;    // xdr_replymsg
extern const Judge<rpc::AuthSysParms> kTirpcAuthSysParms;  // xdr_authunix_parms
extern const Judge<rpc::Mapping> kTirpcMapping;            // xdr_pmap
extern const Judge<rpc::GetportResult> kTirpcGetportResult;
extern const Judge<rpc::Rpcb> kTirpcRpcb;  // xdr_rpcb
extern const Judge<rpc::GetaddrResult> kTirpcGetaddrResult;

// The AUTH_SYS credentials that libtirpc makes itself, authunix_create; their stamp is the
// time.
Bytes TirpcAuthSysBody(const rpc::Identity& identity, const char* machine_name);

}  // namespace oracle

#endif  // TESTS_ORACLE_TIRPC_JUDGES_H_
