#include "sampler/discover/claim.h"

#include <gmock/gmock.h>

namespace hangstack::sampler {
namespace {

TEST(ClaimFromEnvironment, EveryLauncherHasItsVariables) {
  struct Case {
    Variables environment;
    RankClaim claim;
  };
  const std::vector<Case> cases{
      {{{"RANK", "5"}, {"LOCAL_RANK", "1"}, {"WORLD_SIZE", "8"}}, {5, 1, 8, "RANK", ""}},
      {{{"OMPI_COMM_WORLD_RANK", "2"},
        {"OMPI_COMM_WORLD_LOCAL_RANK", "0"},
        {"OMPI_COMM_WORLD_SIZE", "4"},
        {"PMIX_RANK", "2"}},
       {2, 0, 4, "OMPI_COMM_WORLD_RANK", ""}},
      {{{"PMI_RANK", "3"}, {"PMI_SIZE", "16"}, {"MPI_LOCALRANKID", "1"}}, {3, 1, 16, "PMI_RANK", ""}},
      {{{"PMIX_RANK", "3"}}, {3, {}, {}, "PMIX_RANK", ""}},
      {{{"PMIX_RANK", "3"},
        {"SLURM_STEP_ID", "0"},
        {"SLURM_PROCID", "3"},
        {"SLURM_LOCALID", "1"},
        {"SLURM_NTASKS", "4"}},
       {3, 1, 4, "PMIX_RANK", ""}},
      {{{"MV2_COMM_WORLD_RANK", "7"}, {"MV2_COMM_WORLD_LOCAL_RANK", "3"}, {"MV2_COMM_WORLD_SIZE", "8"}},
       {7, 3, 8, "MV2_COMM_WORLD_RANK", ""}},
      {{{"TORCHCOMM_RANK", "1"}, {"TORCHCOMM_SIZE", "2"}}, {1, {}, 2, "TORCHCOMM_RANK", ""}},
      {{{"SLURM_PROCID", "9"},
        {"SLURM_LOCALID", "1"},
        {"SLURM_NTASKS", "32"},
        {"SLURM_STEP_NUM_TASKS", "16"},
        {"SLURM_STEPID", "2"}},
       {9, 1, 16, "SLURM_PROCID", ""}},
      {{{"RANK", "5"}, {"WORLD_SIZE", "8"}, {"SLURM_PROCID", "0"}, {"SLURM_STEP_ID", "0"}}, {5, {}, 8, "RANK", ""}},
      {{{"LOCAL_RANK", "2"}}, {{}, 2, {}, "LOCAL_RANK", ""}},
  };
  for (const Case& c : cases) EXPECT_EQ(claim_from_environment(c.environment), c.claim) << c.claim.source;
}

TEST(ClaimFromEnvironment, SlurmBatchScriptsHaveNoRank) {
  EXPECT_FALSE(claim_from_environment({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}, {"SLURM_JOB_ID", "7"}}));
  EXPECT_FALSE(claim_from_environment({{"SLURM_PROCID", "0"}, {"SLURM_STEP_ID", "4294967291"}}));
}

TEST(ClaimFromEnvironment, NonsenseIsNoRank) {
  for (const char* value : {"", "-1", "x", "1x", "99999999999999999999", "10000001"})
    EXPECT_FALSE(claim_from_environment({{"RANK", value}})) << value;
  EXPECT_FALSE(claim_from_environment({}));
}

TEST(ClaimFromArguments, OptionsInBothForms) {
  const auto claim = [](std::vector<std::string> arguments) { return claim_from_arguments(arguments); };
  EXPECT_EQ(claim({"python", "t.py", "--rank", "3", "--world-size=8"}), (RankClaim{3, {}, 8, "--rank", ""}));
  EXPECT_EQ(claim({"python", "t.py", "--rank=3", "--local_rank=1"}), (RankClaim{3, 1, {}, "--rank", ""}));
  EXPECT_EQ(claim({"python", "t.py", "--local-rank", "2"}), (RankClaim{{}, 2, {}, "--local_rank", ""}));
  for (const auto& none : std::vector<std::vector<std::string>>{{},
                                                                {"python"},
                                                                {"python", "--rank"},
                                                                {"python", "--rank", "x"},
                                                                {"python", "--rankings=3"},
                                                                {"p", "--world-size=4"}})
    EXPECT_FALSE(claim(none));
}

TEST(ClaimFromTitle, TensorParallelRankCountsOnlyAlone) {
  EXPECT_EQ(claim_from_title("VLLM::Worker_TP3")->rank, 3);
  EXPECT_EQ(claim_from_title("sglang::scheduler_TP1_EP1")->rank, 1);
  EXPECT_EQ(claim_from_title("VLLM::Worker_PP1_TP3")->rank, std::nullopt);
  EXPECT_EQ(claim_from_title("sglang::scheduler_DP1_TP0")->rank, std::nullopt);
  EXPECT_EQ(claim_from_title("VLLM::Worker")->rank, std::nullopt);
  EXPECT_FALSE(claim_from_title("VLLM::EngineCore"));
  EXPECT_FALSE(claim_from_title(""));
}

TEST(JobKey, TheFirstNameThatRanksOfOneJobShare) {
  const std::string host = "gpu07";
  EXPECT_EQ(job_key_from_environment({{"MASTER_ADDR", "gpu01"}, {"MASTER_PORT", "29500"}, {"SLURM_JOB_ID", "7"}}, host),
            "gpu01:29500");
  EXPECT_EQ(job_key_from_environment({{"MASTER_ADDR", "localhost"}, {"MASTER_PORT", "29500"}}, host),
            "localhost:29500@gpu07");
  EXPECT_EQ(job_key_from_environment({{"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", "1"}}, host), "127.0.0.1:1@gpu07");
  EXPECT_EQ(job_key_from_environment({{"TORCHELASTIC_RUN_ID", "abc"}}, host), "torchelastic abc");
  EXPECT_EQ(job_key_from_environment({{"TORCHELASTIC_RUN_ID", "none"}}, host), "");
  EXPECT_EQ(job_key_from_environment({{"SLURM_JOB_ID", "7"}, {"SLURM_STEP_ID", "2"}}, host), "slurm 7.2");
  EXPECT_EQ(job_key_from_environment({{"SLURM_JOB_ID", "7"}}, host), "");
  EXPECT_EQ(job_key_from_environment({{"PMIX_NAMESPACE", "prterun-gpu01-5@1"}}, host), "mpi prterun-gpu01-5@1");
  EXPECT_EQ(job_key_from_environment({{"OMPI_MCA_ess_base_jobid", "55"}}, host), "mpi 55");
}

}  // namespace
}  // namespace hangstack::sampler
