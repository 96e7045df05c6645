#include "sampler/proc/environment.h"

#include <gmock/gmock.h>

#include "sampler/discover/discover.h"

namespace hangstack::sampler {
namespace {

using testing::ElementsAre;
using testing::Pair;
using namespace std::string_view_literals;

TEST(CommandLine, ArgumentsMayBeEmptyButNotTheLast) {
  EXPECT_THAT(parse_command_line("python\0-c\0\0x\0\0\0\0"sv), ElementsAre("python", "-c", "", "x"));
  EXPECT_TRUE(parse_command_line("").empty());
  EXPECT_TRUE(parse_command_line("\0\0"sv).empty());
}

TEST(CommandLine, TitleWithoutNulIsOneArgument) {
  EXPECT_THAT(parse_command_line("VLLM::Worker_TP0"), ElementsAre("VLLM::Worker_TP0"));
}

TEST(EnvironmentFile, OnlyAllowedVariablesAreKept) {
  EXPECT_THAT(parse_environment("HOME=/root\0RANK=3\0NCCL_DEBUG=a=b\0AWS_SECRET_ACCESS_KEY=x\0=\0broken\0RANK=4\0"sv),
              ElementsAre(Pair("NCCL_DEBUG", "a=b"), Pair("RANK", "3")));
  EXPECT_TRUE(parse_environment("").empty());
}

TEST(EnvironmentFile, LongValuesAreCut) {
  EXPECT_EQ(parse_environment("NCCL_X=" + std::string(10'000, 'v')).at("NCCL_X").size(), 4096U);
}

TEST(AllowedVariables, SecretsOfAllowedFamiliesAreNot) {
  for (const char* name :
       {"SLURM_JWT", "HOROVOD_SECRET_KEY", "VLLM_API_KEY", "RAY_AUTH_TOKEN", "PATH", "HF_TOKEN", "", "NCCL"})
    EXPECT_FALSE(environment_variable_is_allowed(name)) << name;
  for (const char* name : {"RANK", "LOCAL_RANK", "MASTER_ADDR", "NCCL_SOCKET_IFNAME", "TORCH_NCCL_BLOCKING_WAIT",
                           "CUDA_VISIBLE_DEVICES", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMIX_RANK"})
    EXPECT_TRUE(environment_variable_is_allowed(name)) << name;
}

}  // namespace
}  // namespace hangstack::sampler
