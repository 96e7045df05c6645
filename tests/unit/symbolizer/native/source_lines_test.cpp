#include "symbolizer/native/source_lines.h"

#include <gtest/gtest.h>

#include "model/segment_reader.h"
#include "symbolizer/native/function_name.h"
#include "symbolizer/native/process_modules.h"
#include "tests/support/self_capture.h"

namespace hangstack_lines {

__attribute__((noinline)) std::uint64_t return_address() {
  asm volatile("");
  return reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
}

__attribute__((always_inline)) inline std::uint64_t inner_inlined(int& line) {
  line = __LINE__ + 1;
  return return_address();
}

__attribute__((always_inline)) inline std::uint64_t outer_inlined(int& line) { return inner_inlined(line) + 0; }

__attribute__((noinline)) std::uint64_t real_function(int& line) { return outer_inlined(line) + 0; }

}  // namespace hangstack_lines

namespace hangstack::symbolizer {
namespace {

TEST(SourceLines, InlinedFunctionsComeInnermostFirst) {
  model::ProcessCapture capture = tests::capture_of_self();
  model::SegmentReader memory = model::SegmentReader::of_process(capture);
  ModuleCache cache;
  ProcessModules modules(capture, cache, memory);
  int line = 0;
  const auto place = modules.find(model::RemoteAddress{hangstack_lines::real_function(line) - 1});
  ASSERT_TRUE(place);
  const auto& levels = place->module->source_at(place->address);
  ASSERT_EQ(levels.size(), 3U);
  EXPECT_EQ(normal_form(levels[0].function), "hangstack_lines::inner_inlined(int&)");
  EXPECT_EQ(normal_form(levels[1].function), "hangstack_lines::outer_inlined(int&)");
  EXPECT_EQ(normal_form(levels[2].function), "hangstack_lines::real_function(int&)");
  EXPECT_EQ(levels[0].line, line);
  EXPECT_GT(levels[1].line, levels[0].line);
  EXPECT_GT(levels[2].line, levels[1].line);
  for (const SourceLevel& level : levels) EXPECT_TRUE(level.file.ends_with("source_lines_test.cpp")) << level.file;
}

TEST(SourceLines, AFileWithoutDwarfSaysNothing) {
  SourceLines none(nullptr);
  EXPECT_TRUE(none.at(model::ModuleAddress{0x1000}).empty());
}

}  // namespace
}  // namespace hangstack::symbolizer
