#include "sampler/memory/thread_window.h"

#include <algorithm>

namespace hangstack::sampler {
namespace {

constexpr std::uint64_t kRedZone = 128;
constexpr std::size_t kMaxUnmapped = 256UL << 10;

}  // namespace

ThreadWindow::ThreadWindow(Sources sources, std::size_t arena_bytes) : sources_(sources), arena_(arena_bytes) {}

StackCopy ThreadWindow::copy_unmapped(std::uint64_t stack_pointer, std::size_t stack_bytes) {
  const auto room = arena_.take(std::min(stack_bytes, kMaxUnmapped));
  StackCopy copy;
  copy.address = model::RemoteAddress{stack_pointer};
  const std::size_t got = sources_.memory->read_unmapped(copy.address, room);
  arena_.give_back(room.size() - got);
  copy.bytes = room.first(got);
  copy.limit = stack_pointer + got;
  return copy;
}

std::vector<StackCopy> ThreadWindow::copy_stacks(std::span<const std::uint64_t> stack_pointers,
                                                 std::size_t stack_bytes) {
  std::vector<StackCopy> copies(stack_pointers.size());
  if (sources_.memory == nullptr) return copies;
  std::vector<model::ReadRequest> requests;
  std::vector<std::size_t> of_copy;
  requests.reserve(copies.size());
  of_copy.reserve(copies.size());
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const std::uint64_t sp = stack_pointers[i];
    const auto mapping = sources_.memory->mapping_of(sp);
    if (!mapping) {
      copies[i] = copy_unmapped(sp, stack_bytes);
      continue;
    }
    const std::uint64_t start = std::max(sp - std::min(sp, kRedZone), mapping->start);
    const std::uint64_t size = std::min<std::uint64_t>(mapping->end - start, sp - start + stack_bytes);
    copies[i].limit = mapping->end;
    copies[i].address = model::RemoteAddress{start};
    requests.push_back({copies[i].address, arena_.take(size), 0});
    of_copy.push_back(i);
  }
  sources_.memory->read_batch(requests);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    StackCopy& copy = copies[of_copy[i]];
    const std::uint64_t below = stack_pointers[of_copy[i]] - copy.address.value;
    // A page below the stack pointer may never have been touched.
    if (requests[i].got < below && !requests[i].into.empty()) {
      copy.address = copy.address + below;
      requests[i].got = sources_.memory->read_up_to(copy.address, requests[i].into.subspan(below));
      requests[i].into = requests[i].into.subspan(below);
    }
    const std::size_t got = sources_.memory->read_over_untouched(copy.address, requests[i].into, requests[i].got);
    copy.bytes = requests[i].into.first(got);
  }
  return copies;
}

RecordingMemory::Pages ThreadWindow::inspect(const model::ThreadCapture& thread, const StackCopy& stack) {
  if (sources_.inspector == nullptr || sources_.recording == nullptr) return {};
  sources_.recording->begin_window();
  sources_.recording->hold(stack.address, stack.bytes);
  sources_.inspector->read_thread(thread, *sources_.recording);
  return sources_.recording->end_window();
}

void ThreadWindow::keep(model::ThreadCapture& thread, const StackCopy& stack, const RecordingMemory::Pages& pages) {
  thread.stack_limit = stack.limit;
  thread.memory.clear();
  if (!stack.bytes.empty()) thread.memory.push_back({stack.address, {stack.bytes.begin(), stack.bytes.end()}});
  for (model::MemorySegment& segment : RecordingMemory::join(pages)) thread.memory.push_back(std::move(segment));
}

}  // namespace hangstack::sampler
