#include "symbolizer/merge/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hangstack::symbolizer {
namespace {

using testing::ElementsAre;

NamedFrame native(const std::string& function, std::uint64_t begin, std::uint64_t end) {
  NamedFrame frame;
  frame.stack_begin = begin;
  frame.stack_end = end;
  model::Frame level;
  level.function = function;
  frame.levels = {level};
  return frame;
}

PythonGroup group(std::optional<std::uint64_t> anchor, const std::vector<std::string>& functions) {
  PythonGroup made;
  made.anchor = anchor;
  for (const std::string& function : functions) {
    model::Frame frame;
    frame.kind = model::FrameKind::python;
    frame.function = function;
    made.frames.push_back(frame);
  }
  return made;
}

std::vector<std::string> shown(const std::vector<model::Frame>& frames) {
  std::vector<std::string> words;
  for (const model::Frame& f : frames) words.push_back(f.kind == model::FrameKind::marker ? "! " + f.note : f.function);
  return words;
}

const std::string kEval = "_PyEval_EvalFrameDefault";
const std::string kEnded = "! the native stack ends here; the interpreter's own frames go on";
const std::string kUnplaced = "! no native frame is known to run the Python frames that follow";

TEST(Merge, GroupsGoToTheFramesThatHoldTheirAnchors) {
  const std::vector<NamedFrame> stack{native("read", 100, 200), native("", 200, 300), native("qsort", 300, 400),
                                      native("", 400, 500), native("main", 500, 600)};
  PythonThread python;
  python.groups = {group(250, {"leaf", "cmp"}), group(499, {"outer", "module"})};
  EXPECT_THAT(shown(merge(stack, true, {}, python)),
              ElementsAre("read", "leaf", "cmp", "", "qsort", "outer", "module", "", "main"));
}

TEST(Merge, InlinedFunctionsStayWithTheirFrame) {
  std::vector<NamedFrame> stack{native("read", 100, 200), native(kEval, 200, 300)};
  model::Frame inlined;
  inlined.kind = model::FrameKind::inlined;
  inlined.function = "call_function";
  stack[1].levels.insert(stack[1].levels.begin(), inlined);
  PythonThread python;
  python.groups = {group(200, {"leaf"})};
  EXPECT_THAT(shown(merge(stack, true, {}, python)), ElementsAre("read", "leaf", "call_function", kEval));
}

TEST(Merge, ACallThatHasNotEnteredItsFrameShowsNone) {
  const std::vector<NamedFrame> stack{native(kEval, 100, 200), native(kEval, 200, 300)};
  PythonThread python;
  python.groups = {group(150, {}), group(250, {"f"})};
  EXPECT_THAT(shown(merge(stack, true, {}, python)), ElementsAre(kEval, "f", kEval));
}

TEST(Merge, FramesBeyondATruncatedStackFollowAfterAMarker) {
  const std::vector<NamedFrame> stack{native("wait", 100, 200), native("", 200, 0)};
  PythonThread python;
  python.groups = {group(1000, {"f"}), group(2000, {"g"})};
  EXPECT_THAT(shown(merge(stack, false, {}, python)), ElementsAre("wait", "", kEnded, "f", "g"));
}

TEST(Merge, AnAnchorThatNoFrameHoldsIsPlacedByItsAddress) {
  const std::vector<NamedFrame> stack{native("a", 100, 200), native("b", 300, 400)};
  PythonThread python;
  python.groups = {group(250, {"f"})};
  EXPECT_THAT(shown(merge(stack, true, {}, python)), ElementsAre("a", kUnplaced, "f", "b"));
}

TEST(Merge, TheInterpretersOrderWinsOverContradictingAnchors) {
  const std::vector<NamedFrame> stack{native("a", 100, 200), native("b", 200, 300), native("c", 300, 400)};
  PythonThread python;
  python.groups = {group(350, {"inner"}), group(150, {"outer"})};
  EXPECT_THAT(shown(merge(stack, true, {}, python)), ElementsAre("a", "b", "inner", kUnplaced, "outer", "c"));
}

PythonThread counted(const std::vector<std::string>& functions) {
  PythonThread python;
  python.one_call_per_frame = true;
  for (const std::string& function : functions) python.groups.push_back(group(std::nullopt, {function}));
  return python;
}

TEST(Merge, WithoutAnchorsEachFrameHasItsCall) {
  const std::vector<NamedFrame> stack{native("read", 1, 2), native(kEval, 2, 3), native("vectorcall", 3, 4),
                                      native(kEval, 4, 5), native("main", 5, 6)};
  EXPECT_THAT(shown(merge(stack, true, {}, counted({"f", "g"}))),
              ElementsAre("read", "f", kEval, "vectorcall", "g", kEval, "main"));
  // One call more: the innermost has no frame yet.
  EXPECT_THAT(shown(merge(stack, true, {}, counted({"g"}))),
              ElementsAre("read", kEval, "vectorcall", "g", kEval, "main"));
}

TEST(Merge, WithoutAnchorsATruncatedStackPairsFromTheInside) {
  const std::vector<NamedFrame> stack{native("read", 1, 2), native(kEval, 2, 3)};
  EXPECT_THAT(shown(merge(stack, false, {}, counted({"f", "g", "h"}))),
              ElementsAre("read", "f", kEval, kEnded, "g", "h"));
}

TEST(Merge, CountsThatCannotBeRightShowBoth) {
  const std::vector<NamedFrame> stack{native("read", 1, 2), native(kEval, 2, 3), native("main", 5, 6)};
  EXPECT_THAT(shown(merge(stack, true, {}, counted({"f", "g"}))),
              ElementsAre("read", kEval, "main",
                          "! 2 Python frames do not fit the 1 calls of the interpreter above; they follow on their own",
                          "f", "g"));
  EXPECT_THAT(shown(merge({native("read", 1, 2)}, true, {}, counted({"f"}))).size(), 3U);
}

TEST(Merge, WithoutNativeFramesThePythonFramesStandAlone) {
  PythonThread python;
  python.groups = {group(1, {"f"}), group(2, {"g"})};
  EXPECT_THAT(shown(merge({}, false, {}, python)), ElementsAre("f", "g"));
}

TEST(Merge, ABrokenChainSaysSo) {
  PythonThread python;
  python.groups = {group(150, {"f"})};
  python.broken = "the frame at 0x10 cannot be read";
  EXPECT_THAT(shown(merge({native("a", 100, 200)}, true, {}, python)),
              ElementsAre("f", "a", "! the Python frames end early: the frame at 0x10 cannot be read"));
}

TEST(Merge, TakingTheGilIsSeenByItsFunction) {
  EXPECT_TRUE(is_taking_gil({native("futex_wait", 1, 2), native("take_gil", 2, 3), native(kEval, 3, 4)}));
  EXPECT_FALSE(is_taking_gil({native("futex_wait", 1, 2), native(kEval, 3, 4)}));
}

}  // namespace
}  // namespace hangstack::symbolizer
