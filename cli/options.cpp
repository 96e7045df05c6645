#include "cli/options.h"

#include <fmt/core.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include "cli/exit_status.h"

namespace hangstack::cli {
namespace {

constexpr auto kDescription =
    "Says why a distributed job hangs: reads the stacks of all its processes from outside, compares the ranks, and\n"
    "names the cause. Nothing in the job runs or waits for it: what sleeps is not stopped.";
constexpr auto kFooter =
    "examples:\n"
    "  hangstack                                 the ranks on this host, found by itself\n"
    "  hangstack --pids $(pgrep -f train.py)     these processes\n"
    "  hangstack --pgrep train.py -o report.html\n"
    "  hangstack doctor --pids $(pgrep -f train.py)   what would work, and what not\n"
    "\n"
    "exit status: 0 a report was made; 1 with --check, a hang; 2 wrong usage; 3 nothing could be sampled;\n"
    "4 a pid that was named gave no stack, or an output was not written; 130 interrupted";

constexpr auto kImportFooter =
    "examples:\n"
    "  hangstack import dumps/                            every file of a folder\n"
    "  hangstack import rank*.pyspy.txt ras.txt           the rank from the files' names\n"
    "  hangstack import 0=a.txt 1=b.txt                   whose dump each is\n"
    "  hangstack import /tmp/nccl_trace_rank_* -o report.json\n"
    "  hangstack import slurm-1234.out                    lines of all tasks, each with its prefix\n"
    "\n"
    "exit status: 0 a report was made; 3 no file could be read; 4 one that was named could not.\n"
    "How to take dumps: hangstack explain dumps";

/// What CLI11 fills before it is checked and becomes Options.
struct RawOptions {
  std::vector<std::string> pids;
  std::vector<std::string> outputs;
  std::string format = "text";
  std::string stop = "auto";
  std::string ras = "on";
  std::string color = "auto";
  double timeout_s = 10;
  bool native_only = false;
  bool python_only = false;
};

struct FormatName {
  std::string_view name;    ///< for --format
  std::string_view suffix;  ///< of a file
  Format format;
};

/// Of two suffixes that fit, the first: a file of speedscope's is JSON too.
constexpr auto kFormats = std::to_array<FormatName>({{"text", ".txt", Format::text},
                                                     {"html", ".html", Format::html},
                                                     {"speedscope", ".speedscope.json", Format::speedscope},
                                                     {"json", ".json", Format::json},
                                                     {"folded", ".folded", Format::folded},
                                                     {"dot", ".dot", Format::dot}});

/// "text, html, ..." or the suffixes.
std::string format_list(std::string_view FormatName::* what) {
  std::string list;
  for (const FormatName& one : kFormats) list += (list.empty() ? "" : ", ") + std::string(one.*what);
  return list;
}

std::optional<Format> format_named(std::string_view name) {
  if (name == "txt") return Format::text;
  const auto* found = std::ranges::find(kFormats, name, &FormatName::name);
  return found == kFormats.end() ? std::nullopt : std::optional(found->format);
}

std::optional<Format> format_of_file(std::string_view path) {
  const auto* found = std::ranges::find_if(kFormats, [&](const FormatName& one) { return path.ends_with(one.suffix); });
  return found == kFormats.end() ? std::nullopt : std::optional(found->format);
}

void add_target_options(CLI::App& app, Options& options, RawOptions& raw) {
  app.add_option("--pids", raw.pids, "process ids, separated by spaces or commas")
      ->expected(0, -1)
      ->type_name("PID...");
  app.add_option("--pgrep", options.pgrep, "the processes whose command line matches (extended regular expression)")
      ->type_name("RE");
  app.add_flag("--children", options.children, "the processes below them as well");
}

void add_output_options(CLI::App& app, Options& options, RawOptions& raw) {
  app.add_option("-o,--output", raw.outputs,
                 "also write the report to FILE; its suffix says the format: " + format_list(&FormatName::suffix) +
                     "; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      // One file each time: what follows may be files to read, and must not be written over.
      ->allow_extra_args(false)
      ->type_name("FILE");
  app.add_option("--format", raw.format, "what stdout gets: " + format_list(&FormatName::name))->capture_default_str();
  app.add_flag("--all-threads", options.text.all_threads, "do not fold idle threads");
  app.add_flag("--full", options.text.full, "every stack with every frame");
  app.add_flag("--why", options.text.why, "the rules that were tried, and on what they decided");
  app.add_flag("--native-only", raw.native_only, "no Python frames");
  app.add_flag("--python-only", raw.python_only, "no native frames");
  app.add_flag("--check", options.check, "exit with status 1 if a hang is diagnosed");
  app.add_option("--color", raw.color, "auto, always or never (NO_COLOR is honoured)")->capture_default_str();
  app.add_flag("-q,--quiet", options.quiet, "nothing on stdout, no progress");
}

void add_sample_options(CLI::App& app, Options& options, RawOptions& raw) {
  add_target_options(app, options, raw);
  app.add_option("--samples", options.samples, "how often to look")->capture_default_str();
  app.add_option("--gap", options.gap_s, "seconds between two samples")->capture_default_str();
  app.add_option(
         "--stop", raw.stop,
         "auto: stop only threads that cannot be read otherwise; all: every thread at once (some blocked calls then "
         "return EINTR); never")
      ->capture_default_str();
  app.add_option("--ras", raw.ras,
                 "on: ask NCCL's RAS thread (NCCL 2.24 or later), once per job, after the last sample; off")
      ->capture_default_str();
  app.add_option("--timeout", raw.timeout_s, "deadline for one process in seconds")->capture_default_str();
  app.add_option("--capture", options.capture_folder, "keep what was read in DIR, for replay (it holds stack memory)")
      ->type_name("DIR");
  add_output_options(app, options, raw);
}

tl::unexpected<EarlyEnd> usage_error(const std::string& sentence, const std::string& fix = "see hangstack --help") {
  return tl::make_unexpected(
      EarlyEnd{static_cast<int>(ExitStatus::usage), "", fmt::format("hangstack: {}\n  {}\n", sentence, fix)});
}

/// Finite and within [low, high].
bool within(double value, double low, double high) { return value >= low && value <= high; }

std::optional<tl::unexpected<EarlyEnd>> check_outputs(const RawOptions& raw, Options& options) {
  const auto format = format_named(raw.format);
  if (!format)
    return usage_error(fmt::format("--format {} is not known", raw.format),
                       "formats: " + format_list(&FormatName::name));
  options.format = *format;
  for (const std::string& path : raw.outputs) {
    const auto by_suffix = format_of_file(path);
    if (!by_suffix) {
      return usage_error(fmt::format("the suffix of \"{}\" names no format", path),
                         "end it in one of " + format_list(&FormatName::suffix));
    }
    options.outputs.push_back({path, *by_suffix});
  }
  if (raw.color == "always") {
    options.color = Color::always;
  } else if (raw.color == "never") {
    options.color = Color::never;
  } else if (raw.color != "auto") {
    return usage_error(fmt::format("--color {} is not known", raw.color), "auto, always or never");
  }
  if (raw.native_only && raw.python_only) return usage_error("--native-only and --python-only exclude each other");
  options.native = !raw.python_only;
  options.python = !raw.native_only;
  return std::nullopt;
}

std::optional<tl::unexpected<EarlyEnd>> check_sampling(const RawOptions& raw, Options& options) {
  if (options.samples < 1 || options.samples > 100) return usage_error("--samples must be from 1 to 100");
  if (!within(options.gap_s, 0, 3600)) return usage_error("--gap must be from 0 to 3600 seconds");
  if (!within(raw.timeout_s, 0.1, 3600)) return usage_error("--timeout must be from 0.1 to 3600 seconds");
  options.sampling.deadline = std::chrono::milliseconds(static_cast<std::int64_t>(raw.timeout_s * 1000));
  if (raw.ras != "on" && raw.ras != "off")
    return usage_error(fmt::format("--ras {} is not known", raw.ras), "on or off");
  options.ras = raw.ras == "on";
  if (raw.stop == "all") {
    options.sampling.stop = sampler::StopMode::all;
  } else if (raw.stop == "never") {
    options.sampling.stop = sampler::StopMode::never;
  } else if (raw.stop != "auto") {
    return usage_error(fmt::format("--stop {} is not known", raw.stop), "auto, all or never");
  }
  return std::nullopt;
}

std::optional<tl::unexpected<EarlyEnd>> check_targets(const RawOptions& raw, Options& options) {
  if (!options.pids_given) return std::nullopt;
  auto pids = parse_pids(raw.pids);
  if (!pids) return usage_error(pids.error().message, pids.error().fix);
  options.pids = std::move(*pids);
  return std::nullopt;
}

/// CLI11's sentence, with a better hint for the usual slip.
EarlyEnd hint_for(const CLI::ParseError& error, int argc, const char* const* argv) {
  const std::string sentence = error.what();
  std::string hint = "see hangstack --help";
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const bool number = !word.empty() && std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
    if (number && sentence.ends_with(fmt::format("not expected: {}", word))) {
      hint = fmt::format("to sample process {}: hangstack --pids {}", word, word);
    }
  }
  return {static_cast<int>(ExitStatus::usage), "", fmt::format("hangstack: {}\n  {}\n", sentence, hint)};
}

}  // namespace

model::Expected<std::vector<std::int32_t>> parse_pids(const std::vector<std::string>& words) {
  std::vector<std::int32_t> pids;
  for (const std::string& word : words) {
    std::size_t start = 0;
    while (start <= word.size()) {
      const std::size_t end = std::min(word.find_first_of(", \t\n", start), word.size());
      const std::string_view item = std::string_view(word).substr(start, end - start);
      start = end + 1;
      if (item.empty()) continue;
      std::int32_t pid = 0;
      const auto [stop, code] = std::from_chars(item.data(), item.data() + item.size(), pid);
      if (code != std::errc{} || stop != item.data() + item.size() || pid <= 0) {
        return model::failure(model::ErrorCode::usage, fmt::format("\"{}\" is not a process id", item),
                              "give numbers: hangstack --pids 1234 1235");
      }
      if (std::ranges::find(pids, pid) == pids.end()) pids.push_back(pid);
    }
  }
  if (pids.empty()) {
    return model::failure(model::ErrorCode::usage, "--pids is empty: the command that should list them found nothing",
                          "check it alone (pgrep -af train.py), or leave --pids out: hangstack finds ranks by itself");
  }
  return pids;
}

tl::expected<Options, EarlyEnd> parse_options(int argc, const char* const* argv) {
  Options options;
  RawOptions raw;
  CLI::App app(kDescription, "hangstack");
  app.footer(kFooter);
  app.get_formatter()->column_width(26);
  app.set_version_flag("--version", fmt::format("hangstack {}", HANGSTACK_VERSION));
  app.require_subcommand(0, 1);
  add_sample_options(app, options, raw);

  CLI::App* sample = app.add_subcommand("sample", "sample processes and report (what happens without a subcommand)");
  add_sample_options(*sample, options, raw);
  CLI::App* replay = app.add_subcommand("replay", "report from what --capture kept, on another machine too");
  replay->add_option("folder", options.capture_folder, "the folder that --capture wrote")->required()->type_name("DIR");
  replay->add_option("--thin", options.thinned_folder, "keep in OUT what the report needs: all other memory is zeroed")
      ->type_name("OUT");
  add_output_options(*replay, options, raw);
  CLI::App* import = app.add_subcommand(
      "import",
      "report from dumps of other tools: py-spy, gdb, eu-stack, pystack, PyTorch's flight recorder, NCCL's RAS, logs");
  import
      ->add_option(
          "dumps", options.dumps,
          "a file, or a folder of files; the rank from RANK=, else from the prefix of each line (srun -l, mpirun "
          "--tag-output, torchrun --tee), from \"rankN\" or \"_N\" in the file's name, or from what is in it")
      ->required()
      ->type_name("[RANK=]DUMP...");
  import->footer(kImportFooter);
  add_output_options(*import, options, raw);
  CLI::App* doctor = app.add_subcommand("doctor", "what would work here and what not, each with its fix");
  add_target_options(*doctor, options, raw);
  CLI::App* explain = app.add_subcommand("explain", "the page on a pattern or a topic; alone: which there are");
  explain->add_option("topic", options.topic,
                      "a pattern or a topic; reproducer: a script that hangs in a documented way");
  explain->add_option("name", options.topic_name, "a part of the topic: of reproducer, a pattern or a script");

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    return tl::make_unexpected(EarlyEnd{0, chosen.empty() ? app.help() : chosen.front()->help(), ""});
  } catch (const CLI::CallForVersion&) {
    return tl::make_unexpected(EarlyEnd{0, app.version() + "\n", ""});
  } catch (const CLI::ParseError& error) {
    return tl::make_unexpected(hint_for(error, argc, argv));
  }
  if (import->parsed()) options.command = Command::import_dumps;
  if (replay->parsed()) options.command = Command::replay;
  if (doctor->parsed()) options.command = Command::doctor;
  if (explain->parsed()) options.command = Command::explain;
  for (const CLI::App* owner : std::initializer_list<const CLI::App*>{&app, sample, doctor}) {
    if (owner->count("--pids") > 0) options.pids_given = true;
  }
  for (const auto check : {check_targets, check_sampling, check_outputs}) {
    if (auto wrong = check(raw, options)) return *wrong;
  }
  return options;
}

}  // namespace hangstack::cli
