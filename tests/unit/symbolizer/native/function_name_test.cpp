#include "symbolizer/native/function_name.h"

#include <gtest/gtest.h>

namespace hangstack::symbolizer {
namespace {

TEST(FunctionName, IsDemangled) {
  EXPECT_EQ(normal_form("_ZN4c10d16ProcessGroupNCCL8WorkNCCL4waitENSt6chrono8durationIlSt5ratioILl1ELl1000EEEE"),
            "c10d::ProcessGroupNCCL::WorkNCCL::wait(std::chrono::duration<long, std::ratio<1l, 1000l> >)");
  EXPECT_EQ(normal_form("_Znot_mangled_after_all"), "_Znot_mangled_after_all");
  EXPECT_EQ(normal_form("main"), "main");
}

TEST(FunctionName, LosesTheVersion) {
  EXPECT_EQ(normal_form("pthread_cond_wait@@GLIBC_2.3.2"), "pthread_cond_wait");
  EXPECT_EQ(normal_form("memcpy@GLIBC_2.2.5"), "memcpy");
}

TEST(FunctionName, LosesWhatCompilersAddToCopies) {
  EXPECT_EQ(normal_form("_PyEval_EvalFrameDefault.cold"), "_PyEval_EvalFrameDefault");
  EXPECT_EQ(normal_form("_PyEval_EvalFrameDefault.cold.2962"), "_PyEval_EvalFrameDefault");
  EXPECT_EQ(normal_form("walk.constprop.0.isra.1.part.23"), "walk");
  EXPECT_EQ(normal_form("_PyEval_Vector.localalias"), "_PyEval_Vector");
  EXPECT_EQ(normal_form("run.lto_priv.0"), "run");
  EXPECT_EQ(normal_form("run.llvm.1234567890"), "run");
  EXPECT_EQ(normal_form("_ZN3foo3barEv.part.0"), "foo::bar()");
}

TEST(FunctionName, KeepsWhatMerelyLooksLikeASuffix) {
  EXPECT_EQ(normal_form(".cold"), ".cold");
  EXPECT_EQ(normal_form("partition"), "partition");
  EXPECT_EQ(normal_form("a.b.3"), "a.b.3");
  EXPECT_EQ(normal_form(""), "");
  EXPECT_EQ(normal_form("@"), "@");
}

TEST(FunctionName, NcclTwinsAreOne) {
  EXPECT_EQ(normal_form("pncclAllReduce"), "ncclAllReduce");
  EXPECT_EQ(normal_form("pnccl"), "pnccl");
  EXPECT_EQ(normal_form("pncclsomething"), "pncclsomething");
}

TEST(FunctionName, AnEndlessSymbolIsKeptAsItIs) {
  const std::string name = "_Z" + std::string(20'000, 'P') + "v";
  EXPECT_EQ(normal_form(name), name);
}

}  // namespace
}  // namespace hangstack::symbolizer
