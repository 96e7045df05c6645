#pragma once
// The parts of the HTML report, in their order on the page. Each prints nothing if it has nothing to say.

#include <map>
#include <string>
#include <vector>

#include "model/diagnosis.h"
#include "report/html/html_writer.h"
#include "report/process_index.h"

namespace hangstack::report {

/// Every set of ranks of the page once: elements point to it by number, and the script filters by it.
class RankSets {
 public:
  /// The set's number as text.
  std::string number_of(const model::RankSet& ranks);
  /// The same for a set that the page shows only the beginning of.
  std::string number_of_cut(const model::RankSet& ranks);
  [[nodiscard]] bool any_cut() const { return any_cut_; }
  [[nodiscard]] const std::vector<std::string>& all() const { return folded_; }

 private:
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::string> folded_;
  bool any_cut_ = false;
};

struct HtmlPage {
  HtmlWriter& html;
  RankSets& sets;
  const model::Report& report;
  const ProcessIndex& index;
};

/// The folded set; a long one is cut, and leads to the whole at the end of the page.
void write_ranks(HtmlPage& page, const model::RankSet& ranks);

/// Opens an element that is hidden while only other ranks, or other text, are asked for.
void open_filtered(HtmlPage& page, std::string_view tag, std::string_view style, const model::RankSet& ranks);

/// A table of `rows`, each with the ranks it is about and, without these, its cells. No more than 500 rows.
struct TableRow {
  model::RankSet ranks;
  std::vector<std::string> cells;
  bool blamed = false;
};
void write_table(HtmlPage& page, const std::vector<std::string>& heading, const std::vector<TableRow>& rows);

/// HUNG, NOT HUNG or UNDECIDED with the whole argument, its next steps and the alternatives.
void write_argument(HtmlPage& page, const model::Job& job);

/// Ranks (or processes) folded by what they wait in.
void write_rank_table(HtmlPage& page, const model::Job& job);

/// The merged tree of blocked threads, which folds.
void write_tree(HtmlPage& page, const model::Job& job);

/// Flight recorders, NCCL's communicators, what RAS said.
void write_records(HtmlPage& page, const model::Job& job);

/// Stacks, each kind once: `job` null for the processes of no job.
void write_stacks(HtmlPage& page, const model::Job* job);

/// Every process with what it is and how long its threads were stopped.
void write_processes(HtmlPage& page, const model::Job& job);

/// The rules in the order they were tried.
void write_decisions(HtmlPage& page, const model::Job& job);

/// What could not be read, each with its fix.
void write_problems(HtmlPage& page);

}  // namespace hangstack::report
