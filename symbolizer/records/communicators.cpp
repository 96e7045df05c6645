#include "symbolizer/records/communicators.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "model/file_path.h"
#include "symbolizer/utf8.h"

namespace hangstack::symbolizer {
namespace {

using model::RemoteAddress;

constexpr std::uint64_t kMagic = 0x0280028002800280;  // src/include/comm.h of 2.24 to 2.30
constexpr std::size_t kMaxListed = 65'536;
constexpr std::size_t kMaxRead = 1'024;
constexpr std::size_t kMaxName = 256;
constexpr std::size_t kMaxRanks = 1U << 24;

// Without the first ones nothing can be said; the others differ between versions (the name moved into `config`).
constexpr std::size_t kNeeded = 8;
constexpr auto kMembers = std::to_array<std::string_view>(
    {"startMagic", "endMagic", "commHash", "rank", "nRanks", "cudaDev", "busId", "seqNumber", "asyncResult",
     "initState", "abortFlag", "destroyFlag", "finalizeCalled", "commName", "config.commName"});

/// The members of one communicator, read in one batch.
class Fields {
 public:
  Fields(RemoteAddress communicator, const StructMembers& members, model::MemoryReader& memory) {
    std::vector<model::ReadRequest> requests;
    for (const auto& [name, member] : members) {
      if (member.size == 0 || member.size > kMaxBytes) continue;
      auto& bytes = bytes_[name];
      bytes.resize(member.size);
      requests.push_back({RemoteAddress{communicator.value + member.offset}, bytes, 0});
    }
    memory.read_batch(requests);
    complete_ = std::ranges::all_of(requests, [](const auto& request) { return request.got == request.into.size(); });
  }

  [[nodiscard]] bool complete() const { return complete_; }

  /// 0 where there is no such member, or it is smaller.
  template <typename T>
  [[nodiscard]] T get(std::string_view name) const {
    T value{};
    const auto found = bytes_.find(name);
    if (found != bytes_.end() && found->second.size() >= sizeof(T))
      std::memcpy(static_cast<void*>(&value), found->second.data(), sizeof(T));
    return value;
  }

 private:
  static constexpr std::size_t kMaxBytes = 256;
  std::map<std::string, std::vector<std::byte>, std::less<>> bytes_;
  bool complete_ = false;
};

std::string name_of(const Fields& fields, model::MemoryReader& memory) {
  // The first one up to NCCL 2.26.
  for (const std::string_view member : {"commName", "config.commName"}) {
    const RemoteAddress address{fields.get<std::uint64_t>(member)};
    if (!address) continue;
    if (const auto name = memory.read_c_string(address, kMaxName)) return valid_utf8(*name);
  }
  return {};
}

std::optional<model::Communicator> read_one(RemoteAddress address, const StructMembers& members,
                                            model::MemoryReader& memory) {
  const Fields fields(address, members, memory);
  if (!fields.complete() || fields.get<std::uint64_t>("startMagic") != kMagic ||
      fields.get<std::uint64_t>("endMagic") != kMagic)
    return std::nullopt;
  model::Communicator found;
  found.hash = fields.get<std::uint64_t>("commHash");
  found.rank = fields.get<std::int32_t>("rank");
  found.ranks = fields.get<std::int32_t>("nRanks");
  if (found.ranks <= 0 || found.rank < 0 || found.rank >= found.ranks ||
      static_cast<std::size_t>(found.ranks) > kMaxRanks)
    return std::nullopt;
  found.name = name_of(fields, memory);
  found.device = fields.get<std::int32_t>("cudaDev");
  found.bus_id = fields.get<std::uint64_t>("busId");
  found.launched = fields.get<decltype(found.launched)>("seqNumber");
  found.async_error = fields.get<std::int32_t>("asyncResult");
  found.init_state = fields.get<std::int32_t>("initState");
  found.destroyed = fields.get<std::uint32_t>("destroyFlag") != 0;
  found.finalized = fields.get<std::uint8_t>("finalizeCalled") != 0;
  if (const RemoteAddress flag{fields.get<std::uint64_t>("abortFlag")}; flag) {
    const auto value = memory.read<std::uint32_t>(flag);
    found.aborted = value && *value != 0;
  }
  return found;
}

model::NcclLibrary failed(const NcclPlace& place, std::string reason) {
  return {model::RecordStatus::failed, std::move(reason), place.name, {}};
}

model::NcclLibrary read_library(const NcclPlace& place, model::MemoryReader& memory) {
  if (!place.absent_reason.empty()) return {model::RecordStatus::absent, place.absent_reason, place.name, {}};
  const auto list = memory.read<std::uint64_t>(place.list);
  const auto count = memory.read<std::int32_t>(place.count);
  if (!list || !count) return failed(place, "its list of communicators cannot be read");
  if (*count < 0 || static_cast<std::size_t>(*count) > kMaxListed)
    return failed(place, fmt::format("its list of communicators has {} places, which cannot be", *count));
  model::NcclLibrary library{model::RecordStatus::ok, "", place.name, {}};
  if (*list == 0 || *count == 0) return library;
  std::vector<std::uint64_t> pointers(static_cast<std::size_t>(*count));
  if (!memory.read_exact(RemoteAddress{*list}, std::as_writable_bytes(std::span(pointers))))
    return failed(place, "its list of communicators cannot be read");
  std::erase(pointers, 0);
  std::ranges::sort(pointers);
  pointers.erase(std::ranges::unique(pointers).begin(), pointers.end());
  for (const std::uint64_t pointer : pointers) {
    if (library.communicators.size() == kMaxRead) break;
    if (auto found = read_one(RemoteAddress{pointer}, place.members, memory))
      library.communicators.push_back(std::move(*found));
  }
  if (library.communicators.empty() && !pointers.empty())
    return failed(place, fmt::format("none of the {} communicators that it lists could be read", pointers.size()));
  std::ranges::sort(library.communicators, {}, &model::Communicator::hash);
  return library;
}

bool has_all(const StructMembers& members) {
  return std::ranges::all_of(std::span(kMembers).first(kNeeded),
                             [&](std::string_view name) { return members.contains(std::string(name)); }) &&
         members.at("seqNumber").size == sizeof(model::Communicator::launched);
}

/// Fills `place` but for its addresses: where the list lies in the file.
std::optional<std::pair<SymbolPlace, SymbolPlace>> look_into(Module& module, NcclPlace& place) {
  constexpr auto kSymbols = std::to_array<std::string_view>({"ncclComms", "nNcclComms"});
  module.resolve_objects(kSymbols);
  const auto list = module.find_symbol(kSymbols[0]);
  const auto count = module.find_symbol(kSymbols[1]);
  if (!list || !count) {
    place.absent_reason =
        "its list of communicators is not known: NCCL before 2.24, no .symtab, or a file that cannot be read";
    return std::nullopt;
  }
  const auto members = module.struct_members("ncclComm", kMembers);
  if (!members) {
    place.absent_reason =
        "no debug information says how its communicators look, or it takes longer than a second to find";
  } else if (!has_all(*members)) {
    place.absent_reason = "its communicators look other than those of NCCL 2.24 to 2.32";
  } else {
    place.members = *members;
  }
  return std::pair{*list, *count};
}

}  // namespace

std::vector<NcclPlace> find_nccl_places(ProcessModules& modules) {
  std::vector<NcclPlace> places;
  for (const model::MappedFile& file : modules.files()) {
    const std::string_view library = model::base_name(file.path);
    const bool linked_in = library == "libtorch_cuda.so";
    if (!linked_in && !library.starts_with("libnccl.so")) continue;
    NcclPlace place{.name = std::string(library), .absent_reason = {}, .list = {}, .count = {}, .members = {}};
    const auto symbols = look_into(modules.module_of(file), place);
    if (!symbols && linked_in) continue;
    for (const LoadedModule& copy : modules.copies_of(file)) {
      if (!copy.executable) continue;
      if (symbols) {
        place.list = copy.to_remote(symbols->first.address);
        place.count = copy.to_remote(symbols->second.address);
      }
      places.push_back(place);
    }
  }
  return places;
}

std::vector<model::NcclLibrary> read_communicators(std::span<const NcclPlace> places, model::MemoryReader& memory) {
  std::vector<model::NcclLibrary> libraries;
  for (const NcclPlace& place : places) libraries.push_back(read_library(place, memory));
  return libraries;
}

}  // namespace hangstack::symbolizer
