#include "symbolizer/python/frame_walk.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_set>

#include "symbolizer/remote_struct.h"

namespace hangstack::symbolizer {
namespace {

using model::MemoryReader;
using model::RemoteAddress;

std::size_t frame_bytes(const Layout& l) {
  const std::uint64_t last = l.instruction == InstructionKind::pointer ? 8 : 4;
  std::uint64_t size = std::max({l.frame.previous + 8, l.frame.code + 8, l.frame.instruction + last});
  if (l.frame.is_entry) size = std::max(size, *l.frame.is_entry + 1);
  if (l.frame.owner) size = std::max(size, *l.frame.owner + 1);
  if (l.frame.tlbc_index) size = std::max(size, *l.frame.tlbc_index + 4);
  return size;
}

/// One link of the chain.
struct Link {
  RawFrame frame;
  std::uint64_t previous = 0;
  bool is_shim = false;
  bool ends_group = false;
};

class Walker {
 public:
  Walker(const Layout& layout, MemoryReader& memory) : layout_(layout), memory_(memory), bytes_(frame_bytes(layout)) {}

  FrameWalk run(RemoteAddress thread_state) {
    const ThreadLayout& t = layout_.thread;
    std::uint64_t size = t.frame + 8;
    if (t.cframe) size = std::max(size, *t.cframe + 8);
    if (t.base_frame) size = std::max(size, *t.base_frame + 8);
    const auto state = RemoteStruct::read(memory_, thread_state, size);
    if (!state) {
      walk_.broken = fmt::format("the thread state at {:#x} cannot be read", thread_state.value);
      return std::move(walk_);
    }
    if (t.base_frame) base_frame_ = state->u64(*t.base_frame);
    switch (layout_.frame_source) {
      case FrameSource::frame_object: follow(state->u64(t.frame)); break;
      case FrameSource::frame_object_counted:
        follow(state->u64(t.frame));
        pair_with_cframes(thread_state, state->u64(t.cframe.value_or(0)));
        break;
      case FrameSource::cframe_entry: follow_cframes(thread_state, state->u64(t.frame)); break;
      case FrameSource::cframe_shim: follow_first_cframe(thread_state, state->u64(t.frame)); break;
      case FrameSource::current_frame: follow(state->u64(t.frame)); break;
    }
    if (!walk_.groups.empty() && walk_.groups.back().frames.empty() && !walk_.groups.back().anchor) {
      walk_.groups.pop_back();
    }
    return std::move(walk_);
  }

 private:
  std::optional<Link> read_link(std::uint64_t address) {
    const auto data = RemoteStruct::read(memory_, RemoteAddress{address}, bytes_);
    if (!data) {
      walk_.broken = fmt::format("the frame at {:#x} cannot be read", address);
      return std::nullopt;
    }
    const FrameLayout& f = layout_.frame;
    Link link;
    link.frame.address = address;
    link.frame.code = data->u64(f.code) & (f.tagged_code ? ~3ULL : ~0ULL);
    if (layout_.instruction == InstructionKind::pointer) {
      link.frame.instruction = data->u64(f.instruction);
    } else {
      link.frame.instruction = static_cast<std::uint64_t>(static_cast<std::int64_t>(data->i32(f.instruction)));
    }
    if (f.tlbc_index) link.frame.copy_index = data->i32(*f.tlbc_index);
    link.previous = data->u64(f.previous);
    link.is_shim = f.owner && f.shim_owner != 0xff && data->u8(*f.owner) >= f.shim_owner;
    const bool one_frame_a_call =
        layout_.frame_source == FrameSource::frame_object || layout_.frame_source == FrameSource::frame_object_counted;
    link.ends_group = link.is_shim || one_frame_a_call || (f.is_entry && data->u8(*f.is_entry) != 0);
    return link;
  }

  /// False at the end of the chain, and when it is broken.
  bool may_visit(std::uint64_t address) {
    if (address == 0 || address == base_frame_) return false;
    if (!visited_.insert(address).second) {
      walk_.broken = fmt::format("the chain of frames runs in a circle at {:#x}", address);
    } else if (visited_.size() > kMaxPythonFrames) {
      walk_.broken = fmt::format("more than {} frames", kMaxPythonFrames);
    }
    return walk_.broken.empty();
  }

  /// Follows `previous` to the end; each link that ends a group opens the next one.
  void follow(std::uint64_t address) {
    RawGroup group;
    while (may_visit(address)) {
      const auto link = read_link(address);
      if (!link) break;
      if (link->is_shim) {
        group.anchor = address;
      } else {
        group.frames.push_back(link->frame);
      }
      if (link->ends_group) {
        walk_.groups.push_back(std::move(group));
        group = {};
      }
      address = link->previous;
    }
    if (!group.frames.empty()) walk_.groups.push_back(std::move(group));
  }

  [[nodiscard]] bool on_stack(RemoteAddress thread_state, std::uint64_t cframe) const {
    // The thread state embeds the outermost one.
    return cframe != 0 && cframe - thread_state.value >= layout_.thread.size;
  }

  std::optional<RemoteStruct> read_cframe(std::uint64_t address) {
    const CFrameLayout& c = layout_.cframe;
    return RemoteStruct::read(memory_, RemoteAddress{address}, std::max(c.current_frame, c.previous) + 8);
  }

  /// 3.12: only the first one counts; shims do the rest.
  void follow_first_cframe(RemoteAddress thread_state, std::uint64_t cframe) {
    const auto data = read_cframe(cframe);
    if (!data) {
      walk_.broken = fmt::format("the frame pointer of the thread state at {:#x} cannot be read", thread_state.value);
      return;
    }
    follow(data->u64(layout_.cframe.current_frame));
  }

  /// 3.11: each cframe, a local of the eval function, names the innermost frame of its call.
  void follow_cframes(RemoteAddress thread_state, std::uint64_t cframe) {
    std::uint64_t next_frame = 0;
    std::unordered_set<std::uint64_t> seen;
    while (on_stack(thread_state, cframe) && walk_.broken.empty() && seen.size() < kMaxPythonFrames &&
           seen.insert(cframe).second) {
      const auto data = read_cframe(cframe);
      if (!data) break;
      RawGroup group;
      group.anchor = cframe;
      std::uint64_t address = data->u64(layout_.cframe.current_frame);
      // A call that has not linked its own frame yet still shows its caller's.
      while (!visited_.contains(address) && may_visit(address)) {
        const auto link = read_link(address);
        if (!link) break;
        group.frames.push_back(link->frame);
        next_frame = address = link->previous;
        if (link->ends_group) break;
      }
      walk_.groups.push_back(std::move(group));
      cframe = data->u64(layout_.cframe.previous);
    }
    // Stack switching (greenlet) can leave frames that no cframe leads to.
    if (walk_.broken.empty() && next_frame != 0 && !visited_.contains(next_frame)) follow(next_frame);
  }

  /// 3.10: the n-th cframe belongs to the n-th frame.
  void pair_with_cframes(RemoteAddress thread_state, std::uint64_t cframe) {
    std::vector<std::uint64_t> cframes;
    while (on_stack(thread_state, cframe) && cframes.size() <= kMaxPythonFrames) {
      cframes.push_back(cframe);
      const auto data = read_cframe(cframe);
      if (!data) return;
      cframe = data->u64(layout_.cframe.previous);
    }
    if (cframes.size() == walk_.groups.size() + 1) {
      // The innermost call has not entered its frame yet.
      walk_.groups.insert(walk_.groups.begin(), RawGroup{});
    }
    if (cframes.size() != walk_.groups.size()) return;
    for (std::size_t i = 0; i < cframes.size(); ++i) walk_.groups[i].anchor = cframes[i];
  }

  const Layout& layout_;
  MemoryReader& memory_;
  std::size_t bytes_;
  std::uint64_t base_frame_ = 0;
  std::unordered_set<std::uint64_t> visited_;
  FrameWalk walk_;
};

}  // namespace

std::size_t FrameWalk::frame_count() const {
  std::size_t count = 0;
  for (const RawGroup& group : groups) count += group.frames.size();
  return count;
}

FrameWalk walk_frames(const Layout& layout, MemoryReader& memory, RemoteAddress thread_state) {
  return Walker(layout, memory).run(thread_state);
}

}  // namespace hangstack::symbolizer
