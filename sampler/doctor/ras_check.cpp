#include "sampler/doctor/ras_check.h"

#include <fmt/core.h>

#include <algorithm>

#include "model/file_path.h"
#include "sampler/proc/environment.h"
#include "sampler/ras/ras.h"

namespace hangstack::sampler {

std::optional<Check> check_ras(const ProcFiles& proc, std::int32_t pid, std::span<const model::MappedFile> files) {
  const bool nccl = std::ranges::any_of(
      files, [](const model::MappedFile& file) { return model::base_name(file.path).starts_with("libnccl"); });
  if (!nccl) return std::nullopt;
  RasQuestion question;
  question.pids = {pid};
  if (const auto text = proc.read(fmt::format("{}/environ", pid))) {
    const auto environment = parse_environment(*text);
    if (const auto found = environment.find("NCCL_RAS_ADDR"); found != environment.end())
      question.address = found->second;
    if (const auto found = environment.find("NCCL_RAS_ENABLE"); found != environment.end())
      question.enable = found->second;
  }
  const model::RasReply found = find_ras(proc, question);
  return Check{.name = "NCCL RAS",
               .pid = pid,
               .ok = found.status == model::RecordStatus::ok,
               .finding = found.reason,
               .fix = found.fix};
}

}  // namespace hangstack::sampler
