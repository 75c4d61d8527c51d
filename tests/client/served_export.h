// An export on loopback with a pattern in its files, for tests of whole programs and readers.
#ifndef TESTS_CLIENT_SERVED_EXPORT_H_
#define TESTS_CLIENT_SERVED_EXPORT_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "tests/server/contents.h"
#include "tests/server/loopback_server.h"
#include "tests/server/server.h"

namespace nfs {

// What is at `offset` of a file of server::PatternContents().
inline std::string PatternText(uint64_t offset, size_t bytes) {
  std::string text(bytes, '\0');
  server::FillPattern(offset, std::as_writable_bytes(std::span(text)));
  return text;
}

// A part of a fixture: files are added before Serve().
class ServedExport {
 protected:
  void Serve() {
    auto loopback = server::LoopbackServer::Start(served_);
    ASSERT_TRUE(loopback.ok()) << loopback.status();
    loopback_ = *std::move(loopback);
  }
  void Rules(const char* rules) { ASSERT_TRUE(served_.AddRules(rules).ok()); }
  std::string Url(const char* path) { return loopback_->Url(path); }

  server::Server served_;
  std::unique_ptr<server::LoopbackServer> loopback_;
};

}  // namespace nfs

#endif  // TESTS_CLIENT_SERVED_EXPORT_H_
