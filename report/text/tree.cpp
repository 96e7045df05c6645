#include "report/printable.h"
#include "report/text/chain_lines.h"
#include "report/text/sections.h"
#include "report/words/folding.h"
#include "report/words/verdict.h"

namespace hangstack::report {
namespace {

constexpr int kSetColumns = 22;
constexpr int kChainLines = 3;
constexpr int kDeepestIndent = 30;  ///< columns; deeper branches stay there
constexpr int kDeepest = 64;
constexpr int kMostBranches = 100;

/// "[5 | 0-4,6,7]", "[0-7]"; empty without ranks.
std::string set_label(const model::TreeNode& node) {
  if (node.present.empty() && node.absent.empty()) return {};
  std::string label = "[" + fitting_list(node.present.folded(), node.present.size(), kSetColumns);
  if (!node.absent.empty()) label += " | " + fitting_list(node.absent.folded(), node.absent.size(), kSetColumns);
  return label + "]";
}

class TreePrinter {
 public:
  TreePrinter(Page& page, bool whole, bool sets) : page_(page), whole_(whole), sets_(sets) {}

  void root(const model::TreeNode& node) { print(node, "  ", "  ", 0); }

  void finish() {
    if (left_out_ == 0) return;
    page_.line("  … " + counted(left_out_, "more branch", "more branches") + ": --full shows all");
  }

 private:
  void print(const model::TreeNode& node, const std::string& first, const std::string& rest, int depth) {
    if ((!whole_ && branches_ >= kMostBranches) || depth > kDeepest) {
      ++left_out_;
      return;
    }
    ++branches_;
    const bool splits = !node.children.empty();
    chain(node, first, rest + (splits && depth > 0 ? "│  " : "   "));
    const bool deep = columns(rest) >= kDeepestIndent;
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      const bool last = i + 1 == node.children.size();
      print(node.children[i], rest + (last ? "└─ " : "├─ "), deep ? rest : rest + (last ? "   " : "│  "), depth + 1);
    }
  }

  void chain(const model::TreeNode& node, const std::string& first, const std::string& rest) {
    const std::string set = sets_ ? set_label(node) : std::string();
    ChainRoom room;
    room.first_line = page_.width() - columns(first) - (set.empty() ? 0 : columns(set) + 2);
    room.others = page_.width() - columns(rest);
    room.most_lines = whole_ ? 0 : kChainLines;
    auto steps = chain_steps(node.chain);
    if (steps.empty()) steps.push_back({"(ends here)", false});
    const auto lines = chain_lines(steps, room);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (i > 0 || set.empty()) {
        page_.line((i == 0 ? first : rest) + lines[i]);
      } else {
        page_.line(padded(first + lines[i], page_.width() - columns(set)) + page_.paint(Paint::heading, set));
      }
    }
  }

  Page& page_;
  bool whole_;
  bool sets_;
  int branches_ = 0;
  std::size_t left_out_ = 0;
};

}  // namespace

void tree_section(Page& page, const model::Job& job, bool whole) {
  if (job.tree.empty()) return;
  page.gap();
  const bool sets = !rank_numbers(job).empty();
  const std::string_view title =
      job.verdict.hung == model::Hung::no ? "THREADS that stand for their process, merged" : "BLOCKED THREADS, merged";
  std::string heading = page.paint(Paint::heading, title);
  if (sets) {
    constexpr std::string_view kLegend = "[present | absent]";
    heading += padded("", page.width() - static_cast<int>(title.size() + kLegend.size())) + std::string(kLegend);
  }
  page.line(heading);
  TreePrinter printer(page, whole, sets);
  for (const auto& node : job.tree) printer.root(node);
  printer.finish();
}

}  // namespace hangstack::report
