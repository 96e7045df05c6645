#include "ingest/logs/log_time.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "ingest/text.h"

namespace hangstack::ingest {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;
constexpr std::int64_t kSecondsPerDay = 86'400;

/// `count` digits at `at`; -1 if they are not there.
int digits(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return -1;
  int number = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    if (!is_digit(text[i])) return -1;
    number = number * 10 + (text[i] - '0');
  }
  return number;
}

struct Clock {
  int seconds = -1;  ///< of the day
  std::int64_t fraction_ns = 0;
};

/// "23:13:23", "23:13:23.038434997", "23:13:23,038" at `at`.
Clock clock_at(std::string_view text, std::size_t at) {
  const int hour = digits(text, at, 2);
  const int minute = digits(text, at + 3, 2);
  const int second = digits(text, at + 6, 2);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) return {};
  if (text[at + 2] != ':' || text[at + 5] != ':') return {};
  Clock clock{hour * 3600 + minute * 60 + second, 0};
  std::size_t i = at + 8;
  if (i >= text.size() || (text[i] != '.' && text[i] != ',')) return clock;
  std::int64_t unit = kNsPerSecond / 10;
  for (++i; i < text.size() && is_digit(text[i]) && unit > 0; ++i, unit /= 10)
    clock.fraction_ns += (text[i] - '0') * unit;
  return clock;
}

/// Days since 1970; none if there is no such day.
std::optional<std::int64_t> days_of(int year, int month, int day) {
  if (month < 1 || day < 1) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

std::optional<LogTime> time_of(std::optional<std::int64_t> days, const Clock& clock, std::string date) {
  if (!days || clock.seconds < 0) return std::nullopt;
  LogTime time;
  time.ns = (*days * kSecondsPerDay + clock.seconds) * kNsPerSecond + clock.fraction_ns;
  const int s = clock.seconds;
  time.text = fmt::format("{} {:02}:{:02}:{:02}", date, s / 3600, s / 60 % 60, s % 60);
  if (clock.fraction_ns > 0) time.text += fmt::format(".{:03}", clock.fraction_ns / 1'000'000);
  return time;
}

/// "2026-11-30 23:13:23"
std::optional<LogTime> with_year(std::string_view text, std::size_t at) {
  const int year = digits(text, at, 4);
  const int month = digits(text, at + 5, 2);
  const int day = digits(text, at + 8, 2);
  if (year < 1970 || year > 2200 || month < 0 || day < 0 || text[at + 4] != '-' || text[at + 7] != '-')
    return std::nullopt;
  if (at + 10 >= text.size() || (text[at + 10] != ' ' && text[at + 10] != 'T' && text[at + 10] != '_'))
    return std::nullopt;
  return time_of(days_of(year, month, day), clock_at(text, at + 11),
                 fmt::format("{:04}-{:02}-{:02}", year, month, day));
}

/// "E1130 23:13:23.038": a letter, month and day. PyTorch writes no zero before the month, "E321".
std::optional<LogTime> of_glog(std::string_view text, std::size_t at, std::int64_t modified_unix_ns) {
  if (std::string_view("IWEFCVD").find(text[at]) == std::string_view::npos) return std::nullopt;
  if (at > 0 && text[at - 1] != '[' && text[at - 1] != ' ' && text[at - 1] != ':') return std::nullopt;
  const std::size_t wide = digits(text, at + 1, 4) >= 0 ? 2 : 1;
  const int month = digits(text, at + 1, wide);
  const int day = digits(text, at + 1 + wide, 2);
  const std::size_t blank = at + 3 + wide;
  if (month < 1 || day < 1 || blank >= text.size() || text[blank] != ' ') return std::nullopt;
  const Clock clock = clock_at(text, blank + 1);
  const std::int64_t latest = modified_unix_ns / kNsPerSecond / kSecondsPerDay + 1;
  int year = 1970;
  if (modified_unix_ns > 0) {
    const std::chrono::sys_days limit{std::chrono::days(latest)};
    year = static_cast<int>(std::chrono::year_month_day(limit).year());
    if (const auto days = days_of(year, month, day); days && *days > latest) --year;
  }
  return time_of(days_of(year, month, day), clock, fmt::format("{:02}-{:02}", month, day));
}

/// "Mon Nov 30 23:13:23 2026"
std::optional<LogTime> of_dmesg(std::string_view text, std::size_t at) {
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  if (text[at] != '[' || at + 25 >= text.size() || text[at + 25] != ']') return std::nullopt;
  const auto month = kMonths.find(text.substr(at + 5, 3));
  if (month == std::string_view::npos || month % 3 != 0) return std::nullopt;
  const int day = text[at + 9] == ' ' ? digits(text, at + 10, 1) : digits(text, at + 9, 2);
  const int year = digits(text, at + 21, 4);
  const int number = static_cast<int>(month / 3) + 1;
  return time_of(days_of(year, number, day), clock_at(text, at + 12),
                 fmt::format("{:04}-{:02}-{:02}", year, number, day));
}

}  // namespace

std::optional<LogTime> time_in(std::string_view line, std::int64_t modified_unix_ns) {
  line = line.substr(0, 200);
  for (std::size_t at = 0; at + 12 < line.size(); ++at) {
    if (line[at] == '[')
      if (auto found = of_dmesg(line, at)) return found;
    if (is_digit(line[at]) && (at == 0 || !is_digit(line[at - 1])))
      if (auto found = with_year(line, at)) return found;
    if (line[at] >= 'A' && line[at] <= 'Z' && is_digit(line[at + 1]))
      if (auto found = of_glog(line, at, modified_unix_ns)) return found;
  }
  return std::nullopt;
}

}  // namespace hangstack::ingest
