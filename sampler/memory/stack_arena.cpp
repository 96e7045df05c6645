#include "sampler/memory/stack_arena.h"

#include <sys/mman.h>

#include <algorithm>

namespace hangstack::sampler {
namespace {

constexpr std::size_t kFurtherBlock = 1UL << 20;

std::span<std::byte> map_block(std::size_t bytes, int flags) {
  if (bytes == 0) return {};
  void* block = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  if (block == MAP_FAILED) return {};
  return {static_cast<std::byte*>(block), bytes};
}

void unmap_block(std::span<std::byte> block) {
  if (!block.empty()) ::munmap(block.data(), block.size());
}

}  // namespace

StackArena::StackArena(std::size_t bytes) : blocks_{map_block(bytes, MAP_POPULATE)} {}

StackArena::~StackArena() {
  for (const auto block : blocks_) unmap_block(block);
}

std::span<std::byte> StackArena::take(std::size_t bytes) {
  if (bytes > blocks_.back().size() - used_) {
    const auto block = map_block(std::max(bytes, kFurtherBlock), 0);
    if (block.empty()) return {};
    blocks_.push_back(block);
    used_ = 0;
  }
  const auto piece = blocks_.back().subspan(used_, bytes);
  used_ += bytes;
  return piece;
}

void StackArena::give_back(std::size_t bytes) { used_ -= std::min(bytes, used_); }

void StackArena::reset() {
  for (; blocks_.size() > 1; blocks_.pop_back()) unmap_block(blocks_.back());
  used_ = 0;
}

}  // namespace hangstack::sampler
