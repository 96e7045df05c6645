#pragma once
// Code objects: file, qualified name and line of a frame.

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/memory_reader.h"
#include "model/snapshot.h"
#include "symbolizer/python/frame_walk.h"
#include "symbolizer/python/layout.h"

namespace hangstack::symbolizer {

/// What a code object says. `problem` is set if it is none, or cannot be read; then the rest is empty.
struct CodeObject {
  std::string function;  ///< qualified name from 3.11 on, else the plain name
  std::string file;
  int first_line = 0;
  std::vector<std::byte> line_table;
  std::uint64_t instructions = 0;            ///< where its bytecode starts in the process (3.11 on)
  std::vector<std::uint64_t> thread_copies;  ///< starts of the threads' copies (free-threaded builds)
  std::string problem;
};

/// Reads each code object once. Borrows the layout and the memory.
class CodeReader {
 public:
  CodeReader(const Layout& layout, model::MemoryReader& memory) : layout_(layout), memory_(memory) {}

  /// The reference lives as long as the reader.
  const CodeObject& at(std::uint64_t address);

  /// The line of the instruction at `byte_offset` into the bytecode, as PyCode_Addr2Line gives it; 0 if there is none.
  [[nodiscard]] int line_at(const CodeObject& code, std::int64_t byte_offset) const;

  /// The frame with its names; `note` says what is missing.
  model::Frame resolve(const RawFrame& raw);

  /// Frames resolved so far whose code object was one, and was not: a layout that does not fit shows here.
  [[nodiscard]] std::size_t good() const { return good_; }
  [[nodiscard]] std::size_t bad() const { return bad_; }

 private:
  CodeObject read(std::uint64_t address);
  bool is_code(model::RemoteAddress object);
  const std::string& text_at(std::uint64_t address);
  std::vector<std::uint64_t> read_thread_copies(std::uint64_t array);

  const Layout& layout_;
  model::MemoryReader& memory_;
  std::unordered_map<std::uint64_t, CodeObject> objects_;
  std::unordered_map<std::uint64_t, std::string> texts_;  ///< many code objects share one file name
  std::unordered_map<std::uint64_t, bool> code_types_;    ///< by address of the type object
  std::size_t good_ = 0;
  std::size_t bad_ = 0;
};

}  // namespace hangstack::symbolizer
