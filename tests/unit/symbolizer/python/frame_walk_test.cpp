#include "symbolizer/python/frame_walk.h"

#include <gtest/gtest.h>

#include "tests/support/memory_image.h"

namespace hangstack::symbolizer {
namespace {

using model::RemoteAddress;
using tests::MemoryImage;

constexpr std::uint64_t kState = 0x1000;
constexpr std::uint64_t kFrames = 0x100000;
constexpr std::uint64_t kStack = 0x7f0000;

struct FrameSpec {
  std::uint64_t previous = 0;
  std::uint64_t code = 0;
  std::uint8_t owner = 0;
  bool entry = false;
};

void put_frame(MemoryImage& memory, const Layout& l, std::uint64_t at, const FrameSpec& spec) {
  memory.reserve(at, 128);
  memory.put<std::uint64_t>(at + l.frame.previous, spec.previous);
  memory.put<std::uint64_t>(at + l.frame.code, spec.code);
  if (l.frame.owner) memory.put<std::uint8_t>(at + *l.frame.owner, spec.owner);
  if (l.frame.is_entry) memory.put<std::uint8_t>(at + *l.frame.is_entry, spec.entry ? 1 : 0);
}

std::uint64_t frame_at(int number) { return kFrames + static_cast<std::uint64_t>(number) * 0x100; }
std::uint64_t cframe_at(int number) { return kStack + static_cast<std::uint64_t>(number) * 0x1000; }

FrameWalk walk(const Layout& layout, MemoryImage& memory) { return walk_frames(layout, memory, RemoteAddress{kState}); }

/// Per group: anchor, then codes.
std::vector<std::vector<std::uint64_t>> shape(const FrameWalk& walk) {
  std::vector<std::vector<std::uint64_t>> groups;
  for (const RawGroup& group : walk.groups) {
    groups.push_back({group.anchor.value_or(0)});
    for (const RawFrame& frame : group.frames) groups.back().push_back(frame.code);
  }
  return groups;
}

using Shape = std::vector<std::vector<std::uint64_t>>;

TEST(FrameWalk, Python39HasOneGroupPerFrameWithoutAnchor) {
  const Layout l = layout_3_9();
  MemoryImage memory;
  memory.reserve(kState, l.thread.size);
  memory.put<std::uint64_t>(kState + l.thread.frame, frame_at(0));
  put_frame(memory, l, frame_at(0), {frame_at(1), 10});
  put_frame(memory, l, frame_at(1), {0, 11});
  memory.put<std::int32_t>(frame_at(1) + l.frame.instruction, -1);
  const FrameWalk found = walk(l, memory);
  EXPECT_EQ(shape(found), (Shape{{0, 10}, {0, 11}}));
  EXPECT_EQ(static_cast<std::int64_t>(found.groups[1].frames[0].instruction), -1);
  EXPECT_EQ(found.broken, "");
}

void put_cframe(MemoryImage& memory, const Layout& l, std::uint64_t at, std::uint64_t frame, std::uint64_t previous) {
  memory.reserve(at, 32);
  memory.put<std::uint64_t>(at + l.cframe.current_frame, frame);
  memory.put<std::uint64_t>(at + l.cframe.previous, previous);
}

TEST(FrameWalk, Python310PairsFramesWithCframes) {
  const Layout l = layout_3_10();
  MemoryImage memory;
  memory.reserve(kState, l.thread.size);
  memory.put<std::uint64_t>(kState + l.thread.frame, frame_at(0));
  memory.put<std::uint64_t>(kState + *l.thread.cframe, cframe_at(0));
  put_frame(memory, l, frame_at(0), {frame_at(1), 10});
  put_frame(memory, l, frame_at(1), {0, 11});
  put_cframe(memory, l, cframe_at(0), 0, cframe_at(1));
  put_cframe(memory, l, cframe_at(1), 0, kState + 264);
  EXPECT_EQ(shape(walk(l, memory)), (Shape{{cframe_at(0), 10}, {cframe_at(1), 11}}));

  // One call more than frames: the innermost has not entered its frame.
  put_cframe(memory, l, cframe_at(1), 0, cframe_at(2));
  put_cframe(memory, l, cframe_at(2), 0, kState + 264);
  EXPECT_EQ(shape(walk(l, memory)), (Shape{{cframe_at(0)}, {cframe_at(1), 10}, {cframe_at(2), 11}}));
}

TEST(FrameWalk, Python311GroupsEndAtEntryFrames) {
  const Layout l = layout_3_11();
  MemoryImage memory;
  memory.reserve(kState, l.thread.size);
  memory.put<std::uint64_t>(kState + l.thread.frame, cframe_at(0));
  put_cframe(memory, l, cframe_at(0), frame_at(0), cframe_at(1));
  put_cframe(memory, l, cframe_at(1), frame_at(2), kState + 336);
  put_frame(memory, l, frame_at(0), {frame_at(1), 10});
  put_frame(memory, l, frame_at(1), {frame_at(2), 11, 0, true});
  put_frame(memory, l, frame_at(2), {0, 12, 0, true});
  EXPECT_EQ(shape(walk(l, memory)), (Shape{{cframe_at(0), 10, 11}, {cframe_at(1), 12}}));

  // A call that has not linked its frame yet shows its caller's.
  memory.put<std::uint64_t>(kState + l.thread.frame, cframe_at(2));
  put_cframe(memory, l, cframe_at(2), frame_at(0), cframe_at(0));
  const auto groups = shape(walk(l, memory));
  std::size_t frames = 0;
  for (const auto& group : groups) frames += group.size() - 1;
  EXPECT_EQ(frames, 3U);
}

TEST(FrameWalk, Python312ShimsAreAnchorsAndNoFrames) {
  const Layout l = layout_3_12();
  MemoryImage memory;
  memory.reserve(kState, l.thread.size);
  memory.put<std::uint64_t>(kState + l.thread.frame, cframe_at(0));
  put_cframe(memory, l, cframe_at(0), kStack + 8, 0);
  put_frame(memory, l, kStack + 8, {frame_at(0), 99, 3});  // a call that has not entered its frame
  put_frame(memory, l, frame_at(0), {frame_at(1), 10});
  put_frame(memory, l, frame_at(1), {kStack + 0x200, 11, 1});
  put_frame(memory, l, kStack + 0x200, {frame_at(2), 99, 3});
  put_frame(memory, l, frame_at(2), {kStack + 0x400, 12});
  put_frame(memory, l, kStack + 0x400, {0, 99, 3});
  EXPECT_EQ(shape(walk(l, memory)), (Shape{{kStack + 8}, {kStack + 0x200, 10, 11}, {kStack + 0x400, 12}}));
}

TEST(FrameWalk, TagBitsAreClearedAndTheBaseFrameIsNoAnchor) {
  Layout l = layout_3_12();
  l.minor = 15;
  l.frame_source = FrameSource::current_frame;
  l.thread.base_frame = 64;
  l.frame.tagged_code = true;
  MemoryImage memory;
  memory.reserve(kState, 0x200);
  memory.put<std::uint64_t>(kState + l.thread.frame, frame_at(0));
  memory.put<std::uint64_t>(kState + 64, kState + 0x100);
  put_frame(memory, l, frame_at(0), {kStack + 0x200, 0x4001});
  put_frame(memory, l, kStack + 0x200, {kState + 0x100, 99, 3});
  put_frame(memory, l, kState + 0x100, {0, 99, 3});
  EXPECT_EQ(shape(walk(l, memory)), (Shape{{kStack + 0x200, 0x4000}}));
}

TEST(FrameWalk, CirclesAndGarbageEndTheChainWithAReason) {
  const Layout l = layout_3_12();
  MemoryImage memory;
  memory.reserve(kState, l.thread.size);
  memory.put<std::uint64_t>(kState + l.thread.frame, cframe_at(0));
  put_cframe(memory, l, cframe_at(0), frame_at(0), 0);
  put_frame(memory, l, frame_at(0), {frame_at(1), 10});
  put_frame(memory, l, frame_at(1), {frame_at(0), 11});
  FrameWalk found = walk(l, memory);
  EXPECT_EQ(found.frame_count(), 2U);
  EXPECT_EQ(found.broken, "the chain of frames runs in a circle at 0x100000");

  put_frame(memory, l, frame_at(1), {0xdeadbeef, 11});
  found = walk(l, memory);
  EXPECT_EQ(found.frame_count(), 2U);
  EXPECT_EQ(found.broken, "the frame at 0xdeadbeef cannot be read");

  memory = {};
  EXPECT_EQ(walk(l, memory).broken, "the thread state at 0x1000 cannot be read");
}

TEST(FrameWalk, AVeryDeepChainIsCut) {
  const Layout l = layout_3_9();
  MemoryImage memory;
  memory.reserve(kState, l.thread.size);
  memory.put<std::uint64_t>(kState + l.thread.frame, frame_at(0));
  for (int i = 0; i < static_cast<int>(kMaxPythonFrames) + 10; ++i) {
    put_frame(memory, l, frame_at(i), {frame_at(i + 1), 10});
  }
  const FrameWalk found = walk(l, memory);
  EXPECT_EQ(found.frame_count(), kMaxPythonFrames);
  EXPECT_EQ(found.broken, "more than 16384 frames");
}

}  // namespace
}  // namespace hangstack::symbolizer
