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

/// Which stacks an export holds.
struct StackOptions {
  bool all_threads = false;  ///< idle helpers too
  bool full = false;         ///< frames of the interpreter and of the start of threads too
};

/// The report of design section 7: UTF-8, ends in a newline.
std::string write_text(const model::Report& report, const TextOptions& options);

/// The report of design section 6 ("hangstack-report/1"), indented, ends in a newline.
std::string write_json(const model::Report& report);

/// One file that opens without a network, and without JavaScript too: the argument, ranks, tree, records and every
/// stack once. UTF-8, ends in a newline.
std::string write_html(const model::Report& report);

/// One line for each stack, outermost frame first, "rank 0;thread;outer;inner COUNT", for flamegraph.pl and inferno.
/// Python frames end in "_[p]", inlined ones in "_[i]".
std::string write_folded(const model::Report& report, const StackOptions& options);

/// Speedscope's file format (https://www.speedscope.app/file-format-schema.json): a profile for each process, in which
/// each thread is one sample of weight 1.
std::string write_speedscope(const model::Report& report, const StackOptions& options);

/// The merged tree of blocked threads as a graph for Graphviz, ranks at the edges.
std::string write_dot(const model::Report& report);

}  // namespace hangstack::report
