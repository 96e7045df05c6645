#include "cli/ask_ras.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string_view>
#include <tuple>

#include "ingest/ras/ras_reply.h"
#include "model/file_path.h"
#include "sampler/ras/ras.h"

namespace hangstack::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kAllQuestions{6000};

/// libnccl.so.2, or a libtorch_cuda.so that has NCCL linked in.
bool may_have_nccl(const model::ProcessCapture& process) {
  return std::ranges::any_of(process.files, [](const model::MappedFile& file) {
    const std::string_view name = model::base_name(file.path);
    return name.starts_with("libnccl") || name.starts_with("libtorch_cuda");
  });
}

bool may_be_rank(const model::ProcessCapture& process) {
  const model::Role role = process.identity.role;
  return role == model::Role::rank || role == model::Role::other || role == model::Role::helper;
}

std::string variable(const model::ProcessCapture& process, const std::string& name) {
  const auto found = process.environment.find(name);
  return found == process.environment.end() ? std::string() : found->second;
}

/// Processes of one job that listen at one address.
using Job = std::tuple<std::string, std::string, std::string>;

Job job_of(const model::ProcessCapture& process) {
  const std::string& key = process.identity.job_key;
  return {key.empty() ? fmt::format("parent {}", process.parent_pid) : key, variable(process, "NCCL_RAS_ADDR"),
          variable(process, "NCCL_RAS_ENABLE")};
}

}  // namespace

model::RasReply not_asked(const std::vector<SampledProcess>& sample, std::string reason) {
  model::RasReply reply;
  reply.reason = std::move(reason);
  for (const SampledProcess& process : sample) {
    reply.host = process.capture.host;
    reply.pids.push_back(process.capture.pid);
  }
  std::ranges::sort(reply.pids);
  return reply;
}

std::vector<model::RasReply> ask_ras(const std::vector<SampledProcess>& sample) {
  std::map<Job, std::vector<std::int32_t>> jobs;
  std::vector<model::RasReply> replies;
  for (const SampledProcess& process : sample) {
    if (!may_be_rank(process.capture)) continue;
    if (may_have_nccl(process.capture)) jobs[job_of(process.capture)].push_back(process.capture.pid);
  }
  if (jobs.empty()) return {not_asked(sample, "no rank has loaded NCCL")};
  const auto end = steady_clock::now() + kAllQuestions;
  const sampler::ProcFiles proc;
  for (auto& [job, pids] : jobs) {
    std::ranges::sort(pids);
    const auto left = std::chrono::duration_cast<milliseconds>(end - steady_clock::now());
    replies.push_back(
        sampler::ask_ras(proc, {pids, std::get<1>(job), std::get<2>(job), std::max(left, milliseconds(100))}));
    replies.back().host = sample.front().capture.host;
  }
  return replies;
}

std::vector<std::string> asked_by_ras(const std::vector<model::RasReply>& replies) {
  std::vector<std::string> asked;
  for (const model::RasReply& reply : replies)
    if (reply.asked()) asked.push_back(fmt::format("NCCL RAS {}", reply.address));
  return asked;
}

std::vector<model::RasRecord> read_ras(std::vector<model::RasReply>&& replies) {
  std::vector<model::RasRecord> records;
  for (model::RasReply& reply : replies) {
    model::RasRecord& record = records.emplace_back();
    const std::string text = std::move(reply.text);
    record.reply = std::move(reply);
    record.reply.text.clear();
    if (record.reply.status != model::RecordStatus::ok) continue;
    if (auto report = ingest::read_ras_reply(text)) {
      record.report = std::move(*report);
    } else {
      record.reply.status = model::RecordStatus::failed;
      record.reply.reason = report.error().message;
      record.reply.fix = report.error().fix;
    }
  }
  return records;
}

}  // namespace hangstack::cli
