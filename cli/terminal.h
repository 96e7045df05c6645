#pragma once
// What goes to the terminal and to files.

#include <fmt/core.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "cli/options.h"
#include "model/diagnosis.h"

namespace hangstack::cli {

/// `text` to `stream`. One that takes nothing (a full disk, a closed pipe) is no reason to end: nothing is said.
void print(std::FILE* stream, std::string_view text);

template <typename... Arguments>
void print(std::FILE* stream, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  print(stream, std::string_view(fmt::format(format, std::forward<Arguments>(arguments)...)));
}

/// One line on stderr that is written over, only while stderr is a terminal.
class ProgressLine {
 public:
  explicit ProgressLine(bool wanted);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(std::string_view text);
  void clear();

 private:
  bool active_;
  bool shown_ = false;
};

/// "hangstack: MESSAGE" and, indented below it, FIX, on stderr.
void print_error(const model::Error& error);

/// Whether every -o file may be written, as far as that shows beforehand; says on stderr which may not.
bool can_write_outputs(const Options& options);

/// The report to stdout (unless quiet) and to every -o file. False if one could not be written: says so on stderr.
bool write_outputs(const model::Report& report, const Options& options);

}  // namespace hangstack::cli
