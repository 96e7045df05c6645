#include "sampler/discover/scan.h"

#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

#include "model/write_all.h"
#include "sampler/child_process.h"
#include "sampler/proc/environment.h"
#include "sampler/proc/living_thread.h"
#include "sampler/proc/stat.h"

namespace hangstack::sampler {
namespace {

constexpr std::size_t kMaxText = 1UL << 20;
constexpr std::size_t kMaxThreadNames = 4096;

/// What the reading child sends for each pid: this, then the two texts.
struct Header {
  std::int32_t pid = 0;
  std::uint32_t command_line_size = 0;
  std::uint32_t environment_size = 0;
  bool environment_read = false;
  bool maps_torch = false;
  bool communicates = false;
};

/// Threads that take part in communication: NCCL's watchdog and monitor (torch 2.5 on), gloo's loops. The store's
/// server thread is none of them: torchrun's agent has it too.
bool is_communication_thread(std::string_view name) {
  static constexpr std::array kNames{"pt_nccl_watchdg", "pt_nccl_heartbt", "pt_gloo_runloop",
                                     "gloo_tcp_loop",   "gloo_uv_loop",    "gloo_ib_loop"};
  return std::ranges::find(kNames, name) != kNames.end();
}

bool has_communication_thread(const ProcFiles& proc, std::int32_t pid) {
  const auto tids = proc.list_numbers(fmt::format("{}/task", pid));
  if (!tids) return false;
  std::array<char, 64> buffer{};
  std::size_t left = kMaxThreadNames;
  for (const std::int32_t tid : *tids) {
    if (left-- == 0) break;
    const auto name = proc.read_once(fmt::format("{}/task/{}/comm", pid, tid), buffer);
    if (name && is_communication_thread(name->substr(0, name->find('\n')))) return true;
  }
  return false;
}

/// Runs in the child: what it reads here may block for good.
bool send_facts(const ProcFiles& proc, std::int32_t pid, int fd) {
  Header header;
  header.pid = pid;
  const std::string command_line = read_of_living(proc, pid, "cmdline", kMaxText).value_or("");
  const auto environment = read_of_living(proc, pid, "environ", kMaxText);
  std::string allowed;
  if (!environment) header.communicates = has_communication_thread(proc, pid);
  if (environment) {
    header.environment_read = true;
    const Variables variables = parse_environment(*environment);
    if (!claim_from_environment(variables)) header.communicates = has_communication_thread(proc, pid);
    for (const auto& [name, value] : variables) allowed += name + '=' + value + '\0';
  }
  if (classify_command(parse_command_line(command_line), "") == CommandKind::spawn_child)
    header.maps_torch =
        read_of_living(proc, pid, "maps", 8 * kMaxText).value_or("").find("/libtorch") != std::string::npos;
  header.command_line_size = static_cast<std::uint32_t>(command_line.size());
  header.environment_size = static_cast<std::uint32_t>(allowed.size());
  const std::string_view head(reinterpret_cast<const char*>(&header), sizeof(header));
  return model::write_all(fd, head) && model::write_all(fd, command_line) && model::write_all(fd, allowed);
}

/// A child process that reads some pids, in their order.
class ReadingChild {
 public:
  ReadingChild(const ProcFiles& proc, std::span<const std::int32_t> pids)
      : child_(ChildProcess::start([&proc, pids](int pipe) {
          for (const std::int32_t pid : pids)
            if (!send_facts(proc, pid, pipe)) return;
        })) {}

  ReadingChild(const ReadingChild&) = delete;
  ReadingChild& operator=(const ReadingChild&) = delete;

  // A child that waits for a lock it cannot be killed out of must not hold the reader up.
  ~ReadingChild() {
    if (child_) child_->kill(50);
  }

  /// The facts of the next pid, into `facts`; false at the end, or when nothing comes for `patience`.
  bool receive(ProcessFacts& facts, std::chrono::milliseconds patience) {
    if (!child_) return false;
    Header header;
    if (!fill(reinterpret_cast<char*>(&header), sizeof(header), patience)) return false;
    if (header.command_line_size > kMaxText || header.environment_size > 2 * kMaxText) return false;
    std::string command_line(header.command_line_size, '\0');
    std::string environment(header.environment_size, '\0');
    if (!fill(command_line.data(), command_line.size(), patience)) return false;
    if (!fill(environment.data(), environment.size(), patience)) return false;
    facts.pid = header.pid;
    facts.command_line = parse_command_line(command_line);
    facts.environment = parse_environment(environment);
    facts.environment_read = header.environment_read;
    facts.maps_torch = header.maps_torch;
    facts.communicates = header.communicates;
    return true;
  }

 private:
  bool fill(char* into, std::size_t size, std::chrono::milliseconds patience) {
    while (size > 0) {
      pollfd ready{child_->pipe(), POLLIN, 0};
      const int polled = ::poll(&ready, 1, static_cast<int>(patience.count()));
      if (polled < 0 && errno == EINTR) continue;
      if (polled <= 0) return false;
      const ssize_t got = ::read(child_->pipe(), into, size);
      if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (got <= 0) return false;
      into += got;
      size -= static_cast<std::size_t>(got);
    }
    return true;
  }

  model::Expected<ChildProcess> child_;
};

}  // namespace

ProcessTree read_tree(const ProcFiles& proc) {
  std::array<char, HOST_NAME_MAX + 1> host{};
  ::gethostname(host.data(), host.size() - 1);
  ProcessTree tree(host.data());
  std::array<char, 4096> buffer{};
  for (const std::int32_t pid : proc.list_numbers("").value_or(std::vector<std::int32_t>{})) {
    const auto text = proc.read_once(fmt::format("{}/stat", pid), buffer);
    if (!text) continue;
    const auto stat = parse_stat(*text);
    if (!stat || (stat->flags & kTaskKernel) != 0) continue;
    ProcessFacts facts;
    facts.pid = pid;
    facts.parent_pid = stat->parent_pid;
    facts.comm = stat->comm;
    facts.ended = stat->state == 'Z' || stat->state == 'X';
    facts.kernel_state = stat->state;
    facts.cpu_ticks = stat->user_ticks + stat->system_ticks;
    facts.thread_count = stat->thread_count;
    tree.add(std::move(facts));
  }
  return tree;
}

void read_facts(const ProcFiles& proc, std::span<const std::int32_t> pids, ProcessTree& tree,
                std::chrono::milliseconds patience) {
  const ReapableChildren reapable;
  while (!pids.empty()) {
    ReadingChild child(proc, pids);
    std::size_t done = 0;
    for (; done < pids.size(); ++done) {
      const ProcessNode* node = tree.find(pids[done]);
      ProcessFacts facts = node == nullptr ? ProcessFacts{} : node->facts;
      if (!child.receive(facts, patience)) break;
      if (node != nullptr) tree.add(std::move(facts));
    }
    pids = pids.subspan(std::min(done + 1, pids.size()));
  }
}

}  // namespace hangstack::sampler
