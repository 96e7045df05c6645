#include "symbolizer/native/facts_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace hangstack::symbolizer {
namespace {

using model::ModuleAddress;

/// Every kind of fact, strings with bytes that are not UTF-8 among them.
ModuleFacts sample_facts() {
  ModuleFacts facts;
  facts.path = "/opt/caf\xe9.so";
  facts.segments = {{0, 100, 0x1000, 200, true, false}};
  facts.sections = {{".PyRuntime", AddressRange{ModuleAddress{0x10}, ModuleAddress{0x20}}}, {".none", std::nullopt}};
  facts.symbols_by_name = {{"_PyRuntime", SymbolPlace{ModuleAddress{0x30}, 8}}, {"absent", std::nullopt}};
  CallFrameRow row;
  row.cfa = {RuleKind::register_plus_offset, 16, 7, {}};
  row.registers[16] = {RuleKind::at_cfa_offset, -8, 0, {}};
  row.registers[6] = {RuleKind::same, 0, 0, {}};
  row.registers[3] = {RuleKind::cfa_plus_offset, -24, 0, {}};
  row.registers[5] = {RuleKind::in_register, 0, 4, {}};
  row.registers[12] = {RuleKind::at_expression, 0, 0, {{0x77, ~0ULL, 1, 2}, {0x06, 0, 0, 4}}};
  row.registers[13] = {RuleKind::is_expression, 0, 0, {{0x30, 0, 0, 0}}};
  row.signal_frame = true;
  facts.rows = {{0x1010, row}, {0x1020, std::nullopt}};
  facts.functions = {{0x1010, AddressRange{ModuleAddress{0x1000}, ModuleAddress{0x1080}}}, {0x1020, std::nullopt}};
  facts.names = {{0x1010, SymbolName{"na\xffme", ModuleAddress{0x1000}, 0x80}}, {0x1020, std::nullopt}};
  facts.sources = {{0x1010, {{"f", "a.cpp", 3}, {"g", "b.cpp", 0}}}, {0x1020, {}}};
  facts.structs = {{"ncclComm", StructMembers{{"rank", {8, 4}}}}, {"none", std::nullopt}, {"empty", StructMembers{}}};
  facts.slots = {{0x4000, "getpid"}, {0x4008, ""}};
  const std::byte bytes[] = {std::byte{0}, std::byte{0xff}, std::byte{0x1a}};
  facts.bytes.add(0x5000, bytes);
  return facts;
}

TEST(FactsJson, RoundTripChangesNothing) {
  ModuleCache cache;
  cache.set_facts("00ff", sample_facts());
  cache.set_facts("fd:01:42:/opt/caf\xe9.so", ModuleFacts{});
  const std::string json = encode_facts(cache);
  ModuleCache again;
  const auto done = decode_facts(json, again);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(again.modules().at("00ff")->facts(), sample_facts());
  EXPECT_EQ(encode_facts(again), json);
}

TEST(FactsJson, ModulesThatWereNeverAskedAreLeftOut) {
  ModuleCache cache;
  cache.module_of({"/lib/x.so", "aa", 1, "fd:01", false, {}});
  EXPECT_EQ(encode_facts(cache).find("x.so"), std::string::npos);
}

TEST(FactsJson, ForeignBytesAreRefused) {
  for (const char* text : {"", "null", "{}", "[]", R"({"schema":"hangstack-facts/2","modules":{}})",
                           R"({"schema":"hangstack-facts/1"})", R"({"schema":"hangstack-facts/1","modules":{"a":{}}})",
                           R"({"schema":"hangstack-facts/1","modules":{"a":{"path":7}}})"}) {
    ModuleCache cache;
    const auto done = decode_facts(text, cache);
    ASSERT_FALSE(done) << text;
    EXPECT_EQ(done.error().code, model::ErrorCode::malformed_input);
    EXPECT_TRUE(cache.modules().empty());
  }
}

TEST(FactsJson, EveryChangeOfTypeIsRefusedOrHarmless) {
  ModuleCache cache;
  cache.set_facts("00ff", sample_facts());
  const nlohmann::json good = nlohmann::json::parse(encode_facts(cache));
  const nlohmann::json flat = good.flatten();
  std::size_t refused = 0;
  for (const auto& [pointer, value] : flat.items()) {
    for (const nlohmann::json& bad : {nlohmann::json(-1), nlohmann::json("zz"), nlohmann::json(nullptr),
                                      nlohmann::json::array(), nlohmann::json(1e300)}) {
      nlohmann::json changed = good;
      changed[nlohmann::json::json_pointer(pointer)] = bad;
      ModuleCache into;
      if (!decode_facts(changed.dump(), into)) ++refused;
    }
  }
  EXPECT_GT(refused, flat.size() * 3);
}

}  // namespace
}  // namespace hangstack::symbolizer
