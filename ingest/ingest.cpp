#include "ingest/ingest.h"

#include <fmt/core.h>

#include <algorithm>
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
  if (json) return begin.find("\"nccl_version\"") != std::string_view::npos;
  return begin.starts_with("NCCL version ") && begin.find("Job summary") != std::string_view::npos;
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

void Importer::say(const std::string& name, std::string_view what, std::string fix) {
  problems_.push_back({"file", name, {ErrorCode::malformed_input, fmt::format("{}: {}", name, what), std::move(fix)}});
}

void Importer::add(const DumpFile& file) {
  if (looks_like_ras(file.bytes)) return add_ras(file);
  if (file.bytes.starts_with('[') || looks_like_stacks(file.bytes)) return add_stacks(file);
  add_recorder(file);
}

void Importer::add_recorder(const DumpFile& file) {
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
}

void Importer::add_ras(const DumpFile& file) {
  auto report = read_ras_reply(file.bytes);
  if (!report) return say(file.name, report.error().message, report.error().fix);
  model::RasRecord& record = ras_.emplace_back();
  record.reply.status = model::RecordStatus::ok;
  record.reply.address = file.name;
  record.reply.read_at_unix_ns = file.modified_unix_ns;
  record.report = std::move(*report);
}

void Importer::add_stacks(const DumpFile& file) {
  const bool json = file.bytes.starts_with('[');
  auto dumps = json ? read_py_spy_json(file.bytes) : read_stacks(file.bytes);
  if (!dumps) return say(file.name, dumps.error().message, dumps.error().fix);
  auto rank = file.rank;
  if (!rank) rank = rank_in_name(file.name);
  const std::int32_t first = dumps->front().pid;
  for (StackDump& dump : *dumps) {
    if (dump.not_read > 0) {
      say(file.name,
          fmt::format("{} line{} of it {} no frame of {}: the first is line {}", dump.not_read,
                      dump.not_read == 1 ? "" : "s", dump.not_read == 1 ? "is" : "are", dump.tool, dump.first_not_read),
          "the other lines are used");
    }
    // Of several processes in the file of one rank, the first is the rank.
    const Whose whose = rank && dump.pid == first ? Whose{rank, 0} : Whose{std::nullopt, dump.pid};
    if (whose.rank) rank_sources_[whose] = file.rank ? "the command line" : "the file's name";
    stacks_[whose].push_back({file.name, std::move(dump)});
  }
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
  for (auto& record : ras_) {
    for (const auto& process : imported.snapshot.processes)
      if (const auto pid = process.last().pid; pid != 0) record.reply.pids.push_back(pid);
    std::ranges::sort(record.reply.pids);
  }
  imported.snapshot.ras = std::move(ras_);
  imported.problems = std::move(problems_);
  return imported;
}

void Importer::add_threads(Processes& processes, std::vector<ProcessHistory>& alone) {
  for (auto& [whose, files] : stacks_) {
    std::vector<ProcessSnapshot> samples = join_stacks(std::move(files));
    ProcessHistory* history = nullptr;
    if (whose.rank) {
      const auto known =
          std::ranges::find_if(processes, [&](const auto& each) { return each.first.second == *whose.rank; });
      history = known != processes.end() ? &known->second : &processes[{World{}, *whose.rank}];
    } else {
      history = &alone.emplace_back();
    }
    for (ProcessSnapshot& sample : samples) {
      sample.identity.rank = whose.rank;
      sample.identity.role = launches(sample) ? model::Role::launcher : model::Role::rank;
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
    return say(read.name, fmt::format("rank {} is in {} already", read.rank, process.dump),
               "give one dump of each rank and backend, and two jobs by a call each");
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
