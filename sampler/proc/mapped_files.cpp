#include "sampler/proc/mapped_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "sampler/proc/elf_notes.h"

namespace hangstack::sampler {
namespace {

using model::MappedFile;
using model::Mapping;
using model::ReadRequest;
using model::RemoteAddress;

constexpr std::size_t kHeadBytes = 4096;
constexpr std::size_t kMaxFiles = 16384;

struct Candidate {
  const Mapping* first;  ///< the mapping of offset 0
  std::vector<std::byte> head;
  std::vector<NoteRange> notes;
};

using FileKey = std::tuple<std::string_view, std::uint64_t, std::string_view>;
FileKey key_of(const Mapping& mapping) { return {mapping.device, mapping.inode, mapping.path}; }

std::vector<Candidate> find_candidates(std::span<const Mapping> mappings) {
  std::map<FileKey, bool> executable;
  for (const Mapping& mapping : mappings)
    if (mapping.path.starts_with('/') && !mapping.path.starts_with("/dev/"))
      executable[key_of(mapping)] |= mapping.executable;
  std::vector<Candidate> candidates;
  for (const Mapping& mapping : mappings) {
    if (mapping.file_offset != 0 || !mapping.readable || candidates.size() == kMaxFiles) continue;
    const auto found = executable.find(key_of(mapping));
    if (found == executable.end() || !found->second) continue;
    found->second = false;  // each file once
    const std::size_t size = std::min<std::uint64_t>(kHeadBytes, mapping.end - mapping.start);
    candidates.push_back({&mapping, std::vector<std::byte>(size), {}});
  }
  return candidates;
}

void read_heads(std::vector<Candidate>& candidates, model::MemoryReader& memory) {
  std::vector<ReadRequest> requests;
  requests.reserve(candidates.size());
  for (Candidate& candidate : candidates)
    requests.push_back({RemoteAddress{candidate.first->start}, candidate.head, 0});
  memory.read_batch(requests);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    candidates[i].head.resize(requests[i].got);
    candidates[i].notes = find_notes(candidates[i].head);
  }
  std::erase_if(candidates, [](const Candidate& candidate) { return !is_elf64(candidate.head); });
}

/// Notes that the head does not hold.
struct PendingNote {
  std::size_t candidate;
  RemoteAddress address;
  std::vector<std::byte> bytes;
};

void read_pending(std::vector<PendingNote>& pending, model::MemoryReader& memory, std::vector<std::string>& build_ids) {
  std::vector<ReadRequest> requests;
  requests.reserve(pending.size());
  for (PendingNote& note : pending) requests.push_back({note.address, note.bytes, 0});
  memory.read_batch(requests);
  for (std::size_t i = 0; i < pending.size(); ++i) {
    std::string& build_id = build_ids[pending[i].candidate];
    if (build_id.empty()) build_id = find_build_id(std::span(pending[i].bytes).first(requests[i].got));
  }
}

std::vector<std::string> read_build_ids(std::span<const Candidate> candidates, model::MemoryReader& memory) {
  std::vector<std::string> build_ids(candidates.size());
  std::vector<PendingNote> pending;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::span<const std::byte> head(candidates[i].head);
    for (const NoteRange& note : candidates[i].notes) {
      if (!build_ids[i].empty()) break;
      if (note.offset <= head.size() && head.size() - note.offset >= note.size)
        build_ids[i] = find_build_id(head.subspan(note.offset, note.size));
      else
        pending.push_back(
            {i, RemoteAddress{candidates[i].first->start} + note.offset, std::vector<std::byte>(note.size)});
    }
  }
  std::erase_if(pending, [&](const PendingNote& note) { return !build_ids[note.candidate].empty(); });
  read_pending(pending, memory, build_ids);
  return build_ids;
}

std::vector<std::string> paths_of(const ProcFiles& proc, std::int32_t pid, std::int32_t tid, const Mapping& mapping,
                                  const std::string& exe) {
  const std::string folder = tid == 0 ? std::to_string(pid) : fmt::format("{}/task/{}", pid, tid);
  const std::string in_root = proc.absolute(folder + "/root" + mapping.path);
  const std::string by_range = proc.absolute(fmt::format("{}/map_files/{:x}-{:x}", pid, mapping.start, mapping.end));
  std::vector<std::string> paths;
  if (!mapping.deleted) paths.push_back(in_root);
  paths.push_back(by_range);
  if (mapping.path == exe) paths.push_back(proc.absolute(folder + "/exe"));
  if (mapping.deleted) paths.push_back(in_root);
  paths.push_back(mapping.path);
  return paths;
}

}  // namespace

std::vector<MappedFile> list_mapped_files(const ProcFiles& proc, std::int32_t pid, std::span<const Mapping> mappings,
                                          model::MemoryReader& memory, std::int32_t tid) {
  std::vector<Candidate> candidates = find_candidates(mappings);
  read_heads(candidates, memory);
  const std::vector<std::string> build_ids = read_build_ids(candidates, memory);
  const std::string exe = proc.exe(pid, tid == 0 ? pid : tid);
  std::vector<MappedFile> files;
  files.reserve(candidates.size());
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Mapping& mapping = *candidates[i].first;
    files.push_back({mapping.path, build_ids[i], mapping.inode, mapping.device, mapping.deleted,
                     paths_of(proc, pid, tid, mapping, exe)});
  }
  return files;
}

}  // namespace hangstack::sampler
