#pragma once
// Runs a piece of a test with fewer rights, in a child process.

#include <functional>
#include <string>

namespace hangstack::tests {

/// What `body` gave, after `restrict` in the same child process; empty if the child could not do it. Both run in a copy
/// of the test: they must not touch the test's results.
std::string in_child(const std::function<bool()>& restrict, const std::function<std::string()>& body);

bool become_user(unsigned id);     ///< uid, gid, and no other groups
bool drop_capability(int number);  ///< effective, permitted and inheritable
/// A seccomp filter that answers EPERM to ptrace and process_vm_readv, or kills.
bool forbid_reading_others(bool kill);

}  // namespace hangstack::tests
