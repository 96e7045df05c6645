#include "sampler/memory/stack_arena.h"

#include <sys/mman.h>

#include <algorithm>

namespace hangstack::sampler {
namespace {

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

StackArena::StackArena(std::size_t bytes) : block_(map_block(bytes, MAP_POPULATE)) {}

StackArena::~StackArena() {
  reset();
  unmap_block(block_);
}

std::span<std::byte> StackArena::take(std::size_t bytes) {
  last_in_block_ = bytes <= block_.size() - used_;
  if (last_in_block_) {
    const auto piece = block_.subspan(used_, bytes);
    used_ += bytes;
    return piece;
  }
  const auto piece = map_block(bytes, 0);
  if (!piece.empty()) further_.push_back(piece);
  return piece;
}

void StackArena::give_back(std::size_t bytes) {
  if (last_in_block_) used_ -= std::min(bytes, used_);
}

void StackArena::reset() {
  for (const auto block : further_) unmap_block(block);
  further_.clear();
  used_ = 0;
}

}  // namespace hangstack::sampler
