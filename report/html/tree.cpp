#include "report/html/parts.h"
#include "report/words/folding.h"
#include "report/words/frame_names.h"
#include "report/words/verdict.h"

namespace hangstack::report {
namespace {

constexpr int kDeepest = 64;
constexpr int kMostBranches = 2000;
constexpr std::size_t kMostSteps = 200;  ///< of a chain: of a recursion of thousands the middle is left out

class TreeWriter {
 public:
  TreeWriter(HtmlPage& page, const model::Job& job)
      : page_(page), sets_(!rank_numbers(job).empty()), blamed_(job.verdict.culprit_ranks) {}

  void branches(const std::vector<model::TreeNode>& nodes, int depth) {
    page_.html.open("ul", depth == 0 ? "tree" : "");
    for (const auto& node : nodes) branch(node, depth);
    page_.html.close();
  }

  void finish() {
    if (left_out_ > 0)
      page_.html.element("p", "more", counted(left_out_, "more branch", "more branches") + ": --full has all");
  }

 private:
  void branch(const model::TreeNode& node, int depth) {
    if (written_ >= kMostBranches || depth > kDeepest) {
      ++left_out_;
      return;
    }
    ++written_;
    open_filtered(page_, "li", sets_ && is_blamed(node, blamed_) ? "blamed" : "",
                  sets_ ? node.present : model::RankSet());
    if (node.children.empty()) {
      page_.html.open("div", "chain");
      chain(node);
      page_.html.close();
    } else {
      page_.html.open("details", {}, {{"open", ""}});
      page_.html.open("summary", "chain");
      chain(node);
      page_.html.close();
      branches(node.children, depth + 1);
      page_.html.close();
    }
    page_.html.close();
  }

  void chain(const model::TreeNode& node) {
    if (sets_ && !(node.present.empty() && node.absent.empty())) {
      page_.html.open("span", "split");
      write_ranks(page_, node.present);
      if (!node.absent.empty()) {
        page_.html.text(" | ");
        page_.html.open("span", "absent");
        write_ranks(page_, node.absent);
        page_.html.close();
      }
      page_.html.close();
    }
    auto steps = chain_steps(node.chain);
    if (steps.empty()) steps.push_back({"(ends here)", false});
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps.size() > kMostSteps && i == kMostSteps / 2) {
        i = steps.size() - kMostSteps / 2;
        page_.html.element("span", "step", "…");
      }
      page_.html.element("span", steps[i].python ? "step py" : "step", steps[i].label);
      page_.html.text(" ");
    }
  }

  HtmlPage& page_;
  bool sets_;
  model::RankSet blamed_;
  int written_ = 0;
  std::size_t left_out_ = 0;
};

}  // namespace

void write_tree(HtmlPage& page, const model::Job& job) {
  if (job.tree.empty()) return;
  page.html.open("section");
  page.html.open("h2");
  page.html.text(job.verdict.hung == model::Hung::no ? "Threads that stand for their process, merged"
                                                     : "Blocked threads, merged");
  if (!rank_numbers(job).empty()) page.html.element("span", "legend", "ranks that are here | that are not");
  page.html.close();
  TreeWriter writer(page, job);
  writer.branches(job.tree, 0);
  writer.finish();
  page.html.close();
}

}  // namespace hangstack::report
