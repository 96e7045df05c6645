#pragma once
// A session: all captures of one run. Kept in a folder by --capture, read by replay.
//
//   DIR/session.json            what was asked, and when
//   DIR/facts.json              what was asked of ELF files
//   DIR/ras/N                   what NCCL's RAS answered to the N-th question
//   DIR/sources/N               text of the N-th user's Python file that session.json names
//   DIR/SAMPLE-PID/             one capture (model/capture_codec.h)
//   DIR/failed-PID/             likewise of a process that failed: without threads, with the reason

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/capture.h"
#include "model/diagnosis.h"
#include "model/ras.h"
#include "model/snapshot.h"

namespace hangstack::cli {

struct SampledProcess {
  model::ProcessCapture capture;
  std::optional<model::ProcessSnapshot> snapshot;  ///< as far as it has been symbolized; not kept on disk
};

struct Session {
  std::string tool_version;
  std::int64_t created_unix_s = 0;
  model::Sampling sampling;  ///< `samples` is how many were made
  /// By sample, then by process, in the order of the pids.
  std::vector<std::vector<SampledProcess>> samples;
  std::vector<model::FailedProcess> failed;
  std::vector<model::LeftOut> left_out;        ///< as in model::JobSnapshot
  std::map<std::string, std::string> sources;  ///< likewise
  std::vector<model::RasReply> ras;            ///< asked after the last sample
  std::vector<model::Problem> problems;        ///< captures of a saved session that could not be loaded
};

/// Makes the folder if it is not there. `unavailable` if it cannot be made or is not empty.
model::Expected<void> prepare_capture_folder(const std::filesystem::path& folder);

/// Writes the session, readable by its owner only; the folder may exist if it is empty. `unavailable` names the file
/// that could not be written.
model::Expected<void> save_session(const Session& session, const std::string& facts_json,
                                   const std::filesystem::path& folder);

struct SavedSession {
  Session session;
  std::string facts_json;
};

/// `not_found` or `malformed_input` with the file's name if no capture can be loaded; what some lack is in `problems`.
model::Expected<SavedSession> load_session(const std::filesystem::path& folder);

}  // namespace hangstack::cli
