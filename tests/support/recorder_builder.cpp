#include "tests/support/recorder_builder.h"

#include <algorithm>

namespace hangstack::tests {

RecorderBuilder::RecorderBuilder(const symbolizer::RecorderLayout& layout, std::uint64_t capacity)
    : layout_(layout), capacity_(capacity) {
  for (std::uint64_t at = 0; at < layout.size; at += 8) memory_.put_word(kRecorder + at, 0);
  put_byte(kRecorder + layout.enabled, 1);
  memory_.put_word(kRecorder + layout.max_entries, capacity);
  put_words(kRecorder + layout.entries, {kRing, kRing, kRing + capacity * layout.entry.size});
}

void RecorderBuilder::add(const Entry& entry) {
  const auto& e = layout_.entry;
  const std::uint64_t at = kRing + placed_ % capacity_ * e.size;
  for (std::uint64_t offset = 0; offset < e.size; offset += 8) memory_.put_word(at + offset, 0);
  memory_.put_word(at + e.id, recorded_);
  memory_.put_word(at + e.collective_seq_id, entry.sequence);
  put_string(at + e.pg_name, "default_pg, whose name is long");
  put_string(at + e.pg_name + layout_.string_bytes, "0");
  put_string(at + e.profiling_name, entry.name);
  put_byte(at + e.retired, entry.retired ? 1 : 0);
  for (const std::uint64_t dims : {e.input_dims, e.output_dims})
    put_small_vector(at + dims, entry.dimensions, layout_.dimension_bytes);
  for (const std::uint64_t types : {e.input_dtypes, e.output_dtypes}) {
    const std::uint64_t place = take(8);
    put_byte(place, entry.type);
    put_words(at + types, {place, place + 1, place + 8});
  }
  put_small_vector(at + e.sizes, entry.sizes);
  memory_.put_word(at + e.traceback, entry.traceback);
  ++recorded_;
  ++placed_;
  const std::uint64_t count = std::min(placed_, capacity_);
  memory_.put_word(kRecorder + layout_.entries + 8, kRing + count * e.size);
  memory_.put_word(kRecorder + layout_.next, placed_ % capacity_);
  memory_.put_word(kRecorder + layout_.id, recorded_);
}

void RecorderBuilder::add_group(const std::string& name, const std::string& description,
                                const std::vector<std::uint64_t>& ranks) {
  const std::uint64_t pair = add_node(kRecorder + layout_.pg_name_to_ranks, 2 * layout_.string_bytes + 24);
  put_string(pair, description);
  put_string(pair + layout_.string_bytes, name);
  const std::uint64_t place = take(ranks.size() * 8);
  put_words(place, ranks);
  put_words(pair + 2UL * layout_.string_bytes, {place, place + ranks.size() * 8, place + ranks.size() * 8});
}

void RecorderBuilder::add_status(std::uint64_t group, std::int64_t enqueued, std::int64_t started,
                                 std::int64_t completed) {
  const std::uint64_t pair = add_node(kRecorder + layout_.all_pg_status, 24);
  const std::uint64_t status = take(24);
  put_words(pair, {group, status, 0});
  put_words(status, {static_cast<std::uint64_t>(enqueued), static_cast<std::uint64_t>(started),
                     static_cast<std::uint64_t>(completed)});
}

std::vector<symbolizer::Runtime> RecorderBuilder::runtimes() {
  std::vector<symbolizer::Runtime> runtimes(1);
  runtimes.front().layout = symbolizer::layout_3_12();
  return runtimes;
}

std::uint64_t RecorderBuilder::add_text(const std::string& text) {
  const symbolizer::ObjectLayout& o = symbolizer::layout_3_12().object;
  const std::uint64_t at = take(o.ascii_size + text.size() + 1);
  memory_.put_word(at + o.text_length, text.size());
  constexpr unsigned kOneByteCompactAscii = 1U | 8U | 16U;
  memory_.put_word(at + o.text_state, kOneByteCompactAscii << o.text_kind_bit);
  put_bytes(at + o.ascii_size, text);
  return at;
}

std::uint64_t RecorderBuilder::add_code(const std::string& function, const std::string& file, int line) {
  const symbolizer::Layout layout = symbolizer::layout_3_12();
  const symbolizer::CodeLayout& c = layout.code;
  if (code_type_ == 0) {
    const std::uint64_t name = take(8);
    put_bytes(name, std::string("code\0", 5));
    code_type_ = take(64);
    memory_.put_word(code_type_ + layout.object.type_name, name);
  }
  // One entry of a location table: eight units, no columns, zero lines further.
  const std::uint64_t table = take(layout.object.bytes_data + 8);
  memory_.put_word(table + layout.object.bytes_size, 2);
  put_bytes(table + layout.object.bytes_data, std::string("\xef\0", 2));
  constexpr std::uint64_t kCodeBytes = 256;
  const std::uint64_t at = take(kCodeBytes);
  memory_.put_word(at + layout.object.type, code_type_);
  put_bytes(at + c.first_line, std::string(reinterpret_cast<const char*>(&line), sizeof line));
  memory_.put_word(at + c.file_name, add_text(file));
  memory_.put_word(at + *c.qualified_name, add_text(function));
  memory_.put_word(at + c.line_table, table);
  return at;
}

std::uint64_t RecorderBuilder::add_traceback(const std::vector<Frame>& frames) {
  const std::uint64_t bytes = frames.size() * 16;
  const std::uint64_t array = take(bytes);
  for (std::size_t i = 0; i < frames.size(); ++i)
    put_words(array + i * 16, {frames[i].code, static_cast<std::uint32_t>(frames[i].last_instruction)});
  const std::uint64_t at = take(layout_.traceback_frames + 24);
  put_words(at + layout_.traceback_frames, {array, array + bytes, array + bytes});
  return at;
}

void RecorderBuilder::overwrite_names() {
  for (std::uint64_t i = 0; i < std::min(placed_, capacity_); ++i)
    memory_.put_word(kRing + i * layout_.entry.size + layout_.entry.profiling_name, 3);
}

void RecorderBuilder::reset() {
  recorded_ = 0;
  memory_.put_word(kRecorder + layout_.id, 0);
}

void RecorderBuilder::set_id(std::uint64_t index, std::uint64_t id) {
  memory_.put_word(kRing + index * layout_.entry.size + layout_.entry.id, id);
}

void RecorderBuilder::put_byte(std::uint64_t address, std::uint8_t value) {
  put_bytes(address, std::string(1, static_cast<char>(value)));
}

void RecorderBuilder::put_bytes(std::uint64_t address, const std::string& bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) memory_.put_byte(address + i, static_cast<std::uint8_t>(bytes[i]));
}

void RecorderBuilder::put_string(std::uint64_t address, const std::string& text) {
  if (layout_.string_bytes == 8) {
    const std::uint64_t rep = take(24 + text.size() + 1);
    put_words(rep, {text.size(), text.size(), 0});
    put_bytes(rep + 24, text);
    memory_.put_word(address, rep + 24);
    return;
  }
  const std::uint64_t data = text.size() < 16 ? address + 16 : take(text.size() + 1);
  put_words(address, {data, text.size(), 0, 0});
  put_bytes(data, text);
}

void RecorderBuilder::put_words(std::uint64_t address, const std::vector<std::uint64_t>& words) {
  for (const std::uint64_t word : words) {
    memory_.put_word(address, word);
    address += 8;
  }
}

void RecorderBuilder::put_small_vector(std::uint64_t address, const std::vector<std::uint64_t>& values,
                                       std::uint64_t element_bytes) {
  const std::uint64_t data = take(values.size() * 8);
  put_words(address, {data, values.size() | values.size() << 32U});
  for (std::size_t i = 0; i < values.size(); ++i)
    put_bytes(data + i * element_bytes, std::string(reinterpret_cast<const char*>(&values[i]), element_bytes));
}

std::uint64_t RecorderBuilder::take(std::uint64_t bytes) {
  const std::uint64_t at = next_free_;
  next_free_ += (bytes + 15) / 16 * 16;
  for (std::uint64_t offset = at; offset < next_free_; offset += 8) memory_.put_word(offset, 0);
  return at;
}

std::uint64_t RecorderBuilder::add_node(std::uint64_t map, std::uint64_t pair_bytes) {
  const std::uint64_t node = take(32 + pair_bytes);
  put_words(node, {0, 0, 0, 0});
  // {comparison, header {color, root, first, last}}: each node stands to the right of the one before.
  const std::uint64_t last = memory_.word(map + 32);
  memory_.put_word(last == 0 ? map + 16 : last + 24, node);
  memory_.put_word(map + 32, node);
  return node + 32;
}

}  // namespace hangstack::tests
