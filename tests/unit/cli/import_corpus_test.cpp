// Real dumps of jobs with injected faults, which lie beside the checkout (or where HANGSTACK_SHARED says):
// shared/corpus/flight-recorder, a folder for each fault with the faulty ranks in expected.json.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "classifiers/classify.h"
#include "ingest/ingest.h"

namespace hangstack::cli {
namespace {

std::filesystem::path corpus() {
  const char* shared = std::getenv("HANGSTACK_SHARED");
  const std::filesystem::path root = shared != nullptr ? shared : HANGSTACK_SOURCE_DIR "/../shared";
  return root / "corpus" / "flight-recorder";
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class InjectedFault : public testing::TestWithParam<const char*> {};

TEST_P(InjectedFault, TheFaultyRanksAreNamedAndFewOthers) {
  const std::filesystem::path folder = corpus() / GetParam();
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no dumps in " << folder;
  const auto expected = nlohmann::json::parse(bytes_of(folder / "expected.json"));
  ingest::Importer importer;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("_dump_")) importer.add({name, {}, 0, bytes_of(entry.path())});
  }
  ingest::Imported imported = std::move(importer).take();
  EXPECT_TRUE(imported.problems.empty());
  ASSERT_EQ(imported.snapshot.processes.size(), expected.at("world_size").get<std::size_t>());
  const auto jobs = classifiers::classify(imported.snapshot);
  ASSERT_EQ(jobs.size(), 1U);
  const model::RankSet& culprits = jobs[0].verdict.culprit_ranks;
  for (const int rank : expected.at("faulty_ranks")) EXPECT_TRUE(culprits.contains(rank)) << rank;
  EXPECT_LE(culprits.size(), expected.at("at_most_named").get<std::size_t>());
  EXPECT_NE(jobs[0].verdict.hung, model::Hung::no);
}

INSTANTIATE_TEST_SUITE_P(FlightRecorder, InjectedFault, testing::Values("gpu_error_1st", "lock_gil_1st"));

/// Without its name the file tells its rank by the groups that it lists.
TEST(FlightRecorderCorpus, EachDumpTellsItsOwnRank) {
  const std::filesystem::path folder = corpus() / "gpu_error_1st";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no dumps in " << folder;
  for (int rank = 0; rank < 16; ++rank) {
    const auto dump = ingest::read_flight_recorder_dump(bytes_of(folder / ("_dump_" + std::to_string(rank))));
    ASSERT_TRUE(dump) << dump.error().message;
    EXPECT_EQ(dump->rank, rank);
  }
}

}  // namespace
}  // namespace hangstack::cli
