#pragma once
// Writes reports. Pure: a Report in, bytes out. Text from a target is escaped here.

#include <string>

#include "model/diagnosis.h"

namespace hangstack::report {

struct TextOptions {
  bool color = false;
  bool all_threads = false;  ///< do not fold idle helpers
  bool full = false;         ///< every stack, with every frame
  bool why = false;          ///< the log of rules
  int width = 100;           ///< columns; at least 80 are taken
};

/// The report of design section 7: UTF-8, ends in a newline.
std::string write_text(const model::Report& report, const TextOptions& options);

/// The report of design section 6 ("hangstack-report/1"), indented, ends in a newline.
std::string write_json(const model::Report& report);

}  // namespace hangstack::report
