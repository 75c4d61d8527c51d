#include "tests/io/harness.h"

#include "io/engine.h"

namespace io {

std::string NameOf(World world) {
  switch (world) {
    case World::kUring: return "Uring";
    case World::kPoll: return "Poll";
    case World::kSimulated: return "Simulated";
  }
  return "";
}

std::unique_ptr<Harness> MakeHarness(World world, std::string* why_not) {
  if (world == World::kSimulated) return MakeSimulatedHarness();
  auto transport = MakeTransport(world == World::kUring ? Engine::kUring : Engine::kPoll);
  if (transport.ok()) return MakeKernelHarness(*std::move(transport));
  *why_not = std::string(transport.status().message());
  return nullptr;
}

}  // namespace io
