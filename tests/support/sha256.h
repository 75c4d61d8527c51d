// SHA-256, fed piece by piece.
#ifndef TESTS_SUPPORT_SHA256_H_
#define TESTS_SUPPORT_SHA256_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string>

struct evp_md_ctx_st;

namespace support {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;

  void Add(std::span<const std::byte> bytes);

  // The digest of all that was added, in hexadecimal. REQUIRES: called once, last.
  std::string Finish();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

}  // namespace support

#endif  // TESTS_SUPPORT_SHA256_H_
