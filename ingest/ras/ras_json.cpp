// The JSON of RAS (src/ras/client_support.cc of NCCL 2.28.7 to 2.30.7): communicators[] with ranks[] and
// missing_ranks[]. NCCL 2.28.7 to 2.28.9 leave out the comma after "nvml_dev" of a missing rank.

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string>

#include "ingest/ras/ras_reply.h"

namespace hangstack::ingest {
namespace {

using model::RasCommunicator;
using model::RasPresence;
using model::RasRank;
using nlohmann::json;

constexpr std::string_view kNvmlDevice = "\"nvml_dev\":";

/// With the commas that are missing after `"nvml_dev": 1`.
std::string with_commas(std::string_view text) {
  std::string whole;
  whole.reserve(text.size());
  for (;;) {
    const std::size_t at = text.find(kNvmlDevice);
    if (at == std::string_view::npos) return whole.append(text);
    std::size_t end = std::min(text.find_first_not_of(" -0123456789", at + kNvmlDevice.size()), text.size());
    whole.append(text.substr(0, end));
    text.remove_prefix(end);
    const std::size_t next = text.find_first_not_of(" \t\r\n");
    if (next != std::string_view::npos && text[next] == '"') whole += ',';
  }
}

std::uint64_t hash_from(std::string_view text) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return value;
}

/// Puts values where the path of keys to them says. What it does not know it passes over.
class Reader : public nlohmann::json_sax<json> {
 public:
  model::RasReport report;
  [[nodiscard]] bool complete() const { return complete_; }

  bool null() override { return true; }
  bool boolean(bool value) override {
    flag(value);
    return true;
  }
  bool number_integer(number_integer_t value) override {
    if (value >= 0) return number_unsigned(static_cast<number_unsigned_t>(value));
    negative_ = true;
    number(0);
    negative_ = false;
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    number(value);
    return true;
  }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }
  bool string(string_t& value) override {
    text(value);
    return true;
  }
  bool binary(binary_t& /*value*/) override { return true; }
  bool start_object(std::size_t /*elements*/) override {
    ++depth_;
    set_key("");
    if (depth_ == kCommunicator && key_at(1) == "communicators") begin_communicator();
    if (depth_ == kRank && in_communicators()) begin_rank();
    return true;
  }
  bool end_object() override {
    if (depth_ == kRank) rank_ = nullptr;
    if (depth_ == kCommunicator) communicator_ = nullptr;
    if (depth_ == 1) complete_ = true;
    --depth_;
    return true;
  }
  bool start_array(std::size_t /*elements*/) override {
    ++depth_;
    set_key("");
    return true;
  }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool key(string_t& value) override {
    set_key(value);
    return true;
  }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/, const json::exception& /*e*/) override {
    return false;
  }

 private:
  // Depths: the report 1, "communicators" 2, one of them 3, "ranks" or "missing_ranks" 4, one of them 5, its "status"
  // or "collective_counts" 6.
  static constexpr std::size_t kCommunicator = 3;
  static constexpr std::size_t kRank = 5;
  static constexpr std::size_t kDetail = 6;

  void set_key(std::string_view value) {
    if (depth_ < keys_.size()) keys_[depth_] = value.substr(0, 64);
  }
  [[nodiscard]] std::string_view key_at(std::size_t depth) const { return keys_[depth]; }
  [[nodiscard]] bool in_communicators() const { return communicator_ != nullptr && key_at(1) == "communicators"; }

  void begin_communicator() {
    if (report.communicators.size() < kMostRasCommunicators) communicator_ = &report.communicators.emplace_back();
  }
  void begin_rank() {
    const std::string_view list = key_at(kCommunicator);
    if ((list != "ranks" && list != "missing_ranks") || ranks_ == kMostRasRanks) return;
    ++ranks_;
    rank_ = &communicator_->members.emplace_back();
    if (list == "missing_ranks") rank_->presence = RasPresence::no_communicator;
  }

  void number(std::uint64_t value) {
    const auto small = static_cast<std::int32_t>(std::min<std::uint64_t>(value, INT32_MAX));
    if (depth_ == 1 && key_at(1) == "communicators_count") report.communicators_in_all = small;
    if (depth_ == 2 && key_at(1) == "ras" && key_at(2) == "timeouts_count") report.timeouts = small;
    if (communicator_ != nullptr && depth_ == kCommunicator && key_at(kCommunicator) == "size")
      communicator_->ranks = small;
    if (rank_ == nullptr || negative_) return;
    if (depth_ == kRank) {
      const std::string_view name = key_at(kRank);
      if (name == "rank") rank_->rank = small;
      if (name == "pid") rank_->pid = small;
      if (name == "cuda_dev") rank_->device = small;
    }
    if (depth_ != kDetail) return;
    const std::string_view name = key_at(kDetail);
    if (key_at(kRank) == "collective_counts") {
      const auto kind = std::ranges::find(model::kNcclCollectives, name);
      if (kind != model::kNcclCollectives.end())
        rank_->launched.at(static_cast<std::size_t>(kind - model::kNcclCollectives.begin())) = value;
    } else if (key_at(kRank) == "status") {
      if (name == "init_state") rank_->init_state = small;
      if (name == "async_error") rank_->async_error = small;
    }
  }

  void flag(bool value) {
    if (rank_ == nullptr || depth_ != kDetail || key_at(kRank) != "status" || !value) return;
    const std::string_view name = key_at(kDetail);
    if (name == "finalize_called") rank_->finalized = true;
    if (name == "destroy_flag") rank_->destroyed = true;
    if (name == "abort_flag") rank_->aborted = true;
    if (name == "unresponsive" && rank_->presence != RasPresence::dead) rank_->presence = RasPresence::silent;
    if (name == "considered_dead") rank_->presence = RasPresence::dead;
  }

  void text(const std::string& value) {
    if (depth_ == 1 && key_at(1) == "nccl_version") report.nccl_version = value.substr(0, 64);
    if (communicator_ != nullptr && depth_ == kCommunicator && key_at(kCommunicator) == "hash")
      communicator_->hash = hash_from(value);
    if (rank_ != nullptr && depth_ == kRank && key_at(kRank) == "host" && value != "unknown")
      rank_->host = value.substr(0, 64);
  }

  std::array<std::string, 8> keys_;
  std::size_t depth_ = 0;
  std::size_t ranks_ = 0;
  RasCommunicator* communicator_ = nullptr;
  RasRank* rank_ = nullptr;
  bool negative_ = false;
  bool complete_ = false;
};

}  // namespace

model::Expected<model::RasReport> read_ras_json(std::string_view text) {
  Reader reader;
  reader.report.json = true;
  try {
    const std::string whole = with_commas(text);
    const bool read = json::sax_parse(whole, &reader, json::input_format_t::json, /*strict=*/false);
    if (read && reader.complete() && !reader.report.nccl_version.empty()) return std::move(reader.report);
  } catch (const std::exception&) {
    // Of the library, of memory: the same to the reader.
  }
  return model::failure(model::ErrorCode::malformed_input, "what RAS sent is not its JSON, or not all of it");
}

}  // namespace hangstack::ingest
