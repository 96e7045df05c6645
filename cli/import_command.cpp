#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <set>

#include "classifiers/classify.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "ingest/ingest.h"

namespace hangstack::cli {
namespace {

using model::ErrorCode;
using model::Expected;
using model::failure;

constexpr std::size_t kMaxFileBytes = 256U << 20;
constexpr std::int64_t kNsPerSecond = 1'000'000'000;

/// A file to read; `named`: by the user, not by the folder that it lies in.
struct Wanted {
  std::string path;
  std::optional<int> rank;
  bool named = true;
};

/// "3=FILE": the rank and the file. A file whose own name looks so must be given as "./3=FILE".
Wanted wanted_of(const std::string& word) {
  int rank = 0;
  const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), rank);
  if (code != std::errc{} || end == word.data() + word.size() || *end != '=' || rank < 0) return {word, std::nullopt};
  return {std::string(end + 1, word.data() + word.size()), rank};
}

/// The files of a folder, by name; those of folders in it are left alone.
Expected<std::vector<Wanted>> files_in(const Wanted& folder) {
  if (folder.rank)
    return failure(ErrorCode::usage, fmt::format("{} is a folder: it cannot be of rank {}", folder.path, *folder.rank),
                   "give its files one by one: RANK=FILE");
  std::vector<Wanted> files;
  std::error_code code;
  for (std::filesystem::directory_iterator entry(folder.path, code), end; !code && entry != end;
       entry.increment(code)) {
    if (entry->path().filename().string().starts_with('.') || entry->is_directory(code)) continue;
    files.push_back({entry->path().string(), std::nullopt, false});
  }
  if (code)
    return failure(ErrorCode::not_found, fmt::format("cannot read the folder {}: {}", folder.path, code.message()));
  if (files.empty()) return failure(ErrorCode::not_found, fmt::format("the folder {} holds no file", folder.path));
  std::ranges::sort(files, {}, &Wanted::path);
  return files;
}

Expected<std::vector<Wanted>> wanted_files(const std::vector<std::string>& words) {
  std::vector<Wanted> all;
  for (const std::string& word : words) {
    Wanted wanted = wanted_of(word);
    std::error_code code;
    if (!std::filesystem::is_directory(wanted.path, code)) {
      all.push_back(std::move(wanted));
      continue;
    }
    auto files = files_in(wanted);
    if (!files) return tl::make_unexpected(files.error());
    std::ranges::move(*files, std::back_inserter(all));
  }
  return all;
}

tl::unexpected<model::Error> unreadable(const std::string& path, const char* why) {
  return failure(ErrorCode::not_found, fmt::format("cannot read {}: {}", path, why), "name a file that you may read");
}

/// Regular files only: a pipe that nobody writes would never end.
Expected<ingest::DumpFile> read_file(const Wanted& wanted) {
  const int fd = ::open(wanted.path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return unreadable(wanted.path, std::strerror(errno));
  struct stat about{};
  ingest::DumpFile file{wanted.path, wanted.rank, 0, {}};
  const bool known = ::fstat(fd, &about) == 0;
  const char* why = !known                                                    ? std::strerror(errno)
                    : !S_ISREG(about.st_mode)                                 ? "it is no ordinary file"
                    : static_cast<std::size_t>(about.st_size) > kMaxFileBytes ? "it is larger than 256 MiB"
                                                                              : nullptr;
  if (why == nullptr) {
    file.bytes.resize(static_cast<std::size_t>(about.st_size));
    std::size_t got = 0;
    while (got < file.bytes.size()) {
      const ssize_t more = ::read(fd, file.bytes.data() + got, file.bytes.size() - got);
      if (more < 0 && errno == EINTR) continue;
      if (more < 0) why = std::strerror(errno);
      if (more <= 0) break;
      got += static_cast<std::size_t>(more);
    }
    file.bytes.resize(got);
    file.modified_unix_ns = about.st_mtim.tv_sec * kNsPerSecond + about.st_mtim.tv_nsec;
  }
  ::close(fd);
  if (why != nullptr) return unreadable(wanted.path, why);
  return file;
}

model::Report report_of(ingest::Imported&& imported) {
  model::Report report;
  report.tool_version = HANGSTACK_VERSION;
  report.created_unix_s = std::time(nullptr);
  report.jobs = classifiers::classify(imported.snapshot);
  report.processes = std::move(imported.snapshot.processes);
  report.errors = std::move(imported.problems);
  return report;
}

/// Whether an output is a file that is read: it would be lost.
bool would_overwrite_input(const Options& options, const std::vector<Wanted>& files) {
  for (const OutputFile& output : options.outputs) {
    for (const Wanted& file : files) {
      std::error_code code;
      if (!std::filesystem::equivalent(output.path, file.path, code) || code) continue;
      print_error({ErrorCode::usage, fmt::format("-o {} is one of the files to read", output.path),
                   "name another file for the report"});
      return true;
    }
  }
  return false;
}

/// Whether a file that the user named is not in the report.
bool lacks_named(const std::vector<Wanted>& files, const ingest::Imported& imported) {
  std::set<std::string> wrong;
  for (const model::Problem& problem : imported.problems) wrong.insert(problem.subject);
  return std::ranges::any_of(files, [&](const Wanted& file) { return file.named && wrong.contains(file.path); });
}

}  // namespace

ExitStatus run_import(const Options& options) {
  if (!can_write_outputs(options)) return ExitStatus::usage;
  const auto files = wanted_files(options.dumps);
  if (!files) {
    print_error(files.error());
    return files.error().code == ErrorCode::usage ? ExitStatus::usage : ExitStatus::nothing_sampled;
  }
  if (would_overwrite_input(options, *files)) return ExitStatus::usage;
  ProgressLine progress(!options.quiet);
  ingest::Importer importer;
  std::vector<model::Problem> unread;
  for (std::size_t i = 0; i < files->size(); ++i) {
    progress.show(fmt::format("file {} of {}", i + 1, files->size()));
    if (const auto file = read_file((*files)[i]))
      importer.add(*file);
    else
      unread.push_back({"file", (*files)[i].path, file.error()});
  }
  progress.clear();
  ingest::Imported imported = std::move(importer).take();
  std::ranges::move(unread, std::back_inserter(imported.problems));
  if (imported.snapshot.processes.empty()) {
    for (const model::Problem& problem : imported.problems) print_error(problem.error);
    return ExitStatus::nothing_sampled;
  }
  const bool partial = lacks_named(*files, imported);
  const model::Report report = report_of(std::move(imported));
  const bool written = write_outputs(report, options);
  for (const model::Job& job : report.jobs)
    if (options.check && job.verdict.hung == model::Hung::yes) return ExitStatus::hang_found;
  return written && !partial ? ExitStatus::report_made : ExitStatus::partial;
}

}  // namespace hangstack::cli
