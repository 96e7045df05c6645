#include "report/words/verdict.h"

#include "model/duration.h"
#include "report/printable.h"
#include "report/words/folding.h"

namespace hangstack::report {
namespace {

constexpr int kCulprits = 40;  ///< widest list of ranks in the headline

}  // namespace

model::RankSet rank_numbers(const model::Job& job) {
  model::RankSet ranks;
  for (const auto& row : job.ranks) {
    if (row.rank) ranks.insert(*row.rank);
  }
  return ranks;
}

bool is_blamed(const model::TreeNode& node, const model::RankSet& blamed) {
  return !node.absent.empty() && !node.present.empty() && node.present.minus(blamed).empty();
}

std::string headline(const model::Job& job, bool with_shape) {
  const model::Verdict& verdict = job.verdict;
  const model::RankSet culprits = rank_numbers(job).empty() ? model::RankSet() : verdict.culprit_ranks;
  const bool named = verdict.pattern != "unknown" && verdict.pattern != "not_hung" && !verdict.pattern.empty();
  std::string pattern = printable(verdict.pattern);
  if (named && with_shape && !verdict.shape.empty()) pattern += " (" + printable(verdict.shape) + ")";
  std::string text;
  switch (verdict.hung) {
    case model::Hung::no: return "NOT HUNG: " + printable(verdict.summary);
    case model::Hung::undecided: text = named ? "UNDECIDED: perhaps " + pattern : "UNDECIDED"; break;
    case model::Hung::yes: text = named ? "HUNG: " + pattern : "HUNG: no documented pattern fits"; break;
  }
  const bool hung = verdict.hung == model::Hung::yes;
  if (!culprits.empty()) text += (hung ? ", caused by " : ", by ") + ranks_in_words(culprits, kCulprits);
  // Of an undecided culprit it may be its peers that have not moved.
  if (verdict.since_s)
    text += (hung || !culprits.empty() ? ", for " : ", unmoved for ") + model::duration(*verdict.since_s);
  return text;
}

std::string sentence(std::string_view text) {
  std::string out = printable(text);
  if (!out.empty() && out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

std::string ranks_before_text(const model::RankSet& ranks, const model::RankSet& all, int width) {
  if (ranks.empty() || all.empty()) return {};
  if (ranks == all && ranks.size() > 1) return "all";
  return ranks.size() == 1 ? "rank " + ranks.folded() : fitting_list(ranks.folded(), ranks.size(), width);
}

std::string judged_in_words(const model::Alternative& alternative) {
  const bool open = alternative.confidence != model::Confidence::unknown;
  return (open ? std::string(model::confidence_name(alternative.confidence)) + ", but " : "no: ") +
         printable(alternative.why_not);
}

std::string_view colon_after(std::string_view why) { return why.ends_with('?') || why.ends_with(':') ? "" : ":"; }

}  // namespace hangstack::report
