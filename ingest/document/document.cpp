#include "ingest/document/document.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

namespace hangstack::ingest {
namespace {

using model::ErrorCode;
using model::Expected;
using model::failure;

tl::unexpected<model::Error> too_large(std::string_view what, std::size_t most) {
  return failure(ErrorCode::malformed_input, fmt::format("it holds more than {} {}", most, what));
}

}  // namespace

Document::Document() : nodes_{{}, {ValueKind::boolean, 0, 0}, {ValueKind::boolean, 0, 1}} {}

Expected<Document::Node> Document::add(Entry entry) {
  if (nodes_.size() >= kMaxNodes) return too_large("values", kMaxNodes);
  nodes_.push_back(entry);
  return static_cast<Node>(nodes_.size() - 1);
}

Expected<Document::Node> Document::add_integer(std::int64_t value) {
  return add({ValueKind::integer, 0, static_cast<std::uint64_t>(value)});
}

Expected<Document::Node> Document::add_real(double value) {
  return add({ValueKind::real, 0, std::bit_cast<std::uint64_t>(value)});
}

Expected<Document::Node> Document::add_text(std::string_view text) {
  text_bytes_ += text.size();
  if (text_bytes_ > kMaxTextBytes) return too_large("bytes of text", kMaxTextBytes);
  texts_.emplace_back(text);
  return add({ValueKind::text, 0, texts_.size() - 1});
}

Expected<Document::Node> Document::add_list() {
  containers_.emplace_back();
  return add({ValueKind::list, 1, containers_.size() - 1});
}

Expected<Document::Node> Document::add_dictionary() {
  containers_.emplace_back();
  return add({ValueKind::dictionary, 1, containers_.size() - 1});
}

Expected<void> Document::extend(Node container, std::span<const Node> nodes) {
  constexpr std::size_t kMaxReferences = 4 * kMaxNodes;
  references_ += nodes.size();
  if (references_ > kMaxReferences) return too_large("references", kMaxReferences);
  Entry& entry = nodes_[container];
  for (const Node node : nodes) entry.depth = std::max<std::uint8_t>(entry.depth, nodes_[node].depth + 1);
  if (entry.depth > kMaxDepth) return too_large("levels", kMaxDepth);
  auto& content = containers_[entry.payload];
  content.insert(content.end(), nodes.begin(), nodes.end());
  return {};
}

ValueKind Value::kind() const { return document_->nodes_[node_].kind; }

std::optional<bool> Value::boolean() const {
  if (kind() != ValueKind::boolean) return std::nullopt;
  return document_->nodes_[node_].payload == 1;
}

std::optional<std::int64_t> Value::integer() const {
  if (kind() != ValueKind::integer) return std::nullopt;
  return static_cast<std::int64_t>(document_->nodes_[node_].payload);
}

std::optional<double> Value::real() const {
  if (kind() != ValueKind::real) return std::nullopt;
  return std::bit_cast<double>(document_->nodes_[node_].payload);
}

std::optional<std::string_view> Value::text() const {
  if (kind() != ValueKind::text) return std::nullopt;
  return document_->texts_[document_->nodes_[node_].payload];
}

std::size_t Value::size() const {
  const Document::Entry& entry = document_->nodes_[node_];
  if (entry.kind == ValueKind::list) return document_->containers_[entry.payload].size();
  if (entry.kind == ValueKind::dictionary) return document_->containers_[entry.payload].size() / 2;
  return 0;
}

Value Value::element(std::size_t i) const {
  return {*document_, document_->containers_[document_->nodes_[node_].payload][i]};
}

std::pair<Value, Value> Value::pair(std::size_t i) const {
  const auto& content = document_->containers_[document_->nodes_[node_].payload];
  return {Value(*document_, content[2 * i]), Value(*document_, content[2 * i + 1])};
}

std::optional<Value> Value::find(std::string_view key) const {
  if (kind() != ValueKind::dictionary) return std::nullopt;
  for (std::size_t i = size(); i-- > 0;) {
    const auto [name, value] = pair(i);
    if (name.text() == key) return value;
  }
  return std::nullopt;
}

}  // namespace hangstack::ingest
