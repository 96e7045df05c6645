#pragma once
// Names of system calls on x86-64 Linux (arch/x86/entry/syscalls/syscall_64.tbl, Linux 6.7).

#include <cstdint>
#include <string_view>

namespace hangstack::symbolizer {

/// "futex" for 202; empty for an unknown number, and for -1 (blocked outside a system call).
std::string_view system_call_name(std::int64_t number);

}  // namespace hangstack::symbolizer
