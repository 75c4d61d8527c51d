// Tested by tests/client/protocol_test.cc.
#include "client/protocol/nfs3_read.h"

#include "xdr/wire.h"

namespace nfs3 {

namespace {

constexpr size_t kStatusAndFollows = 8;
constexpr size_t kFattr3Bytes = 84;
constexpr size_t kCountEofAndLength = 12;

}  // namespace

rpc::PayloadPlace LocateReadData(xdr::ByteView results) {
  rpc::PayloadPlace place;
  // An error may end right after its status, whatever the RFC says of attributes.
  place.results_bytes = 4;
  if (results.size() < place.results_bytes) return place;
  if (static_cast<Status>(xdr::LoadUint32(results.data())) != Status::kOk) {
    place.results_bytes = rpc::kNoPayload;
    return place;
  }
  place.results_bytes = kStatusAndFollows;
  if (results.size() < place.results_bytes) return place;
  const bool attributes_follow = xdr::LoadUint32(results.data() + 4) != 0;
  place.results_bytes += (attributes_follow ? kFattr3Bytes : 0) + kCountEofAndLength;
  if (results.size() < place.results_bytes) return place;
  place.found = true;
  place.payload_bytes = xdr::LoadUint32(results.data() + place.results_bytes - 4);
  return place;
}

}  // namespace nfs3
