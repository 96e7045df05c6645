#include "ingest/ingest.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "ingest/ras/ras_reply.h"
#include "ingest/stacks/stack_dump.h"
#include "model/file_path.h"

namespace hangstack::ingest {
namespace {

using model::ErrorCode;
using model::ProcessHistory;
using model::ProcessSnapshot;

constexpr int kMaxRank = 1 << 20;
constexpr std::int64_t kNsPerMs = 1'000'000;
constexpr std::int64_t kUsualTimeout_ms = 1'800'000;  // gloo's; NCCL's is 600,000

std::optional<int> number_at(std::string_view text) {
  int number = 0;
  std::size_t digits = 0;
  for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
    number = number * 10 + (text[digits] - '0');
    if (number > kMaxRank) return std::nullopt;
  }
  return digits == 0 ? std::nullopt : std::optional(number);
}

bool only_a_suffix_follows(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789");
  return end == std::string_view::npos || text[end] == '.';
}

std::set<std::string> backends_of(const model::FlightRecorder& recorder) {
  std::set<std::string> backends;
  for (const auto& operation : recorder.operations) backends.insert(operation.backend);
  return backends;
}

/// See import_dumps().
std::int64_t written_at(const FlightRecorderDump& dump, std::int64_t modified_unix_ns) {
  std::int64_t timeout_ms = 0;
  for (const auto& operation : dump.recorder.operations) timeout_ms = std::max(timeout_ms, operation.timeout_ms);
  if (timeout_ms <= 0 || timeout_ms > 100 * kUsualTimeout_ms) timeout_ms = kUsualTimeout_ms;
  const bool plausible = dump.latest_unix_ns > 0 && modified_unix_ns >= dump.latest_unix_ns &&
                         modified_unix_ns - dump.latest_unix_ns <= 2 * timeout_ms * kNsPerMs;
  return plausible ? modified_unix_ns : dump.latest_unix_ns;
}

/// Only if there are several.
void name_jobs(std::map<std::pair<std::vector<std::uint64_t>, int>, ProcessHistory>& processes) {
  std::map<std::vector<std::uint64_t>, std::string> names;
  for (const auto& [place, process] : processes)
    names.try_emplace(place.first, fmt::format("world {} of {} ranks", names.size() + 1, place.first.size()));
  if (names.size() < 2) return;
  for (auto& [place, process] : processes)
    for (ProcessSnapshot& sample : process.samples) sample.identity.job_key = names[place.first];
}

/// The text says so, as does the JSON.
bool looks_like_ras(std::string_view bytes) {
  const auto begin = bytes.substr(0, 4096);
  if (begin.starts_with("SERVER PROTOCOL ")) return true;
  const bool json = begin.find_first_not_of(" \t\r\n") == begin.find('{');
  // A flight recorder tells NCCL's version too.
  const auto has = [&](std::string_view key) { return begin.find(key) != std::string_view::npos; };
  if (json) return has("\"nccl_version\"") && !has("\"entries\"") && !has("\"pg_config\"") && !has("\"version\"");
  return begin.starts_with("NCCL version ") && begin.find("Job summary") != std::string_view::npos;
}

/// gdb's "[New LWP 7]" and the "[rank0]:" of logs begin with a bracket too.
bool looks_like_json_list(std::string_view bytes) {
  const auto open = bytes.find_first_not_of(" \t\r\n");
  if (open == std::string_view::npos || bytes[open] != '[') return false;
  const auto next = bytes.find_first_not_of(" \t\r\n", open + 1);
  return next != std::string_view::npos && (bytes[next] == '{' || bytes[next] == ']');
}

/// In containers many processes have one pid: those with other command lines are told apart.
std::string command_of(const StackDump& dump) { return dump.command_line.empty() ? "" : dump.command_line.front(); }

/// A worker of a DataLoader, whose dump may lie beside its rank's.
bool feeds(const ProcessSnapshot& process) {
  for (const auto& thread : process.threads)
    for (const auto& frame : thread.frames)
      if (frame.function == "_worker_loop" && frame.file.ends_with("worker.py")) return true;
  return false;
}

/// torchrun's own process, whose dump may lie beside those of its ranks.
bool launches(const ProcessSnapshot& process) {
  for (const auto& thread : process.threads)
    for (const auto& frame : thread.frames)
      if (frame.file.find("torch/distributed/elastic/") != std::string::npos ||
          frame.file.ends_with("torch/distributed/run.py"))
        return true;
  return false;
}

}  // namespace

bool Importer::say(const std::string& name, std::string_view what, std::string fix) {
  problems_.push_back({"file", name, {ErrorCode::malformed_input, fmt::format("{}: {}", name, what), std::move(fix)}});
  return false;
}

void Importer::add(const DumpFile& file) {
  const auto rank = file.rank ? file.rank : rank_in_name(file.name);
  // A rank that has a file, and none that could be read, is not among those that were.
  if (!read(file) && rank) lost_[*rank] = problems_.back().error;
}

bool Importer::read(const DumpFile& file) {
  if (looks_like_ras(file.bytes)) return add_ras(file);
  if (looks_like_json_list(file.bytes) || looks_like_stacks(file.bytes)) return add_stacks(file);
  return add_recorder(file);
}

bool Importer::add_recorder(const DumpFile& file) {
  auto dump = read_flight_recorder_dump(file.bytes);
  if (!dump) return say(file.name, dump.error().message, dump.error().fix);
  std::string source = "the command line";
  auto rank = file.rank;
  if (!rank) {
    rank = rank_in_name(file.name);
    source = "the file's name";
  }
  if (!rank) {
    rank = dump->rank;
    source = "the groups in the dump";
  }
  if (!rank) {
    return say(file.name,
               "nothing says whose it is: no rank in its name, and its groups do not have one member in common",
               fmt::format("give it as RANK={}", file.name));
  }
  if (const auto* world = dump->recorder.default_group();
      world != nullptr && std::ranges::find(world->ranks, static_cast<std::uint64_t>(*rank)) == world->ranks.end()) {
    return say(
        file.name,
        fmt::format("it should be of rank {} ({}), which is no member of the default group in it", *rank, source),
        "give each file with its own rank: RANK=FILE");
  }
  if (dump->rank && *dump->rank != *rank) {
    say(file.name,
        fmt::format("it was taken for rank {} ({}), but its groups are those of rank {}", *rank, source, *dump->rank),
        fmt::format("if they are right, give it as {}={}", *dump->rank, file.name));
  }
  const std::int64_t written = written_at(*dump, file.modified_unix_ns);
  read_.push_back({file.name, *rank, std::move(source), written, std::move(*dump)});
  return true;
}

bool Importer::add_ras(const DumpFile& file) {
  auto report = read_ras_reply(file.bytes);
  if (!report) return say(file.name, report.error().message, report.error().fix);
  model::RasRecord& record = ras_.emplace_back();
  record.reply.status = model::RecordStatus::ok;
  record.reply.address = file.name;
  record.reply.read_at_unix_ns = file.modified_unix_ns;
  record.report = std::move(*report);
  return true;
}

bool Importer::add_stacks(const DumpFile& file) {
  const bool json = looks_like_json_list(file.bytes);
  auto dumps = json ? read_py_spy_json(file.bytes) : read_stacks(file.bytes);
  if (!dumps) return say(file.name, dumps.error().message, dumps.error().fix);
  auto rank = file.rank;
  const std::int32_t first = dumps->front().pid;
  if (!rank) rank = rank_in_name(file.name);
  // A name that ends in the pid tells no rank.
  if (!file.rank && rank && dumps->front().pid_told && *rank == first) rank.reset();
  // Without a rank, two nodes may have printed the same.
  if (rank && !contents_.emplace(*rank, std::hash<std::string>{}(file.bytes)).second)
    return say(file.name, "it holds what another file of the rank held already", "give each dump once");
  if (rank && is_of_another(*rank, dumps->front())) {
    say(file.name,
        fmt::format("rank {} has the pid {} in it, and another one in a file before it: taken for a process of "
                    "its own",
                    *rank, first),
        "give each rank's files as RANK=FILE, and two jobs by a call each");
    rank.reset();
  }
  for (StackDump& dump : *dumps) {
    if (dump.not_read > 0) {
      say(file.name,
          fmt::format("{} line{} of it {} no frame of {}: the first is line {}", dump.not_read,
                      dump.not_read == 1 ? "" : "s", dump.not_read == 1 ? "is" : "are", dump.tool, dump.first_not_read),
          "the other lines are used");
    }
    // Of several processes in the file of one rank, the first is the rank.
    const Whose whose =
        rank && dump.pid == first
            ? Whose{rank, 0, {}}
            : Whose{std::nullopt, dump.pid, dump.pid_told && dump.pid != 1 ? command_of(dump) : file.name};
    if (whose.rank) rank_sources_[whose] = file.rank ? "the command line" : "the file's name";
    stacks_[whose].push_back({file.name, std::move(dump)});
  }
  return true;
}

/// Of one tool, a process of that rank with another pid is there already.
bool Importer::is_of_another(int rank, const StackDump& dump) const {
  const auto known = stacks_.find({rank, 0, {}});
  if (known == stacks_.end() || !dump.pid_told) return false;
  return std::ranges::any_of(known->second, [&](const StackFile& file) {
    return file.dump.tool == dump.tool && file.dump.pid_told && file.dump.pid != dump.pid;
  });
}

Imported Importer::take() && {
  // Those without a default group, as gloo's are, come to what is known by then.
  std::ranges::stable_partition(read_, [](const Read& read) { return read.dump.recorder.default_group() != nullptr; });
  Processes processes;
  for (Read& read : read_) keep(std::move(read), processes);
  Imported imported;
  std::vector<ProcessHistory> alone;
  add_threads(processes, alone);
  name_jobs(processes);
  for (auto& [place, process] : processes) imported.snapshot.processes.push_back(std::move(process));
  std::ranges::move(alone, std::back_inserter(imported.snapshot.processes));
  std::vector<std::int32_t> pids;
  for (const auto& process : imported.snapshot.processes)
    if (const auto pid = process.last().pid; pid != 0) pids.push_back(pid);
  std::ranges::sort(pids);
  for (auto& record : ras_) record.reply.pids = pids;
  imported.snapshot.ras = std::move(ras_);
  for (auto& [rank, error] : lost_) {
    const bool known = std::ranges::any_of(imported.snapshot.processes,
                                           [&](const auto& process) { return process.last().identity.rank == rank; });
    if (known) continue;
    model::FailedProcess& failed = imported.snapshot.failed.emplace_back();
    failed.identity.rank = rank;
    failed.identity.role = model::Role::rank;
    failed.error = std::move(error);
  }
  imported.problems = std::move(problems_);
  return imported;
}

void Importer::add_threads(Processes& processes, std::vector<ProcessHistory>& alone) {
  std::map<int, ProcessHistory*> by_rank;
  for (auto& [place, process] : processes) {
    if (!by_rank.emplace(place.second, &process).second && stacks_.contains({place.second, 0, {}}))
      say(process.last().dump,
          fmt::format("rank {} is in several jobs: its stacks are taken for one of them", place.second),
          "give each job by a call of its own");
  }
  const World world = processes.empty() ? World{} : processes.begin()->first.first;
  for (auto& [whose, files] : stacks_) {
    std::vector<ProcessSnapshot> samples = join_stacks(std::move(files));
    ProcessHistory* history = nullptr;
    if (whose.rank) {
      const auto known = by_rank.find(*whose.rank);
      history = known != by_rank.end() ? known->second : &processes[{world, *whose.rank}];
    } else {
      history = &alone.emplace_back();
    }
    for (ProcessSnapshot& sample : samples) {
      sample.identity.rank = whose.rank;
      sample.identity.role = launches(sample) ? model::Role::launcher
                             : feeds(sample)  ? model::Role::dataloader_worker
                                              : model::Role::rank;
      if (whose.rank) sample.identity.rank_source = rank_sources_[whose];
    }
    if (!history->samples.empty()) {
      ProcessSnapshot& records = history->samples.back();
      ProcessSnapshot& last = samples.back();
      last.dump += " + " + records.dump;
      last.identity.world_size = records.identity.world_size;
      last.captured_at_unix_ns = records.captured_at_unix_ns;
      last.flight_recorders = std::move(records.flight_recorders);
    }
    history->samples = std::move(samples);
  }
}

void Importer::keep(Read&& read, Processes& processes) {
  World world;
  if (const auto* group = read.dump.recorder.default_group()) world = group->ranks;
  if (world.empty() && !processes.empty()) world = processes.begin()->first.first;
  const auto [place, fresh] = processes.try_emplace({std::move(world), read.rank});
  if (!fresh) return join(std::move(read), place->second.samples.back());
  ProcessSnapshot& process = place->second.samples.emplace_back();
  process.dump = read.name;
  process.captured_at_unix_ns = read.written_unix_ns;
  process.identity.role = model::Role::rank;
  process.identity.rank = read.rank;
  process.identity.rank_source = read.rank_source;
  process.identity.world_size = read.dump.world_size;
  process.flight_recorders.push_back(std::move(read.dump.recorder));
}

void Importer::join(Read&& read, ProcessSnapshot& process) {
  const std::set<std::string> backends = backends_of(read.dump.recorder);
  for (const auto& recorder : process.flight_recorders) {
    const std::set<std::string> known = backends_of(recorder);
    const bool other = std::ranges::none_of(known, [&](const auto& backend) { return backends.contains(backend); });
    if (other && !known.empty() && !backends.empty()) continue;
    say(read.name, fmt::format("rank {} is in {} already", read.rank, process.dump),
        "give one dump of each rank and backend, and two jobs by a call each");
    return;
  }
  process.captured_at_unix_ns = std::max(process.captured_at_unix_ns, read.written_unix_ns);
  process.flight_recorders.push_back(std::move(read.dump.recorder));
}

std::optional<int> rank_in_name(std::string_view path) {
  std::string name(model::base_name(path));
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  const std::string_view text = name;
  for (std::size_t at = text.rfind("rank"); at != std::string_view::npos; at = text.rfind("rank", at - 1)) {
    std::string_view behind = text.substr(at + 4);
    if (behind.starts_with('_') || behind.starts_with('-')) behind.remove_prefix(1);
    if (const auto rank = number_at(behind)) return rank;
    if (at == 0) break;
  }
  const std::size_t line = text.rfind('_');
  if (line == std::string_view::npos || !only_a_suffix_follows(text.substr(line + 1))) return std::nullopt;
  return number_at(text.substr(line + 1));
}

}  // namespace hangstack::ingest
