#include "ingest/ingest.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "ingest/content.h"
#include "ingest/document/pickle.h"
#include "ingest/lines/encoding.h"
#include "ingest/logs/call_log.h"
#include "ingest/logs/log.h"
#include "ingest/ras/ras_reply.h"
#include "ingest/stacks/stack_dump.h"
#include "ingest/text.h"

namespace hangstack::ingest {
namespace {

using model::ErrorCode;
using model::ProcessHistory;
using model::ProcessSnapshot;

constexpr std::int64_t kNsPerMs = 1'000'000;
constexpr std::int64_t kUsualTimeout_ms = 1'800'000;  // gloo's; NCCL's is 600,000

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

/// In containers many processes have one pid: those with other command lines are told apart.
std::string command_of(const StackDump& dump) { return dump.command_line.empty() ? "" : dump.command_line.front(); }

/// A worker of a DataLoader, whose dump may lie beside its rank's.
template <typename Process>
bool feeds(const Process& process) {
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

/// Of several processes, those but one are what the first one has started: py-spy's --subprocesses.
bool are_one_rank(const std::vector<StackDump>& dumps) {
  return std::ranges::all_of(dumps, [&](const StackDump& dump) {
    const auto parent = std::ranges::find(dumps, dump.parent_pid, &StackDump::pid);
    return dump.pid == dumps.front().pid || (dump.parent_pid != 0 && parent != dumps.end()) || feeds(dump);
  });
}

/// Whether its text begins as one of the kinds of dumps, or has lines of one.
bool is_of_a_kind(const Stream& stream) {
  const std::string_view text = stream.text;
  const bool stacks = looks_like_json_list(text) || looks_like_stacks(text);
  return stacks || text.starts_with('{') || looks_like_ras(text) || looks_like_log(text, stacks) || refusal_in(text);
}

}  // namespace

bool Importer::say(const std::string& name, std::string_view what, std::string fix) {
  problems_.push_back({"file", name, {ErrorCode::malformed_input, fmt::format("{}: {}", name, what), std::move(fix)}});
  return false;
}

void Importer::add(const DumpFile& file) {
  if (looks_like_pickle(file.bytes)) {
    Part whole{&file, {}};
    whole.stream.text = file.bytes;
    add_part(whole);
    return;
  }
  std::vector<Stream> streams = split_by_prefix(as_lines(file.bytes));
  std::set<std::string> tasks;
  for (const Stream& stream : streams)
    if (!stream.label.empty()) tasks.insert(stream.label);
  if (file.rank && tasks.size() > 1) {
    say(file.name,
        fmt::format("it has lines of {} tasks (by the prefix {} and others): it cannot be of rank {} alone",
                    tasks.size(), *tasks.begin(), *file.rank),
        fmt::format("give it without the rank: the lines' prefixes tell whose they are ({})", file.name));
    return;
  }
  if (streams.empty()) streams.emplace_back();
  const std::size_t before = problems_.size();
  bool used = false;
  // Of several tasks some may have written nothing that matters: not worth a word where others have.
  if (streams.size() > 1 && std::ranges::any_of(streams, is_of_a_kind))
    std::erase_if(streams, [](const Stream& stream) { return !is_of_a_kind(stream); });
  for (Stream& stream : streams) used = add_part({&file, std::move(stream)}) || used;
  if (!used && problems_.size() == before) say(file.name, "nothing in it is a dump", "see hangstack explain dumps");
}

bool Importer::add_part(const Part& part) {
  // A rank that has a file, and none that could be read, is not among those that were.
  const bool used = read(part);
  if (const auto rank = rank_of(part).rank; !used && rank) lost_[*rank] = problems_.back().error;
  return used;
}

Importer::PartRank Importer::rank_of(const Part& part) {
  if (part.file->rank) return {part.file->rank, "the command line"};
  if (part.stream.rank) return {part.stream.rank, "the prefix of its lines"};
  if (const auto rank = rank_in_name(part.file->name)) return {rank, "the file's name"};
  return {};
}

bool Importer::read(const Part& part) {
  const std::string_view text = part.stream.text;
  if (looks_like_ras(text)) return add_ras(part);
  if (looks_like_call_log(text)) return add_call_log(part);
  if (looks_like_error_file(text)) return add_log(part);
  const bool stacks = looks_like_json_list(text) || looks_like_stacks(text);
  if (looks_like_log(text, stacks)) {
    if (!stacks) return add_log(part);
    // A log that faulthandler has written to.
    const std::size_t said = problems_.size();
    if (!add_log(part)) problems_.resize(said);
  }
  return stacks ? add_stacks(part) : add_recorder(part);
}

bool Importer::add_recorder(const Part& part) {
  const DumpFile& file = *part.file;
  auto dump = read_flight_recorder_dump(part.stream.text);
  if (!dump) {
    const auto refusal = refusal_in(part.stream.text);
    const model::Error& why = refusal ? *refusal : dump.error();
    return say(file.name, why.message, why.fix);
  }
  auto [rank, source] = rank_of(part);
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

bool Importer::add_ras(const Part& part) {
  const DumpFile& file = *part.file;
  auto report = read_ras_reply(part.stream.text);
  if (!report) return say(file.name, report.error().message, report.error().fix);
  model::RasRecord& record = ras_.emplace_back();
  record.reply.status = model::RecordStatus::ok;
  record.reply.address = file.name;
  record.reply.read_at_unix_ns = file.modified_unix_ns;
  record.report = std::move(*report);
  return true;
}

bool Importer::add_stacks(const Part& part) {
  const DumpFile& file = *part.file;
  const std::string& text = part.stream.text;
  auto dumps = looks_like_json_list(text) ? read_py_spy_json(text) : read_stacks(text);
  if (!dumps) {
    const auto refusal = refusal_in(text);
    const model::Error& why = refusal ? *refusal : dumps.error();
    return say(file.name, why.message, why.fix);
  }
  auto [rank, source] = rank_of(part);
  const std::int32_t first = dumps->front().pid;
  // A name that ends in the pid tells no rank.
  if (!file.rank && !part.stream.rank && rank && dumps->front().pid_told && *rank == first) rank.reset();
  if (file.rank && !are_one_rank(*dumps))
    return say(file.name,
               fmt::format("it holds the stacks of several processes (pids {} and {}): they cannot all be rank {}",
                           first, dumps->back().pid, *file.rank),
               "split it by process, or give it without the rank: each pid is a process then");
  // Without a rank, two nodes may have printed the same.
  if (rank && !contents_.emplace(*rank, std::hash<std::string>{}(text)).second)
    return say(file.name, "it holds what another file of the rank held already", "give each dump once");
  if (rank && is_of_another(*rank, dumps->front())) {
    say(file.name,
        fmt::format("rank {} has the pid {} in it, and another one in a file before it: taken for a process of "
                    "its own",
                    *rank, first),
        "give each rank's files as RANK=FILE, and two jobs by a call each");
    rank.reset();
  }
  const std::string name =
      part.stream.label.empty() ? file.name : fmt::format("{} [{}]", file.name, printable_name(part.stream.label));
  for (StackDump& dump : *dumps) {
    if (dump.not_read > 0) {
      say(file.name,
          fmt::format("{} line{} of it {} no frame of {}: the first is line {}", dump.not_read,
                      dump.not_read == 1 ? "" : "s", dump.not_read == 1 ? "is" : "are", dump.tool,
                      line_in_file(part.stream, dump.first_not_read)),
          "the other lines are used");
    }
    // Of several processes in the file of one rank, the first is the rank.
    const Whose whose = rank && dump.pid == first
                            ? Whose{rank, 0, {}}
                            : Whose{std::nullopt, dump.pid, dump.pid_told && dump.pid != 1 ? command_of(dump) : name};
    if (whose.rank) rank_sources_[whose] = source;
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
  if (processes.empty() && alone.empty()) add_logged_ranks(processes);
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
  std::ranges::stable_sort(logs_, {}, &model::LogEvent::time_ns);
  imported.snapshot.logs = std::move(logs_);
  std::ranges::stable_sort(call_logs_, {}, [](const auto& log) { return std::tie(log.group, log.rank); });
  imported.snapshot.call_logs = std::move(call_logs_);
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

}  // namespace hangstack::ingest
