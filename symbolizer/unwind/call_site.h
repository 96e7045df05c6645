#pragma once
// What a return address says by the instruction before it: was there a call, and of what.

#include <cstdint>
#include <optional>
#include <string>

#include "model/address.h"
#include "symbolizer/native/process_modules.h"

namespace hangstack::symbolizer {

/// A call instruction of x86-64 that ends at a return address.
struct CallSite {
  std::optional<model::RemoteAddress> target;  ///< of a direct call
  std::string through;                         ///< the symbol, if it goes through the PLT or the GOT
};

/// None if no call instruction ends at `return_address`, or its bytes are not at hand.
std::optional<CallSite> call_before(model::RemoteAddress return_address, ProcessModules& modules);

enum class CallMatch : std::uint8_t {
  matches,  ///< it calls the start of the function
  differs,  ///< it calls something else (which may have jumped to the function)
  open,     ///< an indirect call: the instruction does not say
};

/// Does `call` call the function (by its FDE) that holds `callee`?
CallMatch match_call(const CallSite& call, model::RemoteAddress callee, ProcessModules& modules);

/// Is the call before `return_address` known to be one of the function that holds `callee`? The C library's own
/// indirect calls, of main and of thread functions, count: their callees are the same for the whole life of a thread.
bool call_is_proved(model::RemoteAddress return_address, model::RemoteAddress callee, ProcessModules& modules);

}  // namespace hangstack::symbolizer
