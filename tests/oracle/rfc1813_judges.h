// What rpcgen and libtirpc make of RFC 1813 (rfc1813.x), as the judge of the messages of
// client/protocol/. The generated header stays in rfc1813_judges.cc.
#ifndef TESTS_ORACLE_RFC1813_JUDGES_H_
#define TESTS_ORACLE_RFC1813_JUDGES_H_

#include "client/protocol/mount3.h"
#include "client/protocol/nfs3.h"
#include "client/protocol/nfs3_read.h"
#include "tests/oracle/judge.h"

namespace oracle {

extern const Judge<nfs3::Getattr3Args> kGetattr3Args;
extern const Judge<nfs3::Getattr3Res> kGetattr3Res;
extern const Judge<nfs3::Lookup3Args> kLookup3Args;
extern const Judge<nfs3::Lookup3Res> kLookup3Res;
extern const Judge<nfs3::Access3Args> kAccess3Args;
extern const Judge<nfs3::Access3Res> kAccess3Res;
extern const Judge<nfs3::Readlink3Args> kReadlink3Args;
extern const Judge<nfs3::Readlink3Res> kReadlink3Res;
extern const Judge<nfs3::Read3Args> kRead3Args;
extern const Judge<nfs3::Read3Res> kRead3Res;
extern const Judge<nfs3::Fsinfo3Args> kFsinfo3Args;
extern const Judge<nfs3::Fsinfo3Res> kFsinfo3Res;
extern const Judge<mount3::DirPath> kDirPath;
extern const Judge<mount3::Mountres3> kMountres3;
extern const Judge<mount3::Exports> kExports;

}  // namespace oracle

#endif  // TESTS_ORACLE_RFC1813_JUDGES_H_
