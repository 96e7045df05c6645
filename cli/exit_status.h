#pragma once
// Exit statuses: other programs rely on them (design section 5).

namespace hangstack::cli {

enum class ExitStatus : int {
  report_made = 0,  ///< hung or not
  hang_found = 1,   ///< with --check; wins over `partial`
  usage = 2,        ///< the command line is wrong
  nothing_sampled = 3,
  partial = 4,  ///< a pid named by the user gave no stack, or an output was not written; doctor: something needed does
                ///< not work
  interrupted = 130,
};

}  // namespace hangstack::cli
