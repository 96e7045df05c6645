// Checks of one process: rights, place, interpreter, and the names that its files hold.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>

#include "model/file_path.h"
#include "sampler/discover/discover.h"
#include "sampler/doctor.h"
#include "sampler/doctor/ras_check.h"
#include "sampler/doctor/symbol_tables.h"
#include "sampler/memory/live_memory.h"
#include "sampler/proc/mapped_files.h"
#include "sampler/proc/maps.h"
#include "sampler/proc/preflight.h"

namespace hangstack::sampler {
namespace {

/// "3.11" of "libpython3.11.so.1.0", "python3.11" or "libpython3.13t.so"; nothing for other files.
std::optional<std::string_view> python_version(std::string_view name) {
  if (name.starts_with("lib")) name.remove_prefix(3);
  if (!name.starts_with("python")) return std::nullopt;
  name.remove_prefix(6);
  const std::size_t end = std::min(name.find_first_not_of("0123456789."), name.size());
  std::string_view version = name.substr(0, end);
  while (version.ends_with('.')) version.remove_suffix(1);
  if (version.empty()) return std::nullopt;
  return version;
}

/// Files whose names matter in a report.
bool is_of_interest(std::string_view name) {
  static constexpr std::array kStarts{"libtorch", "libc10", "libnccl", "librccl", "libgloo",
                                      "libc.so",  "libc-",  "libucp",  "libmpi"};
  return python_version(name).has_value() ||
         std::ranges::any_of(kStarts, [&](std::string_view start) { return name.starts_with(start); });
}

Check check_symbols(std::int32_t pid, const model::MappedFile& file) {
  Check check{.name = fmt::format("symbols of {}", model::base_name(file.path)), .pid = pid};
  model::Error last;
  for (const std::string& path : file.open_paths) {
    const auto tables = read_symbol_tables(path);
    if (!tables) {
      if (last.message.empty()) last = tables.error();
      continue;
    }
    check.ok = tables->symbols || tables->dynamic;
    const char* names = tables->symbols   ? "names of all functions"
                        : tables->dynamic ? "names of exported functions only"
                                          : "no names";
    check.finding = fmt::format("{}: {}{}{}", file.path, names, tables->lines ? ", source lines" : "",
                                tables->unwind ? "" : ", NO unwind tables");
    if (!check.ok) check.fix = "install the package's debug symbols, or a build that is not stripped";
    return check;
  }
  check.finding = last.message;
  check.fix = file.deleted ? "the file was replaced: as root it is readable through /proc/PID/map_files"
                           : "run hangstack where the file is, or as root";
  return check;
}

Check check_python(std::int32_t pid, std::span<const model::MappedFile> files) {
  Check check{.name = "python", .pid = pid, .ok = true};
  for (const model::MappedFile& file : files)
    if (const auto version = python_version(model::base_name(file.path)))
      check.finding += fmt::format("{}Python {} ({})", check.finding.empty() ? "" : ", ", *version, file.path);
  if (check.finding.empty()) check.finding = "no Python interpreter that its file name tells is mapped";
  return check;
}

Check check_identity(const ProcFiles& proc, std::int32_t pid) {
  const model::RankIdentity identity = identify(proc, pid);
  Check check{.name = "identity", .pid = pid, .ok = true, .finding = std::string(model::role_name(identity.role))};
  if (identity.rank) check.finding += fmt::format(" {}", *identity.rank);
  if (identity.world_size) check.finding += fmt::format(" of {}", *identity.world_size);
  if (!identity.rank_source.empty()) check.finding += fmt::format(", from {}", identity.rank_source);
  if (!identity.job_key.empty()) check.finding += fmt::format(", job {}", identity.job_key);
  if (identity.rank_pid != 0) check.finding += fmt::format(", of the rank with pid {}", identity.rank_pid);
  if (identity.role == model::Role::rank && !identity.rank) {
    check.ok = false;
    check.fix =
        "its number is not in its environment: name the ranks by --pids in their order, or set RANK before the start";
  }
  return check;
}

Check check_namespaces(const ProcFiles& proc, std::int32_t pid) {
  Check check{.name = "namespaces", .pid = pid, .ok = true};
  std::string others;
  for (const std::string_view name : {"pid", "mnt", "net", "user"}) {
    const auto own = proc.read_link(fmt::format("self/ns/{}", name));
    const auto other = proc.read_link(fmt::format("{}/ns/{}", pid, name));
    if (own && other && *own != *other) others += fmt::format("{}{}", others.empty() ? "" : ", ", name);
  }
  check.finding = others.empty()
                      ? "the same as hangstack's"
                      : fmt::format("its own {}: a container; its files are read through /proc/{}/root", others, pid);
  return check;
}

void examine_files(const ProcFiles& proc, std::int32_t pid, std::int32_t live_tid, const CheckSink& tell) {
  const std::string folder = fmt::format("{}/task/{}", pid, live_tid);
  const auto mappings = proc.read(folder + "/maps").and_then(parse_maps);
  if (!mappings) {
    tell({.name = "mappings",
          .pid = pid,
          .needed = true,
          .finding = mappings.error().message,
          .fix = mappings.error().fix});
    return;
  }
  FileSystems file_systems;
  for (const std::string& mounts : {folder + "/mountinfo", std::string("self/mountinfo")})
    if (const auto text = proc.read(mounts)) file_systems.add(*text);
  LiveMemory memory(live_tid, proc.absolute(folder), *mappings, file_systems);
  const auto files = list_mapped_files(proc, pid, *mappings, memory, live_tid == pid ? 0 : live_tid);
  tell({.name = "files",
        .pid = pid,
        .ok = !files.empty(),
        .needed = true,
        .finding = fmt::format("{} ELF files are mapped", files.size()),
        .fix = files.empty() ? "its memory could not be read: see the checks of this host" : ""});
  tell(check_python(pid, files));
  for (const model::MappedFile& file : files)
    if (is_of_interest(model::base_name(file.path))) tell(check_symbols(pid, file));
  if (const auto ras = check_ras(proc, pid, files)) tell(*ras);
}

}  // namespace

void examine_process(const ProcFiles& proc, std::int32_t pid, const CheckSink& tell) {
  const auto access = check_target(proc, read_tracer_rights(proc), pid);
  if (!access) {
    tell({.name = "access", .pid = pid, .needed = true, .finding = access.error().message, .fix = access.error().fix});
    return;
  }
  tell({.name = "access", .pid = pid, .ok = true, .needed = true, .finding = "it can be read", .fix = {}});
  for (const model::Error& limit : access->limits)
    tell({.name = std::string(model::error_code_name(limit.code)),
          .pid = pid,
          .finding = limit.message,
          .fix = limit.fix});
  tell(check_namespaces(proc, pid));
  tell(check_identity(proc, pid));
  examine_files(proc, pid, access->live_tid, tell);
}

}  // namespace hangstack::sampler
