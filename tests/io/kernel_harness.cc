#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "io/unique_fd.h"
#include "tests/io/harness.h"
#include "tests/io/scripted_listener.h"

namespace io {

namespace {

class KernelHarness final : public Harness {
 public:
  explicit KernelHarness(std::unique_ptr<Transport> transport) : transport_(std::move(transport)) {}
  ~KernelHarness() override {
    transport_.reset();  // its connections' ends let the peers end
    if (reader_.joinable()) EndPipe();
  }

  Transport& transport() override { return *transport_; }

  Address Serve(std::vector<Script> scripts) override {
    listener_.emplace(std::move(scripts));
    return listener_->address();
  }

  // Of a listener that is gone again.
  Address Refusing() override { return ScriptedListener({}).address(); }

  std::string Received(size_t n) override { return listener_->Received(n); }
  uint16_t ClientPort(size_t n) override { return listener_->ClientPort(n); }

  int OpenPipe() override {
    int ends[2] = {-1, -1};
    (void)!pipe2(ends, O_CLOEXEC);
    pipe_out_ = UniqueFd(ends[0]);
    pipe_in_ = UniqueFd(ends[1]);
    return ends[1];
  }

  void ReadPipe() override {
    reader_ = std::thread([this] {
      char space[5000];
      for (;;) {
        const ssize_t size = read(pipe_out_.get(), space, sizeof(space));
        if (size <= 0) break;
        through_pipe_.append(space, static_cast<size_t>(size));
      }
    });
  }

  // Ends only if the transport keeps no end of the pipe open.
  std::string EndPipe() override {
    pipe_in_.Reset();
    reader_.join();
    return through_pipe_;
  }

  int OpenFull() override {
    file_ = UniqueFd(open("/dev/full", O_WRONLY | O_CLOEXEC));
    return file_.get();
  }

  int OpenBroken() override {
    OpenPipe();
    pipe_out_.Reset();
    return pipe_in_.get();
  }

  int OpenFile() override {
    file_ = UniqueFd(memfd_create("output", MFD_CLOEXEC));
    return file_.get();
  }

  std::string FileContents() override {
    struct stat about = {};
    fstat(file_.get(), &about);
    std::string contents(static_cast<size_t>(about.st_size), '\0');
    (void)!pread(file_.get(), contents.data(), contents.size(), 0);
    return contents;
  }

 private:
  std::optional<ScriptedListener> listener_;
  UniqueFd pipe_out_;
  UniqueFd pipe_in_;
  UniqueFd file_;
  std::thread reader_;
  std::string through_pipe_;
  std::unique_ptr<Transport> transport_;
};

}  // namespace

std::unique_ptr<Harness> MakeKernelHarness(std::unique_ptr<Transport> transport) {
  return std::make_unique<KernelHarness>(std::move(transport));
}

}  // namespace io
