#include "sampler/proc/schedule.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "sampler/proc/fields.h"

namespace hangstack::sampler {
namespace {

std::int64_t monotonic_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

}  // namespace

std::optional<std::uint64_t> parse_run_count(std::string_view schedstat) {
  if (!schedstat.ends_with('\n')) return std::nullopt;
  schedstat.remove_suffix(1);
  Fields fields(schedstat);
  const auto on_processor_ns = fields.number<std::uint64_t>();
  const auto waited_ns = fields.number<std::uint64_t>();
  const auto count = fields.number<std::uint64_t>();
  if (!on_processor_ns || !waited_ns || !count) return std::nullopt;
  if (*on_processor_ns == 0 && *waited_ns == 0 && *count == 0) return std::nullopt;
  return count;
}

std::optional<double> parse_exec_start_ms(std::string_view sched) {
  // The head of the file is the thread's name, which may hold anything: the line's start makes the match.
  static constexpr std::string_view kKey = "\nse.exec_start ";
  const std::size_t at = sched.find(kKey);
  if (at == std::string_view::npos) return std::nullopt;
  Lines lines(sched.substr(at + 1));
  const auto line = lines.next();
  if (!line) return std::nullopt;
  Fields fields(*line);
  fields.word();
  if (fields.word() != ":") return std::nullopt;
  const std::string_view value = fields.word();
  const std::size_t dot = value.find('.');
  const auto ms = number_from<std::uint64_t>(value.substr(0, dot));
  if (!ms) return std::nullopt;
  double exec_start = static_cast<double>(*ms);
  if (dot != std::string_view::npos) {
    const auto ns = number_from<std::uint32_t>(value.substr(dot + 1));
    if (!ns || *ns > 999'999) return std::nullopt;
    exec_start += *ns / 1e6;
  }
  if (exec_start == 0) return std::nullopt;
  return exec_start;
}

std::optional<RunQueueClock::Reading> RunQueueClock::read_here() const {
  // The kernel writes exec_start of a running thread when it is put on a processor: a nap makes that now.
  const timespec nap{0, 1000};
  ::nanosleep(&nap, nullptr);
  std::array<char, 16384> buffer{};
  const std::int64_t now_ns = monotonic_ns();
  const auto sched = proc_.read_once("thread-self/sched", buffer);
  const auto clock_ms = sched ? parse_exec_start_ms(*sched) : std::nullopt;
  if (!clock_ms) return std::nullopt;
  return Reading{*clock_ms, now_ns};
}

std::optional<RunQueueClock::Reading> RunQueueClock::read_on(int processor) const {
  if (proc_.root() != "/proc") return read_here();
  cpu_set_t before;
  cpu_set_t there;
  CPU_ZERO(&there);
  if (processor < 0 || processor >= CPU_SETSIZE) return std::nullopt;
  CPU_SET(processor, &there);
  if (::sched_getaffinity(0, sizeof before, &before) != 0) return std::nullopt;
  if (::sched_setaffinity(0, sizeof there, &there) != 0) return std::nullopt;
  const auto reading = read_here();
  ::sched_setaffinity(0, sizeof before, &before);
  return reading;
}

std::optional<double> RunQueueClock::asleep_s(double exec_start_ms, int processor) {
  auto known = readings_.find(processor);
  if (known == readings_.end()) known = readings_.emplace(processor, read_on(processor)).first;
  if (!known->second) return std::nullopt;
  const double since_reading_ms = static_cast<double>(monotonic_ns() - known->second->monotonic_ns) / 1e6;
  return std::max(known->second->clock_ms + since_reading_ms - exec_start_ms, 0.0) / 1000;
}

}  // namespace hangstack::sampler
