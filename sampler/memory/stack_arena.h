#pragma once
// Room for copies of stacks that is there before anything stands still: a page fault of ours costs the target time.

#include <cstddef>
#include <span>
#include <vector>

namespace hangstack::sampler {

/// Hands out pieces of one block that was touched beforehand; further blocks, which were not, are made when it is full.
class StackArena {
 public:
  /// `bytes` are touched at once, in the constructor.
  explicit StackArena(std::size_t bytes);
  ~StackArena();
  StackArena(const StackArena&) = delete;
  StackArena& operator=(const StackArena&) = delete;

  /// Empty if the machine has no memory left. Valid until `reset` or `give_back`.
  std::span<std::byte> take(std::size_t bytes);
  /// Gives back the end of the piece that was taken last: `bytes` of it.
  void give_back(std::size_t bytes);
  /// All pieces are free again; further blocks are unmapped.
  void reset();

 private:
  std::vector<std::span<std::byte>> blocks_;  ///< pieces come from the last one
  std::size_t used_ = 0;                      ///< of the last one
};

}  // namespace hangstack::sampler
