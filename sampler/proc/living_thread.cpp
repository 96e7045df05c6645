#include "sampler/proc/living_thread.h"

#include <fmt/core.h>

namespace hangstack::sampler {
namespace {

bool is_live(char state) { return state != 'Z' && state != 'X' && state != 'x'; }

}  // namespace

std::int32_t living_thread(const ProcFiles& proc, const Stat& leader) {
  if (is_live(leader.state)) return leader.pid;
  const auto tids = proc.list_numbers(fmt::format("{}/task", leader.pid));
  if (!tids) return 0;
  for (const std::int32_t tid : *tids) {
    if (tid == leader.pid) continue;
    const auto stat = proc.read(fmt::format("{}/task/{}/stat", leader.pid, tid)).and_then(parse_stat);
    if (stat && is_live(stat->state)) return tid;
  }
  return 0;
}

model::Expected<std::string> read_of_living(const ProcFiles& proc, std::int32_t pid, std::string_view name,
                                            std::size_t max_bytes) {
  auto text = proc.read(fmt::format("{}/{}", pid, name), max_bytes);
  if (text && !text->empty()) return text;
  const auto leader = proc.read(fmt::format("{}/stat", pid)).and_then(parse_stat);
  if (!leader) return text;
  const std::int32_t tid = living_thread(proc, *leader);
  if (tid == 0 || tid == pid) return text;
  return proc.read(fmt::format("{}/task/{}/{}", pid, tid, name), max_bytes);
}

}  // namespace hangstack::sampler
