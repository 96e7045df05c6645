#include <algorithm>
#include <array>
#include <string_view>

#include "sampler/discover/discover.h"

namespace hangstack::sampler {
namespace {

using std::string_view;

constexpr std::array kPrefixes{
    "NCCL_",    "RCCL_",   "TORCH_",    "PYTORCH_", "TORCHELASTIC_", "TORCHCOMM_", "TORCHINDUCTOR_",
    "CUDA_",    "CUBLAS_", "NVIDIA_",   "NVSHMEM_", "HIP_",          "ROCR_",      "HSA_",
    "SLURM_",   "OMPI_",   "PMI_",      "PMIX_",    "MV2_",          "HYDRA_",     "I_MPI_",
    "UCX_",     "FI_",     "GLOO_",     "OMP_",     "MKL_",          "KMP_",       "GOMP_",
    "RAY_",     "VLLM_",   "SGLANG_",   "TRITON_",  "ACCELERATE_",   "FSDP_",      "DEEPSPEED_",
    "HOROVOD_", "DS_",     "MEGATRON_", "XLA_"};
constexpr std::array kNames{"RANK",           "LOCAL_RANK",       "WORLD_SIZE",      "LOCAL_WORLD_SIZE",
                            "GROUP_RANK",     "GROUP_WORLD_SIZE", "ROLE_RANK",       "ROLE_WORLD_SIZE",
                            "ROLE_NAME",      "NODE_RANK",        "NNODES",          "NPROC_PER_NODE",
                            "MASTER_ADDR",    "MASTER_PORT",      "MPI_LOCALRANKID", "PYTHONFAULTHANDLER",
                            "PYTHONHASHSEED", "PYTHON_GIL",       "LD_PRELOAD"};
/// What a secret is called, as in SLURM_JWT, HOROVOD_SECRET_KEY, VLLM_API_KEY.
constexpr std::array kSecrets{"KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL", "JWT", "AUTH", "COOKIE", "CERT"};

}  // namespace

bool environment_variable_is_allowed(string_view name) {
  const auto holds = [name](string_view word) { return name.find(word) != string_view::npos; };
  if (std::ranges::any_of(kSecrets, holds)) return false;
  if (std::ranges::find(kNames, name) != kNames.end()) return true;
  return std::ranges::any_of(kPrefixes, [name](string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace hangstack::sampler
