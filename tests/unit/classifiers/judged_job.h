#pragma once
// A job of the builder as the classifiers judge it, for the tests of verdicts.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "classifiers/classify.h"
#include "tests/support/job_builder.h"

namespace hangstack::classifiers {

/// The wait beneath time.sleep.
inline constexpr const char* kSleep = R"(
  clock_nanosleep@GLIBC_2.2.5 libc.so.6
  time_sleep libpython3.12.so.1.0)";

/// A rank that has waited for the device for a minute, at second 1000.
inline std::string in_device_wait(int rank, int world) {
  return fmt::format(
      "process rank={} world={} at=1000\nthread main asleep=60 syscall=clock_nanosleep\n  clock_nanosleep libc.so.6\n"
      "  cuCtxSynchronize libcuda.so.1\n  cudaDeviceSynchronize libcudart.so.12\n  py step train.py:9\n",
      rank, world);
}

inline model::Job only_job(tests::JobBuilder& builder) {
  auto jobs = classify(builder.snapshot);
  EXPECT_EQ(jobs.size(), 1U);
  return jobs.empty() ? model::Job{} : std::move(jobs.front());
}

/// A line "RANKS | TEXT | SOURCE" for each.
inline std::string observations(const model::Job& job) {
  std::string text;
  for (const auto& seen : job.verdict.observations) {
    text += fmt::format("{} | {} | {}\n", seen.ranks.folded(), seen.text, seen.source);
  }
  return text;
}

}  // namespace hangstack::classifiers
