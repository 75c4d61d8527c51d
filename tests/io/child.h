// A test in a process of its own: for what cannot be undone (a system call blocked, a
// privilege dropped, a network of one's own).
#ifndef TESTS_IO_CHILD_H_
#define TESTS_IO_CHILD_H_

#include <string>

namespace io {

// Runs `body` in a child, where EXPECT_...() work as ever; whether none failed. The
// program must have no other threads.
bool PassesInChild(void (*body)());
// Expects that.
void ExpectPassesInChild(void (*body)());

// For the child: from now on that system call fails with `error`. False if this machine
// cannot do that.
bool BlockSystemCall(int number, int error);

// For the child: a network with nothing in it but a loopback interface that works, and
// the right to use ports below 1024. False if not allowed.
bool EnterPrivateNetwork();

// For the child: gives up every privilege. False if it has none.
bool DropPrivileges();

}  // namespace io

#endif  // TESTS_IO_CHILD_H_
