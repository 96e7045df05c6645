#include "cli/capture_folder.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/capture_codec.h"
#include "model/private_file.h"

namespace hangstack::cli {
namespace {

using model::ErrorCode;
using model::Expected;
using model::failure;
using nlohmann::json;

constexpr auto kSchema = "hangstack-session/1";
constexpr auto kSourcesFolder = "sources";
constexpr auto kRasFolder = "ras";
constexpr int kMaxSamples = 100;
constexpr std::size_t kMaxSources = 1000;
constexpr std::size_t kMaxRasReplies = 1000;

json to_json(const std::vector<model::LeftOut>& left_out) {
  json list = json::array();
  for (const auto& l : left_out)
    list.push_back({{"host", l.host}, {"pid", l.pid}, {"rank", l.rank}, {"job", l.job_key}});
  return list;
}

json to_json(const std::vector<model::RasReply>& replies) {
  json list = json::array();
  for (const auto& r : replies) {
    list.push_back({{"status", model::record_status_name(r.status)},
                    {"reason", r.reason},
                    {"fix", r.fix},
                    {"address", r.address},
                    {"host", r.host},
                    {"pids", r.pids},
                    {"answered_by", r.answered_by},
                    {"read_at_unix_ns", r.read_at_unix_ns},
                    {"took_s", r.took_s}});
  }
  return list;
}

json to_json(const Session& s) {
  json captures = json::array();
  for (const auto& sample : s.samples) {
    json pids = json::array();
    for (const auto& process : sample) pids.push_back(process.capture.pid);
    captures.push_back(pids);
  }
  json failed = json::array();
  for (const auto& f : s.failed) failed.push_back(f.pid);
  json sources = json::array();
  for (const auto& [path, text] : s.sources) sources.push_back(path);
  return {{"schema", kSchema},
          {"tool_version", s.tool_version},
          {"created_unix_s", s.created_unix_s},
          {"gap_s", s.sampling.gap_s},
          {"stop", s.sampling.stop},
          {"samples", captures},
          {"failed", failed},
          {"sources", sources},
          {"left_out", to_json(s.left_out)},
          {"asked", s.sampling.asked},
          {"ras", to_json(s.ras)}};
}

std::string folder_name(std::size_t sample, std::int32_t pid) { return fmt::format("{}-{}", sample + 1, pid); }
std::string failed_folder_name(std::int32_t pid) { return fmt::format("failed-{}", pid); }

/// A failed process is kept as a capture without threads, whose one problem is the reason.
model::ProcessCapture as_capture(const model::FailedProcess& f) {
  model::ProcessCapture capture;
  capture.host = f.host;
  capture.pid = f.pid;
  capture.identity = f.identity;
  capture.kernel_state = f.kernel_state;
  capture.problems.push_back({"pid", std::to_string(f.pid), f.error});
  return capture;
}

Expected<model::FailedProcess> as_failed(const model::ProcessCapture& c) {
  if (c.problems.empty())
    return failure(ErrorCode::malformed_input, fmt::format("no reason is kept for pid {}", c.pid));
  return model::FailedProcess{c.host, c.pid, c.identity, c.kernel_state, c.problems.front().error};
}

Expected<void> write_sources(const std::map<std::string, std::string>& sources, const std::filesystem::path& folder) {
  auto done = prepare_capture_folder(folder);
  int number = 0;
  for (const auto& [path, text] : sources) {
    if (done) done = model::write_private_file(folder / std::to_string(++number), text);
  }
  return done;
}

Expected<void> write_ras(const std::vector<model::RasReply>& replies, const std::filesystem::path& folder) {
  auto done = prepare_capture_folder(folder);
  int number = 0;
  for (const model::RasReply& reply : replies)
    if (done) done = model::write_private_file(folder / std::to_string(++number), reply.text);
  return done;
}

/// A session that was kept before RAS was asked has no list of replies.
Expected<void> read_ras(const json& j, const std::filesystem::path& folder, std::vector<model::RasReply>& replies) {
  const json none = json::array();
  const json& list = j.contains("ras") ? j.at("ras") : none;
  if (list.size() > kMaxRasReplies)
    return failure(ErrorCode::malformed_input, "more answers of RAS than hangstack asks for");
  for (const json& r : list) {
    model::RasReply& reply = replies.emplace_back();
    const auto status = model::record_status_named(r.at("status").get<std::string>());
    if (!status) return failure(ErrorCode::malformed_input, "an answer of RAS has no status");
    reply.status = *status;
    r.at("reason").get_to(reply.reason);
    r.at("fix").get_to(reply.fix);
    r.at("address").get_to(reply.address);
    r.at("host").get_to(reply.host);
    r.at("pids").get_to(reply.pids);
    r.at("answered_by").get_to(reply.answered_by);
    r.at("read_at_unix_ns").get_to(reply.read_at_unix_ns);
    r.at("took_s").get_to(reply.took_s);
    auto text = model::read_kept_file(folder / std::to_string(replies.size()));
    if (!text) return tl::make_unexpected(text.error());
    reply.text = std::move(*text);
  }
  return {};
}

Session session_from_json(const json& j) {
  Session s;
  s.tool_version = j.at("tool_version");
  s.created_unix_s = j.at("created_unix_s");
  s.sampling.gap_s = j.at("gap_s");
  s.sampling.stop = j.at("stop");
  if (j.contains("asked")) j.at("asked").get_to(s.sampling.asked);
  return s;
}

Expected<Session> read_captures(const json& j, const std::filesystem::path& folder) {
  Session session = session_from_json(j);
  if (j.at("samples").size() > kMaxSamples)
    return failure(ErrorCode::malformed_input, "more samples than hangstack makes");
  for (const json& pids : j.at("samples")) {
    auto& sample = session.samples.emplace_back();
    for (const json& pid : pids) {
      const auto place = folder / folder_name(session.samples.size() - 1, pid.get<std::int32_t>());
      auto capture = model::load_capture(place);
      if (capture)
        sample.push_back({std::move(*capture), std::nullopt});
      else
        session.problems.push_back({"file", place.string(), capture.error()});
    }
  }
  for (const json& pid : j.at("failed")) {
    auto failed = model::load_capture(folder / failed_folder_name(pid.get<std::int32_t>())).and_then(as_failed);
    if (!failed) return tl::make_unexpected(failed.error());
    session.failed.push_back(std::move(*failed));
  }
  const json& sources = j.at("sources");
  if (sources.size() > kMaxSources)
    return failure(ErrorCode::malformed_input, "more source files than hangstack keeps");
  for (std::size_t i = 0; i < sources.size(); ++i) {
    auto text = model::read_kept_file(folder / kSourcesFolder / std::to_string(i + 1));
    if (!text) return tl::make_unexpected(text.error());
    session.sources.emplace(sources[i].get<std::string>(), std::move(*text));
  }
  if (auto read = read_ras(j, folder / kRasFolder, session.ras); !read) return tl::make_unexpected(read.error());
  for (const json& l : j.at("left_out"))
    session.left_out.push_back({l.at("host"), l.at("pid"), l.at("rank"), l.at("job")});
  session.sampling.samples = static_cast<int>(session.samples.size());
  const bool any = std::ranges::any_of(session.samples, [](const auto& sample) { return !sample.empty(); });
  if (!any && !session.problems.empty()) return tl::make_unexpected(session.problems.front().error);
  return session;
}

}  // namespace

Expected<void> prepare_capture_folder(const std::filesystem::path& folder) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) {
    return failure(ErrorCode::unavailable, fmt::format("cannot create {}: {}", folder.string(), code.message()),
                   "name a folder that you may write");
  }
  const bool empty = std::filesystem::is_empty(folder, code);
  if (code || !empty) {
    return failure(ErrorCode::unavailable, fmt::format("{} is not an empty folder", folder.string()),
                   "name a new folder for --capture");
  }
  ::chmod(folder.c_str(), 0700);
  return {};
}

Expected<void> save_session(const Session& session, const std::string& facts_json,
                            const std::filesystem::path& folder) {
  auto done = prepare_capture_folder(folder);
  for (std::size_t i = 0; done && i < session.samples.size(); ++i) {
    for (const auto& process : session.samples[i]) {
      if (done) done = model::save_capture(process.capture, folder / folder_name(i, process.capture.pid));
    }
  }
  for (const auto& failed : session.failed) {
    if (done) done = model::save_capture(as_capture(failed), folder / failed_folder_name(failed.pid));
  }
  if (done) done = model::write_private_file(folder / "facts.json", facts_json);
  if (done) done = write_sources(session.sources, folder / kSourcesFolder);
  if (done && !session.ras.empty()) done = write_ras(session.ras, folder / kRasFolder);
  if (done)
    done = model::write_private_file(folder / "session.json",
                                     to_json(session).dump(2, ' ', false, json::error_handler_t::replace) + "\n");
  return done;
}

Expected<SavedSession> load_session(const std::filesystem::path& folder) {
  const auto text = model::read_kept_file(folder / "session.json");
  if (!text) return tl::make_unexpected(text.error());
  const auto facts = model::read_kept_file(folder / "facts.json");
  if (!facts) return tl::make_unexpected(facts.error());
  try {
    const json j = json::parse(*text);
    if (j.at("schema") != kSchema) {
      return failure(ErrorCode::malformed_input,
                     fmt::format("{} is of another schema than {}", (folder / "session.json").string(), kSchema),
                     "replay it with the hangstack that wrote it");
    }
    return read_captures(j, folder).map([&](Session&& session) { return SavedSession{std::move(session), *facts}; });
  } catch (const json::exception& e) {
    return failure(ErrorCode::malformed_input,
                   fmt::format("{} is damaged: {}", (folder / "session.json").string(), e.what()),
                   "give a folder that hangstack --capture wrote");
  }
}

}  // namespace hangstack::cli
