#include <libunwind-x86_64.h>

#include <array>
#include <cstring>

#include "symbolizer/unwind/end_reason.h"
#include "symbolizer/unwind/frame_list.h"
#include "symbolizer/unwind/unwinder.h"

// Exported by libunwind-x86_64 and declared in no public header; perf uses it likewise
// (linux/tools/perf/util/unwind-libunwind-local.c).
extern "C" int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t space, unw_word_t ip, unw_dyn_info_t* info,
                                                  unw_proc_info_t* result, int need_unwind_info, void* argument);

namespace hangstack::symbolizer {

namespace {

using model::Register;
using model::RemoteAddress;

/// What libunwind's callbacks see of one thread.
struct View {
  const model::ThreadCapture& thread;
  ProcessModules& modules;
  model::MemoryReader& memory;
  bool lacked_information = false;  ///< since it was last cleared: libunwind then goes on by guessing
};

View& view_of(void* argument) { return *static_cast<View*>(argument); }

/// .eh_frame_hdr with the usual encodings, for the binary search in its table.
int find_procedure(unw_addr_space_t space, unw_word_t ip, unw_proc_info_t* result, int need_unwind_info,
                   void* argument) {
  View& view = view_of(argument);
  view.lacked_information = true;
  const auto place = view.modules.find(RemoteAddress{ip});
  if (!place) return -UNW_ENOINFO;
  const auto header = place->module->section(".eh_frame_hdr");
  std::array<std::byte, 12> bytes{};
  if (!header || place->module->read(header->start, bytes) != bytes.size()) return -UNW_ENOINFO;
  constexpr std::array<std::uint8_t, 4> kUsual{1, 0x1b, 0x03, 0x3b};
  if (std::memcmp(bytes.data(), kUsual.data(), kUsual.size()) != 0) return -UNW_ENOINFO;
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + 8, sizeof count);
  if (count > header->size() / 8) return -UNW_ENOINFO;
  unw_dyn_info_t info{};
  info.format = UNW_INFO_FORMAT_REMOTE_TABLE;
  info.start_ip = place->load_bias;
  info.end_ip = ~unw_word_t{0};
  info.u.rti.segbase = header->start.value + place->load_bias;
  info.u.rti.table_data = info.u.rti.segbase + bytes.size();
  info.u.rti.table_len = count * 8UL / sizeof(unw_word_t);
  const int status = UNW_OBJ(dwarf_search_unwind_table)(space, ip, &info, result, need_unwind_info, argument);
  if (status == 0) view.lacked_information = false;
  return status;
}

void put_procedure(unw_addr_space_t /*space*/, unw_proc_info_t* /*info*/, void* /*argument*/) {}

int no_dynamic_procedures(unw_addr_space_t /*space*/, unw_word_t* /*address*/, void* /*argument*/) {
  return -UNW_ENOINFO;
}

/// The recorded stack first, then the file behind the address; bytes beyond the end of either read as zero.
int access_memory(unw_addr_space_t /*space*/, unw_word_t address, unw_word_t* value, int write, void* argument) {
  View& view = view_of(argument);
  if (write != 0) return -UNW_EINVAL;
  std::uint64_t word = 0;
  const auto bytes = std::as_writable_bytes(std::span<std::uint64_t, 1>(&word, 1));
  bool got = view.memory.read_up_to(RemoteAddress{address}, bytes) == bytes.size();
  if (!got) {
    const auto place = view.modules.find(RemoteAddress{address});
    got = place && place->module->read(place->address, bytes) > 0;
  }
  if (!got) return -UNW_EINVAL;
  *value = word;
  return 0;
}

/// libunwind numbers x86-64's registers as DWARF does.
int access_register(unw_addr_space_t /*space*/, unw_regnum_t number, unw_word_t* value, int write, void* argument) {
  if (write != 0 || number < 0 || number >= static_cast<int>(model::kRegisterCount)) return -UNW_EBADREG;
  const auto known = view_of(argument).thread.registers.get(static_cast<Register>(number));
  if (!known) return -UNW_EBADREG;
  *value = *known;
  return 0;
}

int access_float(unw_addr_space_t /*space*/, unw_regnum_t /*number*/, unw_fpreg_t* /*value*/, int /*write*/,
                 void* /*argument*/) {
  return -UNW_EBADREG;
}

int resume(unw_addr_space_t /*space*/, unw_cursor_t* /*cursor*/, void* /*argument*/) { return -UNW_EINVAL; }

int procedure_name(unw_addr_space_t /*space*/, unw_word_t /*address*/, char* /*buffer*/, size_t /*size*/,
                   unw_word_t* /*offset*/, void* /*argument*/) {
  return -UNW_ENOINFO;
}

/// An address space keeps a cache by address, so that it serves one process only: one for each stack.
class AddressSpace {
 public:
  AddressSpace() : space_(unw_create_addr_space(&accessors_, 0)) {}
  ~AddressSpace() {
    if (space_ != nullptr) unw_destroy_addr_space(space_);
  }
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;
  [[nodiscard]] unw_addr_space_t get() const { return space_; }

 private:
  unw_accessors_t accessors_{find_procedure, put_procedure, no_dynamic_procedures, access_memory, access_register,
                             access_float,   resume,        procedure_name};
  unw_addr_space_t space_;
};

class LibunwindUnwinder : public Unwinder {
 public:
  UnwoundStack unwind(const model::ThreadCapture& thread, ProcessModules& modules,
                      model::MemoryReader& memory) override {
    const AddressSpace space;
    View view{thread, modules, memory};
    unw_cursor_t cursor{};
    if (space.get() == nullptr || unw_init_remote(&cursor, space.get(), &view) != 0) {
      return {{}, 0, 0, "no registers were read", false, model::StackNeed::registers};
    }
    FrameList frames;
    StackEnd end;
    switches_ = 0;
    UnwoundFrame current;
    current.trust = model::FrameTrust::context;
    read_position(cursor, current);
    while (advance(cursor, view, current, end)) {
      frames.add(current);
      current = next_;
    }
    frames.add(current);
    UnwoundStack stack = frames.take();
    stack.end = end.text;
    stack.complete = end.complete;
    stack.need = end.need;
    return stack;
  }

 private:
  static void read_position(unw_cursor_t& cursor, UnwoundFrame& frame) {
    unw_word_t value = 0;
    if (unw_get_reg(&cursor, UNW_REG_IP, &value) == 0) frame.pc = value;
    if (unw_get_reg(&cursor, UNW_REG_SP, &value) == 0) frame.sp = value;
  }

  bool advance(unw_cursor_t& cursor, View& view, UnwoundFrame& current, StackEnd& end) {
    const RemoteAddress at = current.lookup();
    current.is_signal_frame = unw_is_signal_frame(&cursor) > 0;
    view.lacked_information = false;
    const int status = unw_step(&cursor);
    next_ = UnwoundFrame{};
    next_.is_return_address = !current.is_signal_frame;
    read_position(cursor, next_);
    if (view.lacked_information || status < 0) {
      end = no_call_frame_information(at, view.modules);
      return false;
    }
    if (status == 0 || next_.pc == 0) {
      end = complete_end();
      return false;
    }
    const model::Mapping* code = view.modules.mapping_at(RemoteAddress{next_.pc});
    if (code == nullptr || !code->executable) {
      end = bad_return_address(next_.pc, at, view.modules);
      return false;
    }
    if (next_.sp <= current.sp &&
        (view.modules.same_mapping(next_.sp, current.sp) || ++switches_ > kMaxStackSwitches)) {
      end = no_progress(at, view.modules);
      return false;
    }
    current.cfa = next_.sp;
    return true;
  }

  UnwoundFrame next_;
  int switches_ = 0;
};

}  // namespace

std::unique_ptr<Unwinder> make_libunwind_unwinder() { return std::make_unique<LibunwindUnwinder>(); }

}  // namespace hangstack::symbolizer
