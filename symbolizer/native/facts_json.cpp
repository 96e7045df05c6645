#include "symbolizer/native/facts_json.h"

#include <fmt/core.h>

#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "symbolizer/native/row_json.h"
#include "symbolizer/utf8.h"

namespace hangstack::symbolizer {

namespace {

using nlohmann::json;

constexpr const char* kSchema = "hangstack-facts/1";
constexpr std::size_t kMaxLevels = 64;

std::string hex_of(const std::vector<std::byte>& bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte b : bytes) {
    text += kDigits[std::to_integer<std::size_t>(b) >> 4];
    text += kDigits[std::to_integer<std::size_t>(b) & 15];
  }
  return text;
}

std::byte nibble(char c) {
  if (c >= '0' && c <= '9') return static_cast<std::byte>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<std::byte>(c - 'a' + 10);
  throw std::invalid_argument("not a hexadecimal digit");
}

std::vector<std::byte> bytes_of_hex(const std::string& text) {
  if (text.size() % 2 != 0) throw std::invalid_argument("half a byte");
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) bytes.push_back((nibble(text[i]) << 4) | nibble(text[i + 1]));
  return bytes;
}

std::uint64_t number(const json& value) {
  if (!value.is_number_unsigned()) throw std::invalid_argument("not an unsigned number");
  return value.get<std::uint64_t>();
}

std::string text(const json& value) { return characters_as_bytes(value.get_ref<const std::string&>()); }

AddressRange range(const json& start, const json& end) {
  AddressRange result{model::ModuleAddress{number(start)}, model::ModuleAddress{number(end)}};
  if (result.end < result.start) throw std::invalid_argument("a range that ends before it starts");
  return result;
}

json members_to_json(const StructMembers& members) {
  json list = json::array();
  for (const auto& [name, member] : members) list.push_back({bytes_as_characters(name), member.offset, member.size});
  return list;
}

json answers_to_json(const ModuleFacts& facts) {
  json out;
  for (const auto& [name, found] : facts.sections) {
    out["sections"].push_back(found ? json{bytes_as_characters(name), found->start.value, found->end.value}
                                    : json{bytes_as_characters(name)});
  }
  for (const auto& [name, found] : facts.symbols_by_name) {
    out["symbols"].push_back(found ? json{bytes_as_characters(name), found->address.value, found->size}
                                   : json{bytes_as_characters(name)});
  }
  for (const auto& [at, found] : facts.rows) {
    out["rows"].push_back(found ? json{at, row_to_json(*found)} : json{at});
  }
  for (const auto& [at, found] : facts.functions) {
    out["functions"].push_back(found ? json{at, found->start.value, found->end.value} : json{at});
  }
  for (const auto& [at, found] : facts.names) {
    out["names"].push_back(found ? json{at, bytes_as_characters(found->raw), found->start.value, found->size}
                                 : json{at});
  }
  for (const auto& [at, name] : facts.slots) out["slots"].push_back(json{at, bytes_as_characters(name)});
  for (const auto& [at, bytes] : facts.bytes.runs()) out["bytes"].push_back(json{at, hex_of(bytes)});
  for (const auto& [name, members] : facts.structs) {
    json item{bytes_as_characters(name)};
    if (members) item.push_back(members_to_json(*members));
    out["structs"].push_back(std::move(item));
  }
  for (const auto& [at, levels] : facts.sources) {
    json list = json::array();
    for (const SourceLevel& level : levels) {
      list.push_back({bytes_as_characters(level.function), bytes_as_characters(level.file), level.line});
    }
    out["sources"].push_back(json{at, std::move(list)});
  }
  return out;
}

json facts_to_json(const ModuleFacts& facts) {
  json out = answers_to_json(facts);
  out["path"] = bytes_as_characters(facts.path);
  for (const LoadSegment& s : facts.segments) {
    out["segments"].push_back({s.file_offset, s.file_size, s.address, s.memory_size, s.executable, s.writable});
  }
  return out;
}

/// The list under `key`, or an empty one.
const json& list_of(const json& object, const char* key) {
  static const json kEmpty = json::array();
  if (!object.contains(key)) return kEmpty;
  const json& list = object.at(key);
  if (!list.is_array()) throw std::invalid_argument(fmt::format("{} is not a list", key));
  return list;
}

SourceLevel level_from_json(const json& item) {
  const std::uint64_t line = number(item.at(2));
  if (line > 0x7fffffff) throw std::invalid_argument("a line number out of range");
  return {text(item.at(0)), text(item.at(1)), static_cast<int>(line)};
}

StructMembers members_from_json(const json& list) {
  StructMembers members;
  for (const json& item : list) members[text(item.at(0))] = {number(item.at(1)), number(item.at(2))};
  return members;
}

void read_answers(const json& in, ModuleFacts& facts) {
  for (const json& item : list_of(in, "sections")) {
    auto& found = facts.sections[text(item.at(0))];
    if (item.size() > 1) found = range(item.at(1), item.at(2));
  }
  for (const json& item : list_of(in, "symbols")) {
    auto& found = facts.symbols_by_name[text(item.at(0))];
    if (item.size() > 1) found = SymbolPlace{model::ModuleAddress{number(item.at(1))}, number(item.at(2))};
  }
  for (const json& item : list_of(in, "rows")) {
    auto& found = facts.rows[number(item.at(0))];
    if (item.size() > 1) found = row_from_json(item.at(1));
  }
  for (const json& item : list_of(in, "functions")) {
    auto& found = facts.functions[number(item.at(0))];
    if (item.size() > 1) found = range(item.at(1), item.at(2));
  }
  for (const json& item : list_of(in, "names")) {
    auto& found = facts.names[number(item.at(0))];
    if (item.size() > 1) {
      found = SymbolName{text(item.at(1)), model::ModuleAddress{number(item.at(2))}, number(item.at(3))};
    }
  }
  for (const json& item : list_of(in, "slots")) facts.slots[number(item.at(0))] = text(item.at(1));
  for (const json& item : list_of(in, "structs")) {
    auto& members = facts.structs[text(item.at(0))];
    if (item.size() > 1) members = members_from_json(item.at(1));
  }
  for (const json& item : list_of(in, "bytes")) {
    facts.bytes.add(number(item.at(0)), bytes_of_hex(item.at(1).get_ref<const std::string&>()));
  }
  for (const json& item : list_of(in, "sources")) {
    auto& levels = facts.sources[number(item.at(0))];
    if (item.at(1).size() > kMaxLevels) throw std::invalid_argument("too many inlined functions");
    for (const json& level : item.at(1)) levels.push_back(level_from_json(level));
  }
}

ModuleFacts facts_from_json(const json& in) {
  ModuleFacts facts;
  facts.path = text(in.at("path"));
  for (const json& s : list_of(in, "segments")) {
    facts.segments.push_back(
        {number(s.at(0)), number(s.at(1)), number(s.at(2)), number(s.at(3)), s.at(4).get<bool>(), s.at(5).get<bool>()});
  }
  read_answers(in, facts);
  return facts;
}

}  // namespace

std::string encode_facts(const ModuleCache& cache) {
  json modules = json::object();
  for (const auto& [key, module] : cache.modules()) {
    json facts = facts_to_json(module->facts());
    if (facts.size() > 1) modules[bytes_as_characters(key)] = std::move(facts);
  }
  return json{{"schema", kSchema}, {"modules", std::move(modules)}}.dump();
}

model::Expected<void> decode_facts(std::string_view text_in, ModuleCache& cache) {
  std::map<std::string, ModuleFacts> read;
  try {
    const json in = json::parse(text_in);
    if (in.at("schema") != kSchema) throw std::invalid_argument("an unknown schema");
    for (const auto& [key, facts] : in.at("modules").items()) read[characters_as_bytes(key)] = facts_from_json(facts);
  } catch (const std::exception& e) {
    return model::failure(model::ErrorCode::malformed_input, fmt::format("the facts cannot be read: {}", e.what()));
  }
  for (auto& [key, facts] : read) cache.set_facts(key, std::move(facts));
  return {};
}

}  // namespace hangstack::symbolizer
