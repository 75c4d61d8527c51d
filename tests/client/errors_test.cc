#include "client/errors.h"

#include <string>

#include "gtest/gtest.h"

namespace nfs {
namespace {

TEST(Errors, NameProcedureStatusAndNumber) {
  EXPECT_EQ(NfsError("READ", nfs3::Status::kStale).message(),
            "READ: NFS3ERR_STALE (70): Stale file handle");
  EXPECT_EQ(MountError(mount3::Status::kAcces).message(),
            "MNT: MNT3ERR_ACCES (13): Permission denied");
  EXPECT_EQ(NfsError("READ", static_cast<nfs3::Status>(12345)).message(),
            "READ: unknown nfsstat3 (12345): a status that RFC 1813 does not list");
}

TEST(Errors, AreSortedIntoTheExitStatusesOfNfscat) {
  EXPECT_EQ(KindOf(absl::OkStatus()), ErrorKind::kNone);
  EXPECT_EQ(KindOf(LocalError(absl::InvalidArgumentError(""))), ErrorKind::kLocal);
  EXPECT_EQ(KindOf(absl::ResourceExhaustedError("")), ErrorKind::kLocal);
  EXPECT_EQ(KindOf(absl::InvalidArgumentError("")), ErrorKind::kUsage);
  EXPECT_EQ(KindOf(absl::UnavailableError("")), ErrorKind::kUnreachable);
  EXPECT_EQ(KindOf(absl::NotFoundError("")), ErrorKind::kUnreachable);
  EXPECT_EQ(KindOf(absl::UnimplementedError("")), ErrorKind::kUnreachable);
  EXPECT_EQ(KindOf(absl::UnauthenticatedError("")), ErrorKind::kMountRefused);
  EXPECT_EQ(KindOf(MountError(mount3::Status::kNoEnt)), ErrorKind::kMountRefused);
  EXPECT_EQ(KindOf(MountError("no")), ErrorKind::kMountRefused);
  EXPECT_EQ(KindOf(NfsError("LOOKUP", nfs3::Status::kNoEnt)), ErrorKind::kNfs);
  EXPECT_EQ(KindOf(PathError("no")), ErrorKind::kNfs);
  EXPECT_EQ(KindOf(absl::DeadlineExceededError("")), ErrorKind::kTimedOut);
  EXPECT_EQ(KindOf(FileChangedError("")), ErrorKind::kFileChanged);
  EXPECT_EQ(KindOf(absl::DataLossError("")), ErrorKind::kProtocol);
}

TEST(Errors, KeepTheirKindAndStatusWhenTextIsAdded) {
  const absl::Status status =
      Prepend("a: ", Append(NfsError("READ", nfs3::Status::kIo), " [192.0.2.7:2049]"));
  EXPECT_EQ(status.message(), "a: READ: NFS3ERR_IO (5): Input/output error [192.0.2.7:2049]");
  EXPECT_EQ(KindOf(status), ErrorKind::kNfs);
  EXPECT_EQ(NfsStatusOf(status), nfs3::Status::kIo);
  EXPECT_TRUE(Append(absl::OkStatus(), "x").ok());
  EXPECT_TRUE(Prepend("x", absl::OkStatus()).ok());
  EXPECT_EQ(NfsStatusOf(absl::UnavailableError("x")), std::nullopt);
}

}  // namespace
}  // namespace nfs
