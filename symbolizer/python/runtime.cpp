#include "symbolizer/python/runtime.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <unordered_set>

#include "symbolizer/python/debug_offsets.h"
#include "symbolizer/python/dict.h"
#include "symbolizer/remote_struct.h"

namespace hangstack::symbolizer {
namespace {

using model::MemoryReader;
using model::RemoteAddress;

constexpr std::size_t kMaxInterpreters = 1024;
constexpr std::size_t kMaxThreads = 65536;
constexpr int kOldestMinor = 8;
constexpr int kFirstMinorWithTable = 13;

/// One place where a _PyRuntime may be.
struct Candidate {
  RemoteAddress address;
  Module* module = nullptr;
  std::string path;
};

std::uint64_t pointer_at(MemoryReader& memory, RemoteAddress address) {
  return memory.read<std::uint64_t>(address).value_or(0);
}

/// The threads of an interpreter; none if one of them does not belong to it.
std::optional<std::vector<ThreadState>> read_threads(MemoryReader& memory, const Layout& layout,
                                                     std::uint64_t interpreter, std::uint64_t head) {
  const ThreadLayout& t = layout.thread;
  std::uint64_t size = std::max({t.previous, t.next, t.interpreter, t.thread_id}) + 8;
  if (t.native_thread_id) size = std::max(size, *t.native_thread_id + 8);
  std::vector<ThreadState> threads;
  std::unordered_set<std::uint64_t> seen;
  std::uint64_t before = 0;
  for (std::uint64_t at = head; at != 0 && threads.size() < kMaxThreads && seen.insert(at).second;) {
    const auto state = RemoteStruct::read(memory, RemoteAddress{at}, size);
    // A list that changes while it is read ends here; one that was wrong from the start is no list.
    const bool fits = state && state->u64(t.interpreter) == interpreter && state->u64(t.previous) == before;
    if (!fits) return threads.empty() ? std::nullopt : std::optional(threads);
    threads.push_back({at, state->u64(t.thread_id), t.native_thread_id ? state->u64(*t.native_thread_id) : 0});
    before = at;
    at = state->u64(t.next);
  }
  return threads;
}

/// The file whose memory an address is, its .bss, which no file backs, included: the nearest mapping with a path.
std::string path_before(const model::ProcessCapture& process, RemoteAddress address) {
  auto after = std::ranges::upper_bound(process.mappings, address.value, {}, &model::Mapping::start);
  while (after != process.mappings.begin()) {
    --after;
    if (!after->path.empty()) return after->path;
  }
  return {};
}

/// Every place in a file's copies that holds writable memory.
void add_candidates(std::vector<Candidate>& found, const model::ProcessCapture& process, ProcessModules& modules,
                    const model::MappedFile& file, model::ModuleAddress place) {
  Module& module = modules.module_of(file);
  for (const LoadedModule& copy : modules.copies_of(file)) {
    const RemoteAddress address = copy.to_remote(place);
    const model::Mapping* mapping = modules.mapping_at(address);
    if (mapping == nullptr || !mapping->readable || !mapping->writable) continue;
    // Copies of a file under two names share a module, and are all listed for each.
    if (std::ranges::find(found, address, &Candidate::address) != found.end()) continue;
    found.push_back({address, &module, path_before(process, address)});
  }
}

bool has_python_in(std::string_view path) {
  return path.find("python") != std::string_view::npos || path.find("Python") != std::string_view::npos;
}

/// By the symbol, in the files that `choose` picks.
std::vector<Candidate> find_by_symbol(const model::ProcessCapture& process, ProcessModules& modules,
                                      const auto& choose) {
  std::vector<Candidate> found;
  for (const model::MappedFile& file : modules.files()) {
    if (!choose(file)) continue;
    if (const auto symbol = modules.module_of(file).find_symbol("_PyRuntime")) {
      add_candidates(found, process, modules, file, symbol->address);
    }
  }
  return found;
}

std::vector<Candidate> find_candidates(const model::ProcessCapture& process, ProcessModules& modules) {
  std::vector<Candidate> found;
  for (const model::MappedFile& file : modules.files()) {
    if (const auto section = modules.module_of(file).section(".PyRuntime")) {
      add_candidates(found, process, modules, file, section->start);
    }
  }
  if (!found.empty()) return found;
  // Looking for a symbol reads whole tables: likely files first, and the others only where something is Python's.
  const auto likely = [&process](const model::MappedFile& file) {
    return file.path == process.exe || has_python_in(std::string_view(file.path).substr(file.path.rfind('/') + 1));
  };
  found = find_by_symbol(process, modules, likely);
  if (!found.empty() || std::ranges::none_of(process.mappings, has_python_in, &model::Mapping::path)) return found;
  return find_by_symbol(process, modules, [&likely](const model::MappedFile& file) { return !likely(file); });
}

/// Py_Version is a constant in the file (3.11 on).
std::optional<PythonVersion> version_from_symbol(Module& module) {
  const auto symbol = module.find_symbol("Py_Version");
  std::uint32_t hex = 0;
  if (!symbol) return std::nullopt;
  const auto into = std::as_writable_bytes(std::span<std::uint32_t, 1>(&hex, 1));
  if (module.read(symbol->address, into) != into.size()) return std::nullopt;
  return version_from_hex(hex);
}

/// sys.hexversion, which names the version whatever the file is called. None if there is none.
std::optional<PythonVersion> version_from_sys(MemoryReader& memory, const Layout& layout, const Interpreter& main) {
  if (!layout.interpreter.sys_dict) return std::nullopt;
  const std::uint64_t sys = pointer_at(memory, RemoteAddress{main.address + *layout.interpreter.sys_dict});
  const std::uint64_t value = dict_value(memory, layout, RemoteAddress{sys}, "hexversion");
  const auto number = read_small_int(memory, layout, RemoteAddress{value});
  if (!number || *number < 0 || *number > 0xffffffffLL) return std::nullopt;
  return version_from_hex(static_cast<std::uint32_t>(*number));
}

/// 3.12 and earlier: the layout is fixed by the minor version; its self-check decides when that is not known.
std::optional<Runtime> open_fixed(const Candidate& candidate, MemoryReader& memory) {
  auto named = version_from_symbol(*candidate.module);
  if (!named) named = version_from_path(candidate.path);
  for (int minor = kOldestMinor; minor < kFirstMinorWithTable; ++minor) {
    if (named && named->minor != minor) continue;
    Runtime runtime;
    runtime.layout = *fixed_layout(minor);
    runtime.interpreters = read_interpreters(memory, runtime.layout, candidate.address);
    if (runtime.interpreters.empty()) continue;
    const auto told = version_from_sys(memory, runtime.layout, runtime.interpreters.front());
    if (!named && (!told || told->minor != minor)) continue;
    if (named) runtime.version = *named;
    if (told && told->minor == minor) runtime.version = *told;
    return runtime;
  }
  return std::nullopt;
}

model::Problem problem_of(const Candidate& candidate, model::Error error) {
  error.message = fmt::format("{}: {}", candidate.path, error.message);
  return {"file", candidate.path, std::move(error)};
}

/// Not initialised means silence: such a copy is nobody's interpreter.
bool looks_initialised(const Candidate& candidate, MemoryReader& memory) {
  // interpreters.head lies at 32 or 40 in every version without a table, and interpreters.main behind it.
  const auto mapped = [&memory](std::uint64_t at) {
    return at != 0 && memory.read<std::uint64_t>(RemoteAddress{at}).has_value();
  };
  return mapped(pointer_at(memory, candidate.address + 40));
}

void open_candidate(const Candidate& candidate, MemoryReader& memory, RuntimeSearch& search) {
  std::array<std::byte, kDebugOffsetsBytes> table{};
  const std::size_t got = memory.read_up_to(candidate.address, table);
  std::optional<Runtime> runtime;
  if (const auto version = debug_offsets_version(std::span(table).first(got))) {
    auto layout = layout_from_debug_offsets(std::span(table).first(got));
    if (!layout) {
      search.problems.push_back(problem_of(candidate, layout.error()));
      return;
    }
    runtime.emplace();
    runtime->version = *version;
    runtime->layout = *layout;
    runtime->interpreters = read_interpreters(memory, runtime->layout, candidate.address);
    if (runtime->interpreters.empty()) return;
  } else {
    runtime = open_fixed(candidate, memory);
    if (!runtime) {
      if (looks_initialised(candidate, memory)) {
        search.problems.push_back(problem_of(
            candidate, {model::ErrorCode::unsupported_python, "its structures are not those of a known Python version",
                        "Supported are CPython 3.8 to 3.15; a debug build has other structures"}));
      }
      return;
    }
  }
  runtime->address = candidate.address.value;
  runtime->module = candidate.path;
  if (const auto offset = runtime->layout.interpreter.eval_frame) {
    runtime->eval_frame = pointer_at(memory, RemoteAddress{runtime->interpreters.front().address + *offset});
  }
  search.runtimes.push_back(std::move(*runtime));
}

}  // namespace

std::vector<Interpreter> read_interpreters(MemoryReader& memory, const Layout& layout, RemoteAddress runtime) {
  std::vector<Interpreter> found;
  std::unordered_set<std::uint64_t> seen;
  const InterpreterLayout& l = layout.interpreter;
  std::uint64_t at = pointer_at(memory, runtime + layout.runtime.interpreters_head);
  while (at != 0 && at % 8 == 0 && found.size() < kMaxInterpreters && seen.insert(at).second) {
    const RemoteAddress address{at};
    Interpreter interpreter;
    interpreter.address = at;
    const auto id = memory.read<std::int64_t>(address + l.id);
    if (!id || *id < 0) break;
    interpreter.id = *id;
    auto threads = read_threads(memory, layout, at, pointer_at(memory, address + l.threads_head));
    if (!threads) break;
    interpreter.threads = std::move(*threads);
    if (l.gil) interpreter.gil = pointer_at(memory, address + *l.gil);
    if (layout.runtime.gil) interpreter.gil = runtime.value + *layout.runtime.gil;
    found.push_back(std::move(interpreter));
    at = pointer_at(memory, address + l.next);
  }
  // An interpreter without threads proves nothing.
  if (std::ranges::all_of(found, [](const Interpreter& i) { return i.threads.empty(); })) found.clear();
  std::ranges::sort(found, {}, &Interpreter::id);
  return found;
}

RuntimeSearch find_runtimes(const model::ProcessCapture& process, ProcessModules& modules, MemoryReader& memory) {
  RuntimeSearch search;
  for (const Candidate& candidate : find_candidates(process, modules)) open_candidate(candidate, memory, search);
  return search;
}

}  // namespace hangstack::symbolizer
