#include <fmt/core.h>

#include <iterator>

#include "report/printable.h"
#include "report/report.h"
#include "report/words/folding.h"
#include "report/words/frame_names.h"
#include "report/words/verdict.h"

namespace hangstack::report {
namespace {

constexpr int kSetColumns = 32;
constexpr int kDeepest = 64;
constexpr int kMostNodes = 2000;
constexpr std::size_t kMostSteps = 24;  ///< of one node: of more the middle is left out

/// Inside the quotation marks of a label. Graphviz reads `\` as an escape and `&lt;` as a character there (its
/// documentation: "escString" and "Characters"); `end` is what ends a line: "\l" sets it to the left.
std::string dot_escaped(std::string_view text, std::string_view end = "") {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '&': out += "&amp;"; break;
      default: out += c;
    }
  }
  out += end;
  return out;
}

class GraphWriter {
 public:
  explicit GraphWriter(std::string& out) : out_(out) {}

  void job(const model::Job& job) {
    ranks_ = !rank_numbers(job).empty();
    blamed_ = ranks_ ? job.verdict.culprit_ranks : model::RankSet();
    const int root = node(dot_escaped(printable(job.job) + ": " + headline(job, false)), "shape=box, style=bold");
    for (const auto& child : job.tree) branch(child, root, 0);
  }

 private:
  int node(const std::string& label, std::string_view style) {
    fmt::format_to(std::back_inserter(out_), "  n{} [label=\"{}\", {}];\n", nodes_, label, style);
    return nodes_++;
  }

  void branch(const model::TreeNode& tree, int parent, int depth) {
    if (nodes_ >= kMostNodes || depth > kDeepest) {
      if (parent == last_cut_) return;
      last_cut_ = parent;
      edge(parent, node("more branches", "shape=plain"), {});
      return;
    }
    const int made =
        node(chain(tree), is_blamed(tree, blamed_) ? "shape=box, color=\"#b3261e\", penwidth=2" : "shape=box");
    edge(parent, made, ranks_ ? tree.present : model::RankSet());
    for (const auto& child : tree.children) branch(child, made, depth + 1);
  }

  void edge(int from, int to, const model::RankSet& ranks) {
    fmt::format_to(std::back_inserter(out_), "  n{} -> n{}", from, to);
    if (!ranks.empty()) {
      // As STAT labels its edges: how many, and which.
      fmt::format_to(std::back_inserter(out_), " [label=\"{}:[{}]\"]", ranks.size(),
                     dot_escaped(fitting_list(ranks.folded(), ranks.size(), kSetColumns)));
    }
    out_ += ";\n";
  }

  static std::string chain(const model::TreeNode& tree) {
    const auto steps = chain_steps(tree.chain);
    if (steps.empty()) return dot_escaped("(ends here)", "\\l");
    std::string label;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps.size() > kMostSteps && i == kMostSteps / 2) {
        i = steps.size() - kMostSteps / 2;
        label += "…\\l";
      }
      label += dot_escaped(steps[i].label, "\\l");
    }
    return label;
  }

  std::string& out_;
  bool ranks_ = false;
  model::RankSet blamed_;
  int nodes_ = 0;
  int last_cut_ = -1;
};

}  // namespace

std::string write_dot(const model::Report& report) {
  std::string out =
      "// hangstack-report/dot\n"
      "digraph hangstack {\n"
      "  graph [rankdir=TB, charset=\"UTF-8\"];\n"
      "  node [fontname=\"monospace\", fontsize=10];\n"
      "  edge [fontname=\"monospace\", fontsize=9];\n";
  GraphWriter graph(out);
  for (const auto& job : report.jobs) graph.job(job);
  out += "}\n";
  return out;
}

}  // namespace hangstack::report
