#include "report/words/folding.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <utility>

#include "report/printable.h"
#include "report/words/cut.h"

namespace hangstack::report {
namespace {

/// Of `last` only the digits that differ from `first`, if both have the same length.
std::string run_end(const std::string& first, const std::string& last) {
  if (first.size() != last.size()) return last;
  std::size_t same = 0;
  while (same < first.size() && first[same] == last[same]) ++same;
  return last.substr(same);
}

/// Calls `run(first, last)` for every run of consecutive numbers.
template <typename Number, typename Run>
void for_each_run(const std::vector<Number>& sorted, Run run) {
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t j = i;
    while (j + 1 < sorted.size() && sorted[j + 1] == sorted[j] + 1) ++j;
    run(sorted[i], sorted[j]);
    i = j + 1;
  }
}

struct HostName {
  std::string before;
  std::string digits;
  std::string after;
};

HostName split_host(const std::string& host) {
  const std::size_t last = host.find_last_of("0123456789");
  if (last == std::string::npos) return {host, {}, {}};
  std::size_t first = last;
  while (first > 0 && host[first - 1] >= '0' && host[first - 1] <= '9') --first;
  if (last - first > 8) return {host, {}, {}};  // too long for a number: leave it as it is
  return {host.substr(0, first), host.substr(first, last - first + 1), host.substr(last + 1)};
}

}  // namespace

std::string folded_pids(std::vector<std::int32_t> pids) {
  std::sort(pids.begin(), pids.end());
  pids.erase(std::unique(pids.begin(), pids.end()), pids.end());
  std::string out;
  for_each_run(pids, [&](std::int32_t first, std::int32_t last) {
    if (!out.empty()) out += ',';
    out += std::to_string(first);
    if (last != first) out += '-' + run_end(std::to_string(first), std::to_string(last));
  });
  return out;
}

std::string folded_hosts(const std::set<std::string>& hosts) {
  // Names that differ only in a number of the same width fold into one bracket.
  std::map<std::tuple<std::string, std::string, std::size_t>, std::vector<long>> families;
  for (const auto& raw : hosts) {
    const HostName name = split_host(printable(raw));
    auto& numbers = families[{name.before, name.after, name.digits.size()}];
    if (!name.digits.empty()) numbers.push_back(std::stol(name.digits));
  }
  std::string out;
  for (auto& [family, numbers] : families) {
    const auto& [before, after, digits] = family;
    if (!out.empty()) out += ',';
    if (numbers.empty()) {
      out += before + after;
      continue;
    }
    std::sort(numbers.begin(), numbers.end());
    std::string list;
    for_each_run(numbers, [&, width = digits](long first, long last) {
      if (!list.empty()) list += ',';
      list += fmt::format("{:0{}}", first, width);
      if (last != first) list += fmt::format("-{:0{}}", last, width);
    });
    const bool many = numbers.size() > 1;
    out += fmt::format("{}{}{}{}{}", before, many ? "[" : "", list, many ? "]" : "", after);
  }
  return out;
}

std::string fitting_list(const std::string& folded, std::size_t count, int width) {
  const std::string tail = fmt::format("… ({})", count);
  const int room = std::max(width - columns(tail), 1);
  if (columns(folded) <= std::max(width, room + 1)) return folded;
  std::string head = cut_end(folded, room + 1);
  head.erase(head.size() - std::string_view("…").size());
  const std::size_t comma = head.rfind(',');
  if (comma != std::string::npos) head.resize(comma + 1);
  return head + tail;
}

std::string ranks_in_words(const model::RankSet& ranks, int width) {
  if (ranks.empty()) return {};
  const char* word = ranks.size() == 1 ? "rank " : "ranks ";
  return word + fitting_list(ranks.folded(), ranks.size(), width - 6);
}

std::string short_time(double microseconds) {
  if (!std::isfinite(microseconds) || microseconds < 0) return "?";
  if (microseconds < 1000) return fmt::format("{:.0f} us", microseconds);
  if (microseconds < 1e6) return fmt::format("{:.1f} ms", microseconds / 1e3);
  return fmt::format("{:.1f} s", microseconds / 1e6);
}

std::string counted(std::size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string utc_time(std::int64_t unix_s) {
  std::tm utc{};
  const std::time_t time = unix_s;
  if (gmtime_r(&time, &utc) == nullptr) return "at an unknown time";
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                     utc.tm_hour, utc.tm_min, utc.tm_sec);
}

}  // namespace hangstack::report
