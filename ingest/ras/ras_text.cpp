// The text of RAS (src/ras/client_support.cc of NCCL 2.24.3 to 2.30.7, rasClientRunInit and rasClientRunComms), line
// by line. A communicator appears only under a heading "#GROUP-INDEX (hash) KIND" that names a difference or a failure.

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ingest/ras/ras_reply.h"
#include "ingest/text.h"

namespace hangstack::ingest {
namespace {

using model::RasCommunicator;
using model::RasPresence;
using model::RasRank;

/// Beyond so many ranks in all, only those that RAS lists are told.
constexpr std::int64_t kMostInferred = 1 << 20;
constexpr std::size_t kMostLost = 65536;

/// Takes a number from the front of `text`.
template <typename Number>
std::optional<Number> take_number(std::string_view& text, int base = 10) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool take(std::string_view& text, std::string_view start) {
  if (!text.starts_with(start)) return false;
  text.remove_prefix(start.size());
  return true;
}

/// What stands behind `mark`, if it is there.
std::optional<std::string_view> behind(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  return text.substr(at + mark.size());
}

/// ncclResult_t as ncclErrorToString writes it; -1 for one that it does not know.
std::int32_t result_from(std::string_view text) {
  static constexpr std::string_view kNames[] = {"",
                                                "Unhandled CUDA error",
                                                "System error",
                                                "Internal error",
                                                "Invalid argument",
                                                "Invalid usage",
                                                "Remote process error"};
  const auto* found = std::ranges::find(kNames, text);
  return found == std::end(kNames) ? -1 : static_cast<std::int32_t>(found - std::begin(kNames));
}

/// What the lines below a heading are about.
enum class Subject : std::uint8_t { none, missing, status, count, count_of_all, init_error, async_error, silent, dead };

class Reader {
 public:
  model::Expected<model::RasReport> read(std::string_view text) {
    while (!text.empty()) line(take_line(text));
    end_subject();
    if (report_.nccl_version.empty() || !has_warnings_)
      return model::failure(model::ErrorCode::malformed_input, "what RAS sent is not its report, or not all of it");
    return std::move(report_);
  }

 private:
  void line(std::string_view raw) {
    std::string_view text = trimmed(raw);
    if (text.empty()) return;
    if (take(text, "NCCL version ")) {
      report_.nccl_version = text.substr(0, std::min<std::size_t>(text.find(' '), 64));
    } else if (text.starts_with("Group ")) {
      in_table_ = true;
    } else if (text == "Errors" || text == "Warnings") {
      end_subject();
      in_table_ = false;
      communicator_ = nullptr;
      has_warnings_ = has_warnings_ || text == "Warnings";
    } else if (text == "INCOMPLETE" || text == "DEAD") {
      end_subject();
      communicator_ = nullptr;
      subject_ = text == "DEAD" ? Subject::dead : Subject::silent;
    } else if (take(text, "Encountered ")) {
      report_.timeouts = take_number<std::int32_t>(text).value_or(0);
    } else if (raw.starts_with('#')) {
      heading(text.substr(1));
    } else if (in_table_) {
      group(text);
    } else if (communicator_ != nullptr) {
      about_communicator(text);
    } else if (subject_ != Subject::none) {
      about_job(text);
    }
  }

  /// "0         1         1         2         2         2   RUNNING  MISMATCH"
  void group(std::string_view text) {
    std::array<std::int32_t, 5> columns{};
    for (std::int32_t& column : columns) {
      const auto number = take_number<std::int32_t>(text);
      if (!number) return;
      column = *number;
      if (take(text, "-")) (void)take_number<std::int32_t>(text);  // "1-2" ranks per node
      text = trimmed(text);
    }
    if (sizes_.size() < kMostRasCommunicators) sizes_[columns[0]] = columns[4];
    report_.communicators_in_all += std::clamp(columns[1], 0, 1 << 20);
  }

  /// "0-0 (a8e2d66a333683a4) MISMATCH"
  void heading(std::string_view text) {
    end_subject();
    communicator_ = nullptr;
    const auto group = take_number<std::int32_t>(text);
    const std::size_t open = text.find('(');
    if (!group || open == std::string_view::npos) return;
    text.remove_prefix(open + 1);
    const auto hash = take_number<std::uint64_t>(text, 16);
    if (!hash || !take(text, ") ")) return;
    const auto known = places_.find(*hash);
    if (known == places_.end()) {
      if (report_.communicators.size() == kMostRasCommunicators) return;
      places_[*hash] = report_.communicators.size();
      report_.communicators.emplace_back().hash = *hash;
    }
    communicator_ = &report_.communicators[places_[*hash]];
    const auto size = sizes_.find(*group);
    communicator_->ranks = size == sizes_.end() ? 0 : std::max(size->second, 0);
    if (text == "INCOMPLETE") subject_ = Subject::missing;
  }

  void about_job(std::string_view text) {
    const bool dead = subject_ == Subject::dead;
    std::string_view rest = text;
    if (take(rest, "Process ")) {
      const auto pid = take_number<std::int32_t>(rest);
      const auto host = behind(rest, " on node ");
      if (!pid || !host || report_.lost.size() == kMostLost) return;
      report_.lost.push_back({std::string(host->substr(0, std::min<std::size_t>(host->find(' '), 64))), *pid, dead});
    } else if (take(rest, "Missing communicator data from ")) {
      report_.silent_processes = take_number<std::int32_t>(rest).value_or(0);
    } else if (const auto count = take_number<std::int32_t>(rest); count && dead) {
      report_.dead_processes = *count;
    }
  }

  void about_communicator(std::string_view text) {
    std::string_view rest = text;
    if (take(rest, "Communicator ranks have different ")) {
      end_subject();
      if (rest == "status") {
        subject_ = Subject::status;
      } else {
        const std::string_view kind = rest.substr(0, rest.find(' '));
        const auto found = std::ranges::find(model::kNcclCollectives, kind);
        kind_ = static_cast<std::size_t>(found - model::kNcclCollectives.begin());
        subject_ = found == model::kNcclCollectives.end() ? Subject::count_of_all : Subject::count;
        if (subject_ == Subject::count_of_all && kind != "collective") subject_ = Subject::none;
      }
    } else if (text.starts_with("Initialization error")) {
      end_subject();
      subject_ = Subject::init_error;
    } else if (text.starts_with("Asynchronous error")) {
      end_subject();
      subject_ = Subject::async_error;
    } else if (take(rest, "The missing rank") || take(rest, "The unknown rank")) {
      listed(behind(rest, ": ").value_or(""));
    } else if (take(rest, "Rank ")) {
      rank(rest);
    } else if (const auto count = take_number<std::int32_t>(rest); count) {
      several(*count, trimmed(rest));
    }
  }

  /// "2 ranks have launched up to operation 3": some of which the lines that follow may name.
  void several(std::int32_t count, std::string_view text) {
    end_several();
    take(text, "ranks ");
    value_ = text;
    count_ = count;
    named_ = 0;
  }

  /// "Rank 0 has launched up to operation 2 -- GPU 0 managed by process 21337 on node 127.0.0.1"
  void rank(std::string_view text) {
    const auto number = take_number<std::int32_t>(text);
    if (!number || *number < 0) return;
    const std::size_t mark = text.find("-- ");
    if (mark == std::string_view::npos) return;
    const std::string_view said = trimmed(text.substr(0, mark));
    const std::string_view place = text.substr(mark + 3);
    RasRank* member = member_of(*number);
    if (member == nullptr) return;
    if (auto gpu = behind(place, "GPU ")) member->device = take_number<std::int32_t>(*gpu);
    if (auto process = behind(place, "managed by process ")) {
      member->pid = take_number<std::int32_t>(*process).value_or(0);
      if (const auto host = behind(*process, " on node ")) member->host = host->substr(0, 64);
    }
    if (said.empty())
      ++named_;
    else
      end_several();
    apply(*member, said.empty() ? std::string_view(value_) : said);
    told_.insert(*number);
  }

  /// "1,2" after "The missing ranks: ", which do not tell more.
  void listed(std::string_view text) {
    do {
      const auto number = take_number<std::int32_t>(text);
      if (!number || *number < 0) return;
      if (RasRank* member = member_of(*number); member != nullptr) {
        member->presence = subject_ == Subject::missing ? RasPresence::silent : RasPresence::no_communicator;
        told_.insert(*number);
      }
    } while (take(text, ","));
  }

  /// "has launched up to operation 2", "have not launched any operations", "has status RUNNING", "reported System
  /// error"
  void apply(RasRank& member, std::string_view said) {
    if (subject_ == Subject::missing) {
      member.presence = RasPresence::silent;
      return;
    }
    if (auto operation = behind(said, "launched up to operation ")) {
      if (const auto number = take_number<std::uint64_t>(*operation)) set_count(member, *number);
    } else if (said.ends_with("not launched any operations")) {
      set_count(member, 0);
    } else if (const auto status = behind(said, "status ")) {
      if (*status == "ABORT") member.aborted = true;
      if (*status == "FINALIZE") member.finalized = true;
      if (*status == "INIT") member.init_state = model::kNcclInProgress;
      if (*status == "RUNNING") member.init_state = 0;
      // "UNKNOWN" until NCCL 2.25.
      if (*status == "NOCOMM" || *status == "UNKNOWN") member.presence = RasPresence::no_communicator;
    } else if (const auto error = behind(said, "reported ")) {
      (subject_ == Subject::init_error ? member.init_state : member.async_error) = result_from(*error);
    }
  }

  void set_count(RasRank& member, std::uint64_t number) const {
    if (subject_ == Subject::count) member.launched.at(kind_) = number;
    if (subject_ == Subject::count_of_all) member.launched_in_all = number;
  }

  /// The ranks of the last "N ranks ..." line: if none was named below it, they are those that no other line names.
  void end_several() {
    if (count_ > 0 && named_ == 0 && !value_.empty()) unnamed_.emplace_back(count_, value_);
    count_ = 0;
    value_.clear();
  }

  void end_subject() {
    end_several();
    if (communicator_ != nullptr && unnamed_.size() == 1) infer(unnamed_.front().first, unnamed_.front().second);
    unnamed_.clear();
    told_.clear();
    subject_ = Subject::none;
  }

  void infer(std::int32_t count, const std::string& said) {
    inferred_ += communicator_->ranks;
    if (inferred_ > kMostInferred) return;
    std::set<std::int32_t> rest;
    const auto& absent = absent_[communicator_->hash];
    for (std::int32_t number = 0; number < communicator_->ranks; ++number)
      if (!told_.contains(number) && !absent.contains(number)) rest.insert(number);
    if (std::ssize(rest) != count) return;
    for (const std::int32_t number : rest)
      if (RasRank* member = member_of(number); member != nullptr) apply(*member, said);
  }

  RasRank* member_of(std::int32_t number) {
    auto& places = members_[communicator_->hash];
    const auto known = places.find(number);
    if (known != places.end()) return &communicator_->members[known->second];
    if (ranks_ == kMostRasRanks) return nullptr;
    ++ranks_;
    places[number] = communicator_->members.size();
    if (subject_ == Subject::missing) absent_[communicator_->hash].insert(number);
    RasRank& member = communicator_->members.emplace_back();
    member.rank = number;
    return &member;
  }

  model::RasReport report_;
  std::map<std::int32_t, std::int32_t> sizes_;  // ranks per communicator by group
  std::map<std::uint64_t, std::size_t> places_;
  std::map<std::uint64_t, std::map<std::int32_t, std::size_t>> members_;
  std::map<std::uint64_t, std::set<std::int32_t>> absent_;
  bool in_table_ = false;
  bool has_warnings_ = false;
  RasCommunicator* communicator_ = nullptr;
  Subject subject_ = Subject::none;
  std::size_t kind_ = 0;
  std::string value_;                                          // of the last "N ranks ..." line
  std::int32_t count_ = 0;                                     // likewise
  std::int32_t named_ = 0;                                     // ranks below it so far
  std::vector<std::pair<std::int32_t, std::string>> unnamed_;  // such lines without ranks
  std::set<std::int32_t> told_;                                // ranks that the subject names
  std::size_t ranks_ = 0;
  std::int64_t inferred_ = 0;
};

}  // namespace

model::Expected<model::RasReport> read_ras_text(std::string_view text) { return Reader().read(text); }

}  // namespace hangstack::ingest
