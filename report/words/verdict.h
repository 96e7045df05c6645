#pragma once
// What a verdict says, in words. All is printable.

#include <string>
#include <string_view>

#include "model/diagnosis.h"

namespace hangstack::report {

/// The ranks of the job's rows; empty if none has a number: then nothing is said of ranks.
model::RankSet rank_numbers(const model::Job& job);

/// A branch that parts from others and holds ranks of `blamed` only: of a whole tree everything would be.
bool is_blamed(const model::TreeNode& node, const model::RankSet& blamed);

/// "HUNG: host_straggler (asleep before the collective), caused by rank 3, for 4 min 12 s"; "NOT HUNG: why".
std::string headline(const model::Job& job, bool with_shape);

/// With a capital letter.
std::string sentence(std::string_view text);

/// Whom an observation is of, before its text: "rank 5", "0-4,6", "all" of `all`, "" where nothing is said of ranks.
std::string ranks_before_text(const model::RankSet& ranks, const model::RankSet& all, int width);

/// What stands between the reason of a next step and its command: ":" or nothing.
std::string_view colon_after(std::string_view why);

/// How an alternative is judged, and why: "possible, but ...", "no: ...".
std::string judged_in_words(const model::Alternative& alternative);

}  // namespace hangstack::report
