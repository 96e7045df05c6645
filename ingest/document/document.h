#pragma once
// What a file of another program holds: nested lists and dictionaries of numbers and texts, whatever it was written in.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/error.h"

namespace hangstack::ingest {

class Document;

enum class ValueKind : std::uint8_t { null, boolean, integer, real, text, list, dictionary };

/// One value. Borrows its document, which must outlive it and stay where it is.
class Value {
 public:
  [[nodiscard]] ValueKind kind() const;
  [[nodiscard]] std::optional<bool> boolean() const;
  [[nodiscard]] std::optional<std::int64_t> integer() const;
  [[nodiscard]] std::optional<double> real() const;
  /// Bytes as they were written: not proved to be UTF-8.
  [[nodiscard]] std::optional<std::string_view> text() const;
  /// Elements of a list, pairs of a dictionary; of anything else 0.
  [[nodiscard]] std::size_t size() const;
  /// Of a list, `i` below its size.
  [[nodiscard]] Value element(std::size_t i) const;
  /// Key and value of a dictionary, in the order of writing, `i` below its size.
  [[nodiscard]] std::pair<Value, Value> pair(std::size_t i) const;
  /// The value of the last pair with this key; none if there is none, and if it is no dictionary. Looks at each pair.
  [[nodiscard]] std::optional<Value> find(std::string_view key) const;

 private:
  friend class Document;
  Value(const Document& document, std::uint32_t node) : document_(&document), node_(node) {}
  const Document* document_;
  std::uint32_t node_;
};

/// A tree whose branches may be shared: its size is that of what was written, however often a part of it is referred
/// to. A reader that follows every reference must count.
class Document {
 public:
  using Node = std::uint32_t;

  static constexpr std::size_t kMaxNodes = 4U << 20;
  static constexpr std::size_t kMaxTextBytes = 64U << 20;  ///< of all texts
  static constexpr int kMaxDepth = 64;                     ///< of lists and dictionaries within each other

  Document();
  [[nodiscard]] Value root() const { return {*this, root_}; }

  // To build one, the innermost first. `malformed_input` says which bound was met.
  static constexpr Node null_node() { return 0; }
  static constexpr Node boolean_node(bool value) { return value ? 2 : 1; }
  model::Expected<Node> add_integer(std::int64_t value);
  model::Expected<Node> add_real(double value);
  model::Expected<Node> add_text(std::string_view text);
  model::Expected<Node> add_list();
  model::Expected<Node> add_dictionary();
  /// More elements of a list, or keys and values of a dictionary by turns.
  model::Expected<void> extend(Node container, std::span<const Node> nodes);
  [[nodiscard]] ValueKind kind_of(Node node) const { return nodes_[node].kind; }
  void set_root(Node node) { root_ = node; }

 private:
  friend class Value;
  struct Entry {
    ValueKind kind = ValueKind::null;
    std::uint8_t depth = 0;     ///< of what lies below it
    std::uint64_t payload = 0;  ///< the value, or its place in `texts_` or `containers_`
  };
  model::Expected<Node> add(Entry entry);

  std::vector<Entry> nodes_;
  std::vector<std::string> texts_;
  std::vector<std::vector<Node>> containers_;
  std::size_t text_bytes_ = 0;
  std::size_t references_ = 0;
  Node root_ = 0;
};

}  // namespace hangstack::ingest
