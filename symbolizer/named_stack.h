#pragma once
// Unwound stacks -> frames with names.

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/snapshot.h"
#include "symbolizer/native/process_modules.h"
#include "symbolizer/unwind/unwinder.h"

namespace hangstack::symbolizer {

/// One physical frame with its inlined functions.
struct NamedFrame {
  std::vector<model::Frame> levels;  ///< inlined functions innermost first, then the real function; never empty
  std::uint64_t stack_begin = 0;     ///< [stack pointer, CFA): its part of the stack
  std::uint64_t stack_end = 0;       ///< 0 if the CFA is not known
};

class StackNamer {
 public:
  /// `lines`: source lines and inlined functions too.
  explicit StackNamer(bool lines) : lines_(lines) {}

  /// Finds the symbols for all stacks of a process: one pass over each module's tables.
  static void resolve(const std::vector<UnwoundStack>& stacks, ProcessModules& modules);

  /// Innermost first. Call `resolve` before: symbols that it did not find stay unnamed.
  std::vector<NamedFrame> name(const UnwoundStack& stack, ProcessModules& modules);

 private:
  NamedFrame name_frame(const UnwoundFrame& frame, ProcessModules& modules);
  const std::string& normal_form_of(const std::string& raw);

  bool lines_;
  std::unordered_map<std::string, std::string> normal_forms_;
};

/// Stacks that end in the first function of a program or thread are complete, whatever ended them: `_start`, `__clone`
/// and the like have no caller, and not all C libraries say so in their call frame information.
bool is_outermost_function(const std::string& symbol);

}  // namespace hangstack::symbolizer
