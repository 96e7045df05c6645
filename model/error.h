#pragma once
// Failures as values: a code for programs, a sentence for the reader, and what to do next.

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace hangstack::model {

/// Named by what the reader can do about it. The names are stable: they stand in the JSON report.
enum class ErrorCode {
  usage,               ///< the command line is wrong
  not_found,           ///< no such process, file or host
  vanished,            ///< was there, ended while it was read
  changed_program,     ///< started another program (exec) while it was read
  zombie,              ///< ended, waits for its parent; it has no stack any more
  no_permission,       ///< the kernel refused: uid, capability, Yama, dumpable, seccomp
  already_traced,      ///< another tracer holds it
  kernel_thread,       ///< has no user-space stack
  unsupported_target,  ///< a 32-bit process, another architecture, hangstack itself
  timed_out,           ///< a deadline passed
  unreadable_memory,   ///< an address is not mapped, or may not be read safely
  malformed_input,     ///< bytes from elsewhere do not make sense
  bad_elf,             ///< a file is not the ELF file that it should be
  unsupported_python,  ///< an interpreter whose layout is not known
  unavailable,         ///< the kernel or machine does not offer it
  internal,            ///< a defect of hangstack
};

/// The code's stable name, as in "no_permission".
std::string_view error_code_name(ErrorCode code);

/// `message` is one sentence that names the pid or file; `fix` says what to do next (may be empty).
struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;
  std::string fix;

  friend bool operator==(const Error&, const Error&) = default;
};

template <typename T>
using Expected = tl::expected<T, Error>;

inline tl::unexpected<Error> failure(ErrorCode code, std::string message, std::string fix = {}) {
  return tl::make_unexpected(Error{code, std::move(message), std::move(fix)});
}

/// The failure of a part: kept in the data next to everything that worked.
/// `scope` is "host", "pid", "thread", "file" or "collector"; `subject` is the number or name in that scope.
struct Problem {
  std::string scope;
  std::string subject;
  Error error;

  friend bool operator==(const Problem&, const Problem&) = default;
};

}  // namespace hangstack::model
