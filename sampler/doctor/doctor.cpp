#include "sampler/doctor.h"

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <chrono>

#include "model/write_all.h"
#include "sampler/child_process.h"
#include "sampler/proc/fields.h"

namespace hangstack::sampler {
namespace {

constexpr std::size_t kMaxBytes = 4UL << 20;

/// A check as five NUL-terminated pieces: none of them can hold a NUL, since they come from paths and /proc texts.
std::string packed(const Check& check) {
  std::string text;
  for (const std::string& piece :
       {check.name, std::to_string(check.pid), std::string(check.ok ? "1" : "0") + (check.needed ? "1" : "0"),
        check.finding, check.fix}) {
    text += piece.c_str();
    text += '\0';
  }
  return text;
}

/// Whole checks only: the last may be cut.
std::vector<Check> unpacked(std::string_view text) {
  std::vector<Check> checks;
  std::array<std::string_view, 5> pieces;
  for (std::size_t count = 0;; ++count) {
    if (count == pieces.size()) {
      checks.push_back({.name = std::string(pieces[0]),
                        .pid = number_from<std::int32_t>(pieces[1]).value_or(0),
                        .ok = pieces[2].starts_with('1'),
                        .needed = pieces[2].ends_with('1'),
                        .finding = std::string(pieces[3]),
                        .fix = std::string(pieces[4])});
      count = 0;
    }
    const std::size_t end = text.find('\0');
    if (end == std::string_view::npos) return checks;
    pieces[count] = text.substr(0, end);
    text.remove_prefix(end + 1);
  }
}

std::vector<Check> examine_in_child(const ProcFiles& proc, std::int32_t pid, std::chrono::milliseconds deadline) {
  const ReapableChildren reapable;
  auto child = ChildProcess::start([&](int pipe) {
    examine_process(proc, pid, [pipe](const Check& check) {
      if (!model::write_all(pipe, packed(check))) ::_exit(1);
    });
  });
  if (!child)
    return {{.name = "access", .pid = pid, .needed = true, .finding = child.error().message, .fix = child.error().fix}};
  std::string text;
  const bool done = child->read_until(std::chrono::steady_clock::now() + deadline, kMaxBytes, text);
  child->kill(100);
  std::vector<Check> checks = unpacked(text);
  if (!done || checks.empty())
    checks.push_back(
        {.name = "answers",
         .pid = pid,
         .needed = true,
         .finding = fmt::format("reading pid {} did not end within {} ms: a lock of its memory is held, or one "
                                "of its files is on a server that does not answer",
                                pid, deadline.count()),
         .fix = fmt::format("hangstack --pids {} reports what does not need that lock", pid)});
  return checks;
}

}  // namespace

std::vector<Check> examine(const ProcFiles& proc, std::span<const std::int32_t> pids,
                           std::chrono::milliseconds deadline) {
  std::vector<Check> checks = examine_host(proc);
  for (const std::int32_t pid : pids)
    for (Check& check : examine_in_child(proc, pid, deadline)) checks.push_back(std::move(check));
  return checks;
}

}  // namespace hangstack::sampler
