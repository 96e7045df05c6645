#pragma once
// The command line, parsed and checked.

#include <cstdint>
#include <string>
#include <vector>

#include "model/error.h"
#include "report/report.h"
#include "sampler/sampler.h"

namespace hangstack::cli {

enum class Command : std::uint8_t { sample, import_dumps, replay, doctor, explain };
enum class Format : std::uint8_t { text, json, html, folded, speedscope, dot };
enum class Color : std::uint8_t { automatic, always, never };

struct OutputFile {
  std::string path;
  Format format = Format::text;
};

struct Options {
  Command command = Command::sample;

  // Whom to sample.
  bool pids_given = false;         ///< --pids stands on the command line
  std::vector<std::int32_t> pids;  ///< in the order given, without repeats
  std::string pgrep;               ///< --pgrep
  bool children = false;

  // How.
  int samples = 2;
  double gap_s = 2.0;
  sampler::SamplingOptions sampling;
  bool ras = true;  ///< ask NCCL's RAS
  bool native = true;
  bool python = true;
  std::string capture_folder;      ///< --capture; for replay the folder to read
  std::string thinned_folder;      ///< --thin of replay
  std::vector<std::string> dumps;  ///< of import: files and folders, each perhaps behind "RANK="

  // What comes out.
  std::vector<OutputFile> outputs;
  Format format = Format::text;  ///< on stdout
  report::TextOptions text;
  Color color = Color::automatic;
  bool check = false;
  bool quiet = false;

  // What is explained: both may be empty.
  std::string topic;
  std::string topic_name;
};

/// What `parse_options` wants the program to do when it is not to run a command.
struct EarlyEnd {
  int status = 0;
  std::string out;  ///< for stdout: --help, --version
  std::string err;  ///< for stderr: one sentence on what is wrong, and what to do
};

/// Options, or the text and status to end with. Never prints and never exits by itself.
tl::expected<Options, EarlyEnd> parse_options(int argc, const char* const* argv);

/// "12,13 14\n15" -> pids in that order, each once. An error that quotes what is not a process id.
model::Expected<std::vector<std::int32_t>> parse_pids(const std::vector<std::string>& words);

}  // namespace hangstack::cli
