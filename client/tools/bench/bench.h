// `nfs3 bench`: which value of an option is right for this server and this path.
#ifndef CLIENT_TOOLS_BENCH_BENCH_H_
#define CLIENT_TOOLS_BENCH_BENCH_H_

namespace nfs {

// The verb, with the arguments behind it; argv[0] is the program. Returns the exit status.
int Bench(int argc, char** argv);

}  // namespace nfs

#endif  // CLIENT_TOOLS_BENCH_BENCH_H_
