#pragma once
// Where the fields of CPython's structs lie, per minor version. Everything that reads an interpreter takes its offsets
// from here, so that no reader knows a version. x86-64, 64-bit builds without Py_DEBUG.
// Offsets of 3.8 to 3.12 were read off the debug information of 3.8.18, 3.9.18, 3.10.13, 3.11.7 and 3.12.1; from 3.13
// on the process brings its own table (debug_offsets.h).

#include <cstdint>
#include <optional>

#include "symbolizer/python/version.h"

namespace hangstack::symbolizer {

/// How a thread state leads to its innermost frame.
enum class FrameSource : std::uint8_t {
  frame_object,          ///< tstate.frame, a PyFrameObject (3.8, 3.9)
  frame_object_counted,  ///< the same, and tstate.cframe chains one _PyCFrame per call of the eval function (3.10)
  cframe_entry,          ///< tstate.cframe -> current_frame; a frame with is_entry ends each cframe's group (3.11)
  cframe_shim,           ///< tstate.cframe -> current_frame; a shim frame ends each group (3.12)
  current_frame,         ///< tstate.current_frame; a shim frame ends each group (3.13 on)
};

/// What a frame says about its current instruction.
enum class InstructionKind : std::uint8_t {
  byte_index,  ///< int32 f_lasti, bytes into co_code (3.8, 3.9)
  unit_index,  ///< int32 f_lasti, two-byte units (3.10)
  pointer,     ///< prev_instr or instr_ptr into the code object, or into the thread's copy of it (3.11 on)
};

enum class LineTableKind : std::uint8_t {
  lnotab,     ///< co_lnotab (to 3.9)
  linetable,  ///< co_linetable of PEP 626 (3.10)
  locations,  ///< co_linetable of PEP 657 (3.11 on)
};

struct RuntimeLayout {
  std::uint64_t interpreters_head = 0;
  std::uint64_t finalizing = 0;
  std::optional<std::uint64_t> tstate_current;  ///< gilstate.tstate_current: who holds the GIL (to 3.11)
  std::optional<std::uint64_t> gil;             ///< ceval.gil, embedded (to 3.11)
};

struct InterpreterLayout {
  std::uint64_t next = 0;
  std::uint64_t id = 0;  ///< int64
  std::uint64_t threads_head = 0;
  std::uint64_t modules = 0;                   ///< the dict sys.modules
  std::optional<std::uint64_t> sys_dict;       ///< the dict of the module sys (to 3.12)
  std::optional<std::uint64_t> gil;            ///< pointer to the GIL (3.12 on)
  std::optional<std::uint64_t> gc_collecting;  ///< int32 (3.9 on)
  std::optional<std::uint64_t> eval_frame;     ///< pointer to the eval function (PEP 523)
};

/// Offsets in struct _gil_runtime_state.
struct GilLayout {
  std::uint64_t last_holder = 8;
  std::uint64_t locked = 16;             ///< int32
  std::optional<std::uint64_t> enabled;  ///< int32; free-threaded builds
  std::uint64_t size = 208;
  /// Where a thread that wants the GIL sleeps: the condition variable and the mutex, counted from `locked`.
  std::uint64_t wait_begin = 16;
  std::uint64_t wait_end = 104;
};

struct ThreadLayout {
  std::uint64_t size = 0;  ///< bytes of a thread state: an address in it is not on the stack
  std::uint64_t previous = 0;
  std::uint64_t next = 0;
  std::uint64_t interpreter = 0;
  std::uint64_t thread_id = 0;                    ///< pthread_self()
  std::optional<std::uint64_t> native_thread_id;  ///< 3.11 on
  std::uint64_t frame = 0;                        ///< the field that FrameSource names, or the cframe
  std::optional<std::uint64_t> cframe;            ///< 3.10 only: beside `frame`
  std::optional<std::uint64_t> base_frame;        ///< pointer to a last shim, which is not on the stack (3.15 on)
  std::optional<std::uint64_t> gil_requested;     ///< int32 (3.15 on)
};

struct CFrameLayout {
  std::uint64_t current_frame = 0;
  std::uint64_t previous = 0;
};

struct FrameLayout {
  std::uint64_t previous = 0;
  std::uint64_t code = 0;
  std::uint64_t instruction = 0;
  std::uint64_t locals = 0;                 ///< the first local variable, as a pointer to its object
  std::optional<std::uint64_t> is_entry;    ///< byte (3.11)
  std::optional<std::uint64_t> owner;       ///< byte (3.11 on)
  std::uint8_t shim_owner = 0xff;           ///< value of `owner` in a shim frame; 0xff: there are none
  bool tagged_code = false;                 ///< the low two bits of `code` and of locals are a tag (3.14 on)
  std::optional<std::uint64_t> tlbc_index;  ///< int32; free-threaded builds (3.14 on)
};

struct CodeLayout {
  std::uint64_t first_line = 0;  ///< int32
  std::uint64_t file_name = 0;
  std::uint64_t name = 0;
  std::optional<std::uint64_t> qualified_name;  ///< 3.11 on
  std::uint64_t line_table = 0;
  std::optional<std::uint64_t> instructions;  ///< co_code_adaptive, embedded (3.11 on)
  std::optional<std::uint64_t> tlbc;          ///< co_tlbc; free-threaded builds (3.14 on)
};

struct ObjectLayout {
  std::uint64_t type = 8;        ///< ob_type
  std::uint64_t type_name = 24;  ///< PyTypeObject.tp_name
  std::uint64_t type_basic_size = 32;
  std::uint64_t type_flags = 168;
  std::uint64_t type_dict_offset = 288;
  std::uint64_t type_cached_keys = 0;  ///< PyHeapTypeObject.ht_cached_keys (3.11 on)
  std::uint64_t bytes_size = 16;
  std::uint64_t bytes_data = 32;
  std::uint64_t text_length = 16;
  std::uint64_t text_state = 32;
  unsigned text_kind_bit = 2;       ///< first bit of `kind` in the state; `compact` and `ascii` follow its three bits
  std::uint64_t ascii_size = 48;    ///< sizeof(PyASCIIObject): where the characters of an ASCII string start
  std::uint64_t compact_size = 72;  ///< sizeof(PyCompactUnicodeObject): where those of other strings start
  std::uint64_t dict_keys = 32;
  std::uint64_t dict_values = 40;
};

struct Layout {
  int minor = 0;
  bool free_threaded = false;
  FrameSource frame_source = FrameSource::frame_object;
  InstructionKind instruction = InstructionKind::byte_index;
  LineTableKind line_table = LineTableKind::lnotab;
  RuntimeLayout runtime;
  InterpreterLayout interpreter;
  GilLayout gil;
  ThreadLayout thread;
  CFrameLayout cframe;
  FrameLayout frame;
  CodeLayout code;
  ObjectLayout object;
};

Layout layout_3_8();
Layout layout_3_9();
Layout layout_3_10();
Layout layout_3_11();
Layout layout_3_12();

/// The layout of a version whose offsets are fixed here: 3.8 to 3.12. None for others.
std::optional<Layout> fixed_layout(int minor);

}  // namespace hangstack::symbolizer
