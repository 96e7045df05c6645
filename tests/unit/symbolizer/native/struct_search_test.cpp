#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <iterator>
#include <vector>

#include "symbolizer/native/module.h"

namespace hangstack::symbolizer {
namespace {

/// A library that was compiled from
///   struct Inner { short a, b; };
///   struct Searched { int first; union { char letter; long word; }; struct Inner inner; const struct Inner* pointer;
///                     unsigned bit : 1; char text[20]; };
void offer_library(Module& module) {
  std::ifstream file(HANGSTACK_SOURCE_DIR "/tests/fuzz/corpus/elf/with_struct", std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  const auto image = std::as_bytes(std::span(bytes));
  module.offer_image({image.begin(), image.end()}, "with_struct");
}

TEST(StructSearch, MembersAreWhereTheCompilerPutThem) {
  Module module("key");
  offer_library(module);
  constexpr auto kMembers = std::to_array<std::string_view>(
      {"first", "word", "inner", "inner.b", "pointer", "pointer.a", "bit", "text", "none"});
  const auto members = module.struct_members("Searched", kMembers);
  ASSERT_TRUE(members);
  const StructMembers expected{{"first", {0, 4}},    {"word", {8, 8}},     {"inner", {16, 4}},
                               {"inner.b", {18, 2}}, {"pointer", {24, 8}}, {"text", {33, 20}}};
  EXPECT_EQ(*members, expected);
  EXPECT_EQ(module.facts().structs.at("Searched"), expected) << "remembered for a replay";
}

TEST(StructSearch, AStructThatIsNotThereIsNone) {
  Module module("key");
  offer_library(module);
  EXPECT_FALSE(module.struct_members("Other", std::array{std::string_view("first")}));
}

}  // namespace
}  // namespace hangstack::symbolizer
