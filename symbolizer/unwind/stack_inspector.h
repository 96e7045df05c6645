#pragma once
// What unwinding needs of a live process beside the stack that a thread is on.

#include <memory>

#include "model/inspector.h"

namespace hangstack::symbolizer {

/// Records the vDSO's image (its call frame information is in no file), and for a thread on an alternate signal stack
/// the stack that the signal interrupted: at most 256 KiB of it.
std::unique_ptr<model::Inspector> make_stack_inspector();

}  // namespace hangstack::symbolizer
