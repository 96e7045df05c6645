#include "classifiers/fold/source_flow.h"

#include <gtest/gtest.h>

#include "classifiers/fold/python_source.h"

namespace hangstack::classifiers {
namespace {

const std::string kStep = R"(def train_step(step):
    batch = load_batch(step)
    if step == 2 and bad(batch):
        return log_anomaly()
    if evaluate_now(step):
        evaluate(step)
    else:
        warm_up(step)
    sync_gradients(
        batch,
        step)
    save(step)

def main():
    for step in range(9):
        train_step(step)
    save_model()
)";

TEST(LogicalLines, JoinBracketsStringsAndBackslashes) {
  const auto lines = logical_lines("a = (1,\n 2)\n\n# note\nb = '''x\ny'''\nc = 1 + \\\n  2\nasync def f(): pass\n");
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0].last, 2);
  EXPECT_EQ(lines[1].first, 5);
  EXPECT_EQ(lines[1].last, 6);
  EXPECT_EQ(lines[2].last, 8);
  EXPECT_EQ(lines[3].word, "def");
}

TEST(SourceFlow, AStatementBeforeTheCallLeadsToIt) {
  EXPECT_EQ(flow_between(kStep, 2, 9), Flow::follows);
  EXPECT_EQ(flow_between(kStep, 3, 9), Flow::follows);
  EXPECT_EQ(flow_between(kStep, 6, 9), Flow::follows);
  EXPECT_EQ(flow_between(kStep, 6, 10), Flow::follows);
}

TEST(SourceFlow, AReturnAndTheOtherArmSkipTheCall) {
  EXPECT_EQ(flow_between(kStep, 4, 9), Flow::skipped);
  EXPECT_EQ(flow_between(kStep, 6, 8), Flow::skipped);
  const std::string early = "def f():\n    if bad:\n        log()\n        return\n    sync()\n";
  EXPECT_EQ(flow_between(early, 3, 5), Flow::skipped);
  const std::string arms =
      "def f():\n    if bad:\n        log()\n    elif worse:\n        pass\n    else:\n        sync()\n";
  EXPECT_EQ(flow_between(arms, 3, 7), Flow::skipped);
  const std::string next =
      "def f():\n    for x in y:\n        if bad:\n            log()\n            continue\n        sync()\n";
  EXPECT_EQ(flow_between(next, 4, 6), Flow::skipped);
}

TEST(SourceFlow, BreakAndContinueGoOnBehindTheirLoop) {
  const std::string loop =
      "def f():\n    for x in y:\n        if bad:\n            log()\n            break\n        sync()\n"
      "    else:\n        all_good()\n    barrier()\n";
  EXPECT_EQ(flow_between(loop, 4, 6), Flow::skipped);
  EXPECT_EQ(flow_between(loop, 4, 8), Flow::skipped) << "else of a loop that was left by break";
  EXPECT_EQ(flow_between(loop, 4, 9), Flow::follows);
  EXPECT_EQ(flow_between(loop, 5, 9), Flow::follows) << "from the break itself";
  const std::string next =
      "def f():\n    for x in y:\n        if bad:\n            log()\n            continue\n        step()\n    "
      "sync()\n";
  EXPECT_EQ(flow_between(next, 4, 7), Flow::follows);
}

TEST(SourceFlow, AHeaderLeadsToItsOwnArms) {
  const std::string arms =
      "def f():\n    a()\n    if bad():\n        log()\n    elif worse():\n        pass\n    else:\n        sync()\n";
  EXPECT_EQ(flow_between(arms, 3, 8), Flow::follows) << "from the condition of if";
  EXPECT_EQ(flow_between(arms, 5, 8), Flow::follows) << "from the condition of elif";
  EXPECT_EQ(flow_between(arms, 2, 8), Flow::follows) << "from before the if";
  EXPECT_EQ(flow_between(arms, 6, 8), Flow::skipped);
}

TEST(SourceFlow, ATryLeadsToItsExcept) {
  const std::string handled =
      "def f():\n    try:\n        a()\n    except E:\n        b()\n    except F:\n        c()\n    else:\n"
      "        d()\n    finally:\n        e()\n";
  EXPECT_EQ(flow_between(handled, 3, 5), Flow::follows);
  EXPECT_EQ(flow_between(handled, 3, 9), Flow::follows);
  EXPECT_EQ(flow_between(handled, 5, 7), Flow::skipped);
  EXPECT_EQ(flow_between(handled, 5, 9), Flow::skipped);
  EXPECT_EQ(flow_between(handled, 5, 11), Flow::follows);
}

TEST(SourceFlow, ElseOfALoopIsNoOtherArm) {
  EXPECT_EQ(flow_between("def f():\n    for x in y:\n        a()\n    else:\n        sync()\n", 3, 5), Flow::follows);
}

TEST(SourceFlow, LinesAboveArePassedUnlessTheyNeedNotBeTaken) {
  EXPECT_EQ(flow_between(kStep, 12, 9), Flow::passed);
  EXPECT_EQ(flow_between(kStep, 12, 6), Flow::earlier);
  EXPECT_EQ(flow_between("for x in y:\n    sync()\n    log()\n", 3, 2), Flow::passed_in_loop);
  EXPECT_EQ(flow_between(kStep, 17, 16), Flow::passed);  // the loop is over
}

TEST(SourceFlow, WhatCannotBeToldIsUnknown) {
  EXPECT_EQ(flow_between(kStep, 2, 16), Flow::unknown);
  EXPECT_EQ(flow_between(kStep, 9, 11), Flow::unknown);
  EXPECT_EQ(flow_between("", 1, 2), Flow::unknown);
  EXPECT_EQ(flow_between("\"\"\"never closed\n(\n[", 1, 3), Flow::unknown);
}

TEST(SourceFlow, LoopsAreSeenWithinTheFunction) {
  EXPECT_TRUE(in_loop(kStep, 16));
  EXPECT_FALSE(in_loop(kStep, 17));
  EXPECT_FALSE(in_loop(kStep, 9));
}

}  // namespace
}  // namespace hangstack::classifiers
