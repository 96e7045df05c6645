#include "classifiers/normalize/names.h"

#include <gtest/gtest.h>

#include "classifiers/normalize/frames.h"

namespace hangstack::classifiers {
namespace {

TEST(CanonicalName, GlibcAliasesBecomeThePublicName) {
  EXPECT_EQ(canonical_name("__GI___poll"), "poll");
  EXPECT_EQ(canonical_name("__poll"), "poll");
  EXPECT_EQ(canonical_name("clock_nanosleep@GLIBC_2.2.5"), "clock_nanosleep");
  EXPECT_EQ(canonical_name("__GI___clock_nanosleep"), "clock_nanosleep");
  EXPECT_EQ(canonical_name("___pthread_cond_clockwait64"), "pthread_cond_timedwait");
  EXPECT_EQ(canonical_name("pthread_cond_clockwait@@GLIBC_2.30"), "pthread_cond_timedwait");
  EXPECT_EQ(canonical_name("pthread_cond_wait@@GLIBC_2.3.2"), "pthread_cond_wait");
  EXPECT_EQ(canonical_name("__futex_abstimed_wait_common64"), "futex_wait");
  EXPECT_EQ(canonical_name("__futex_abstimed_wait_common"), "futex_wait");
  EXPECT_EQ(canonical_name("do_futex_wait.constprop.0"), "futex_wait");
  EXPECT_EQ(canonical_name("__pthread_clockjoin_ex"), "pthread_join");
}

TEST(CanonicalName, NcclAndMpiTwinsAreOne) {
  EXPECT_EQ(canonical_name("pncclCommInitRankConfig"), "ncclCommInitRankConfig");
  EXPECT_EQ(canonical_name("ncclProxyGetPostedOps.constprop.0"), "ncclProxyGetPostedOps");
  EXPECT_EQ(canonical_name("PMPI_Allreduce"), "MPI_Allreduce");
}

TEST(CanonicalName, ParametersTemplatesAndReturnTypesGo) {
  EXPECT_EQ(canonical_name("c10d::Work::wait(std::chrono::duration<long, std::ratio<1l, 1000l> >)"),
            "c10d::Work::wait");
  EXPECT_EQ(canonical_name("gloo::(anonymous namespace)::allreduce(gloo::detail::AllreduceOptionsImpl const&)"),
            "gloo::(anonymous namespace)::allreduce");
  EXPECT_EQ(canonical_name("bool pybind11::detail::type_caster_generic::load_impl<int>(pybind11::handle, bool)"),
            "pybind11::detail::type_caster_generic::load_impl");
  EXPECT_EQ(canonical_name("foo<int>::{lambda(int)#1}::operator()(int) const"), "foo");
  EXPECT_EQ(canonical_name("Tensor::operator<(Tensor const&)"), "Tensor::operator()");
  EXPECT_EQ(canonical_name("pybind11::get_type_info(std::type_info const&, bool) [clone .constprop.0]"),
            "pybind11::get_type_info");
}

TEST(CanonicalName, OddInputComesBackWithoutHarm) {
  EXPECT_EQ(canonical_name(""), "");
  EXPECT_EQ(canonical_name("("), "(");
  EXPECT_EQ(canonical_name("<"), "<");
  EXPECT_EQ(canonical_name("____"), "____");
  EXPECT_EQ(canonical_name("@@"), "@@");
  EXPECT_EQ(canonical_name("a<b<c"), "a");
  EXPECT_FALSE(canonical_name(std::string(100000, '<')).empty());
}

}  // namespace
}  // namespace hangstack::classifiers
