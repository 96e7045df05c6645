#include "sampler/proc/schedule.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "sampler/proc/fields.h"

namespace hangstack::sampler {
namespace {

constexpr std::size_t kMaxProcessors = 8192;  // NR_CPUS of x86-64 (arch/x86/Kconfig)

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

std::vector<double> parse_stood_still_ms(std::string_view stat, double ms_per_tick) {
  std::vector<double> by_processor;
  Lines lines(stat);
  while (const auto line = lines.next()) {
    if (!line->starts_with("cpu")) break;
    Fields fields(line->substr(3));
    const auto processor = number_from<std::size_t>(line->starts_with("cpu ") ? std::string_view() : fields.word());
    if (!processor || *processor >= kMaxProcessors) continue;
    // user nice system idle iowait irq softirq steal
    std::array<std::uint64_t, 8> ticks{};
    const bool whole = std::ranges::all_of(ticks, [&](std::uint64_t& tick) {
      const auto value = fields.number<std::uint64_t>();
      tick = value.value_or(0);
      return value.has_value();
    });
    if (!whole) continue;
    if (by_processor.size() <= *processor) by_processor.resize(*processor + 1);
    by_processor[*processor] = static_cast<double>(ticks[5] + ticks[6] + ticks[7]) * ms_per_tick;
  }
  return by_processor;
}

RunQueueClock::RunQueueClock(const ProcFiles& proc) {
  std::array<char, 16384> buffer;
  // The kernel writes exec_start of a running thread when it is put on a processor: a nap makes that now.
  const timespec nap{0, 1000};
  ::nanosleep(&nap, nullptr);
  base_ns_ = monotonic_ns();
  const int before = ::sched_getcpu();
  const auto sched = proc.read_once("self/sched", buffer);
  if (!sched) return;
  base_ms_ = parse_exec_start_ms(*sched);
  // Moved to another processor meanwhile: it is not known which clock was read.
  if (::sched_getcpu() == before) base_processor_ = before;
  if (const auto stat = proc.read("stat", 1UL << 20))
    stood_still_ms_ = parse_stood_still_ms(*stat, 1000.0 / static_cast<double>(::sysconf(_SC_CLK_TCK)));
}

std::optional<double> RunQueueClock::asleep_s(double exec_start_ms, int processor) const {
  if (!base_ms_) return std::nullopt;
  const double since_base_ms = static_cast<double>(monotonic_ns() - base_ns_) / 1e6;
  double asleep_ms = *base_ms_ + since_base_ms - exec_start_ms;
  const auto known = [&](int number) {
    return number >= 0 && static_cast<std::size_t>(number) < stood_still_ms_.size();
  };
  if (known(processor) && known(base_processor_)) {
    const double behind_ms = stood_still_ms_[static_cast<std::size_t>(processor)] -
                             stood_still_ms_[static_cast<std::size_t>(base_processor_)];
    asleep_ms = std::min(asleep_ms, asleep_ms - behind_ms);
  }
  return std::max(asleep_ms, 0.0) / 1000;
}

}  // namespace hangstack::sampler
