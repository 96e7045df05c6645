#pragma once
// Many things said in few words: pids, hosts, times.

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "model/rank_set.h"

namespace hangstack::report {

/// "41872-6,41878": runs folded, and of a run's end only the digits that differ.
std::string folded_pids(std::vector<std::int32_t> pids);

/// "gpu[01-16],login": names that differ in their last number, folded as Slurm does. Printable.
std::string folded_hosts(const std::set<std::string>& hosts);

/// A folded list of at most `width` columns: "0,2,4,… (5000)" if it is longer.
std::string fitting_list(const std::string& folded, std::size_t count, int width);

/// "rank 5", "ranks 0-4,6"; "" for none.
std::string ranks_in_words(const model::RankSet& ranks, int width);

/// "61 us", "1.2 ms", "2.0 s".
std::string short_time(double microseconds);

/// "3 threads", "1 thread".
std::string counted(std::size_t count, const char* one, const char* many);

/// "2026-11-29 03:12:41 UTC"; "at an unknown time" if the number is no date.
std::string utc_time(std::int64_t unix_s);

}  // namespace hangstack::report
