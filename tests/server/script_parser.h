// The text form of scripts: one rule per line, words with spaces between.
//
//   READ nth=3 status=IO                   the third READ fails
//   READ delay=50ms                        every READ is answered after 50 ms
//   READ hold=4 order=3,2,1,0              replies in reverse, four by four
//   LOOKUP name=secret status=ACCES
//   CONNECT nth=1 raw=HTTP/1.1%20400%0d%0a fin
//   # a comment
//
// A rule is WHO, then conditions and actions in any order.
//
// WHO  READ, MNT...   a procedure; NFS.NULL where several programs have the name
//      NFS MOUNT RPCBIND   every procedure of the program
//      *              every call
//      CONNECT        a connection, when it is accepted
//
// N is a number: decimal or 0x..., and K, M, G, T for powers of 1024 after it. RANGE is
// N, N..M, N.. or ..M, both ends included. TIME is 10ms, 1.5s... BYTES and TEXT take
// %20 for a space and so on for any byte.
//
// Conditions (script.h has how they count):
//   transport=tcp|udp  of calls; without it, both
//   connection=RANGE   which connection of the server, from 1; a call by UDP has none
//   port=RANGE         from which source port
//   name=TEXT          of LOOKUP the name, of MNT and UMNT the path, of GETPORT the netid
//   uid=RANGE          of AUTH_SYS; that of other credentials counts as 65534
//   offset=RANGE       of READ
//   nth=RANGE          which of those that meet the above, from 1
//   every=N            of these the first, the N+1st...
//   chance=P           of these at random, so many: 0.05
//
// What the results are:
//   status=S           an nfsstat3 or mountstat3: 70, STALE or NFS3ERR_STALE
//   stale              status=STALE
//   jukebox=N          status=JUKEBOX for N calls, beginning with the nth
//   noattr             no post_op_attr has attributes
//   noattr=FIELD       that one has none: obj_attributes, dir_attributes...
//   poke=FIELD:N       a field of the reply by its RFC name, dots between: size,
//                      obj_attributes.size, verf.flavor, data (the length word of what
//                      has a length, the flag of what is optional). May be repeated.
//   short=N            READ gives N bytes at most
//   over=N             READ gives N bytes more than it should, 0xee past the file's end
//   eof=true|false     what READ says of it
//   uaddr=TEXT         what GETADDR says, byte by byte; GETPORT does not heed it
// What happens to the regular file, once a GETATTR, ACCESS or READ of it is executed (a
// reply out of the duplicate request cache executes nothing):
//   append=N  truncate=N  rewrite  replace  remove      (file_tree.h)
// What happens to the server, once any call is executed:
//   expire             every handle given out so far is stale; MNT, and LOOKUP below that,
//                      give new ones
//   boot               its duplicate request cache, if it has one (server.h), is empty
// What RPC says:
//   deny=A             MSG_DENIED with an auth_stat: 5 or AUTH_TOOWEAK
//   rpc_mismatch=N:M   MSG_DENIED, versions N to M
//   accept=A           an accept_stat: 4 or GARBAGE_ARGS
//   prog_mismatch=N:M  PROG_MISMATCH, versions N to M
//   verifier=F:N       of flavor F and N bytes
// What the record is:
//   junk=N             N bytes more at its end, inside it
//   cut=N, cut=-N      only its first N bytes; all but its last N
//   frag=N,M...        in fragments of these sizes, the last one repeated
//   raw=BYTES          these instead of the mark and the record
// By UDP a reply is one datagram: junk and cut bend it, raw takes its place. frag, and
// all that the connection does below, have no effect there, and are errors beside
// transport=udp. What is longer than a datagram can be (65507 bytes) is lost.
// When it is sent:
//   delay=TIME         after the call came, each call by itself
//   drop               never
//   dup=TIME           twice, the second so much later
//   hold=N             when N replies wait on its connection, or its UDP port (or after
//                      200 ms)
//   order=I,J...       then in this order, 0 being the first that came
// What the connection does:
//   split=N,M...       sends pieces of these sizes, and the rest, 10 ms apart
//   fin, fin=N         is closed after the reply, or after N bytes of it (0: instead)
//   rst, rst=N         is reset likewise
//   refuse=TIME        (with fin or rst) and then nobody can connect to that port for so
//                      long
// Of CONNECT only; it takes raw, delay, split, fin, rst and refuse too:
//   silent             whatever comes is not looked at
//   idle=TIME          is closed when nothing was under way for so long
//   slow_read=N:TIME   takes at most N bytes of calls in each TIME, so that the client can
//                      send no more in the end. With slow_read=N:1h delay=2s rst it takes
//                      N bytes, no more, and is reset after 2 s.
#ifndef TESTS_SERVER_SCRIPT_PARSER_H_
#define TESTS_SERVER_SCRIPT_PARSER_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tests/server/script.h"

namespace server {

// InvalidArgument with the word that is wrong and what is right: unknown words, words
// given twice, values that make no sense, and words that could have no effect on WHO.
absl::StatusOr<Rule> ParseRule(absl::string_view line);

// Every line a rule, empty, or a comment; errors begin with the number of the line.
absl::StatusOr<std::vector<Rule>> ParseScript(absl::string_view text);

}  // namespace server

#endif  // TESTS_SERVER_SCRIPT_PARSER_H_
