// A program whose system calls are known: so many of one kind, in this thread or in others.
//
//   make_syscalls CALLS THREADS
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const int calls = std::atoi(argv[1]);
  const int threads = std::atoi(argv[2]);
  const auto make_calls = [calls] {
    for (int i = 0; i < calls; ++i) syscall(SYS_getppid);
  };
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) all.emplace_back(make_calls);
  for (std::thread& thread : all) thread.join();
  if (threads == 0) make_calls();
  return 0;
}
