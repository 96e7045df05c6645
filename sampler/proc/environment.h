#pragma once
// Texts of NUL-terminated pieces: /proc/PID/cmdline and /proc/PID/environ.

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hangstack::sampler {

/// The arguments of a command line. Empty ones at the end are left out: programs that write a title over their
/// arguments (setproctitle) leave many. At most 65536 arguments.
std::vector<std::string> parse_command_line(std::string_view text);

/// The variables that `environment_variable_is_allowed` lets through; of two with one name the first, as getenv does.
/// Values are cut to 4096 bytes. What the program changed after its start is not in the file.
std::map<std::string, std::string> parse_environment(std::string_view text);

}  // namespace hangstack::sampler
