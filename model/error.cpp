#include "model/error.h"

namespace hangstack::model {

std::string_view error_code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage: return "usage";
    case ErrorCode::not_found: return "not_found";
    case ErrorCode::vanished: return "vanished";
    case ErrorCode::changed_program: return "changed_program";
    case ErrorCode::zombie: return "zombie";
    case ErrorCode::no_permission: return "no_permission";
    case ErrorCode::already_traced: return "already_traced";
    case ErrorCode::kernel_thread: return "kernel_thread";
    case ErrorCode::unsupported_target: return "unsupported_target";
    case ErrorCode::timed_out: return "timed_out";
    case ErrorCode::unreadable_memory: return "unreadable_memory";
    case ErrorCode::malformed_input: return "malformed_input";
    case ErrorCode::bad_elf: return "bad_elf";
    case ErrorCode::unsupported_python: return "unsupported_python";
    case ErrorCode::unavailable: return "unavailable";
    case ErrorCode::internal: return "internal";
  }
  return "internal";
}

}  // namespace hangstack::model
