#include "ingest/document/json.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace hangstack::ingest {
namespace {

using model::ErrorCode;
using model::Expected;
using model::failure;
using nlohmann::json;
using Node = Document::Node;

/// Answers "false", which ends the reading, where a bound is met.
class Builder : public nlohmann::json_sax<json> {
 public:
  explicit Builder(std::string_view bytes) : bytes_(bytes) {}

  bool null() override { return add(Document::null_node()); }
  bool boolean(bool value) override { return add(Document::boolean_node(value)); }
  bool number_integer(number_integer_t value) override { return add(document_.add_integer(value)); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max()))
      return add(document_.add_real(static_cast<double>(value)));
    return add(document_.add_integer(static_cast<std::int64_t>(value)));
  }
  bool number_float(number_float_t value, const string_t& /*as written*/) override {
    return add(document_.add_real(value));
  }
  bool string(string_t& value) override { return add(document_.add_text(value)); }
  bool binary(binary_t& /*never in JSON*/) override { return false; }
  bool key(string_t& value) override { return add(document_.add_text(value)); }
  bool start_object(std::size_t /*size*/) override { return open(document_.add_dictionary()); }
  bool start_array(std::size_t /*size*/) override { return open(document_.add_list()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool parse_error(std::size_t position, const std::string& /*last token*/, const json::exception& /*why*/) override {
    const std::size_t read = std::min(position, bytes_.size());
    const auto lines = std::count(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(read), '\n');
    const bool cut_off = position > bytes_.size();  // the end counts as read
    error_ = model::Error{ErrorCode::malformed_input,
                          fmt::format("at line {} (byte {}) {}", lines + 1, position,
                                      cut_off ? "the file ends within the JSON" : "it is no JSON"),
                          cut_off ? "it was cut off: copy it again" : ""};
    return false;
  }

  Expected<Document> result() && {
    if (error_) return tl::make_unexpected(*error_);
    return std::move(document_);
  }

 private:
  struct Open {
    Node container;
    std::vector<Node> content;
  };

  bool fail(model::Error error) {
    error_ = std::move(error);
    return false;
  }

  bool add(const Expected<Node>& node) {
    if (!node) return fail(node.error());
    if (open_.empty())
      document_.set_root(*node);
    else
      open_.back().content.push_back(*node);
    return true;
  }

  bool open(const Expected<Node>& container) {
    if (!container) return fail(container.error());
    if (open_.size() >= Document::kMaxDepth)
      return fail({ErrorCode::malformed_input, fmt::format("it is nested more than {} deep", Document::kMaxDepth), ""});
    open_.push_back({*container, {}});
    return true;
  }

  bool close() {
    const Open closed = std::move(open_.back());
    open_.pop_back();
    if (const auto done = document_.extend(closed.container, closed.content); !done) return fail(done.error());
    return add(closed.container);
  }

  std::string_view bytes_;
  Document document_;
  std::vector<Open> open_;
  std::optional<model::Error> error_;
};

}  // namespace

Expected<Document> read_json(std::string_view bytes) {
  Builder builder(bytes);
  try {
    json::sax_parse(bytes.begin(), bytes.end(), &builder);
  } catch (const json::exception& error) {
    return failure(ErrorCode::malformed_input, fmt::format("it is no JSON: {}", error.what()));
  }
  return std::move(builder).result();
}

}  // namespace hangstack::ingest
