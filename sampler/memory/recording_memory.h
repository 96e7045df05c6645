#pragma once
// Keeps every byte that was read, by the thread whose window it was read in.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "model/capture.h"
#include "model/memory_reader.h"
#include "sampler/memory/page_presence.h"

namespace hangstack::sampler {

/// Reads whole pages through another reader and keeps them. Outside a window a page is read once and serves from then
/// on. Inside one, every page is read anew, once: what a window holds is of one moment, if the thread did not move.
class RecordingMemory : public model::MemoryReader {
 public:
  /// `source` is borrowed. At most `budget` bytes are kept for the process, and as many for each window.
  explicit RecordingMemory(model::MemoryReader& source, std::size_t budget = kBudget);

  void read_batch(std::span<model::ReadRequest> requests) override;

  using Page = std::array<std::byte, kPageBytes>;
  using Pages = std::map<std::uint64_t, std::shared_ptr<const Page>>;  ///< by address; null: not readable

  /// Starts a window; what an unfinished one held is dropped.
  void begin_window();
  /// Bytes that were read for the window by other means, its stack: reads inside it are served from here. Borrowed
  /// until the window ends.
  void hold(model::RemoteAddress address, std::span<const std::byte> stack);
  /// The pages that were read in the window, without what it held.
  Pages end_window();
  void drop_window();

  /// Before everything stands still: makes room for pages that windows will ask for, by their addresses in `pages`.
  void expect(const Pages& pages);
  /// While everything stands still, windows may share pages: each page is read once until `thaw`, those that are
  /// expected at once, in one batch.
  void freeze();
  /// Addresses, ascending, of those of `pages` that were not read since `freeze`, or have other bytes now.
  [[nodiscard]] std::vector<std::uint64_t> changed(const Pages& pages) const;
  /// Things move again: until `thaw`, windows get what was read since `freeze` and nothing else.
  void seal();
  void thaw();

  /// Reads outside windows start anew: what is read again replaces what was kept.
  void renew();

  /// What was read outside windows.
  [[nodiscard]] std::vector<model::MemorySegment> process_memory() const;

  /// Pages as segments, joined where they meet.
  static std::vector<model::MemorySegment> join(const Pages& pages);

  static constexpr std::size_t kBudget = 128UL << 20;

 private:
  void fetch(std::span<const std::uint64_t> missing, Pages& pages);
  std::vector<std::uint64_t> missing_pages(std::span<const model::ReadRequest> requests, Pages& pages);
  [[nodiscard]] bool serve_from_stack(model::ReadRequest& request) const;
  static void serve_from_pages(model::ReadRequest& request, const Pages& pages);

  model::MemoryReader& source_;
  std::size_t budget_;
  Pages process_pages_;
  Pages older_pages_;  ///< from before `renew`
  bool in_window_ = false;
  Pages window_pages_;
  model::RemoteAddress stack_address_;
  std::span<const std::byte> stack_;
  bool frozen_ = false;
  bool sealed_ = false;
  Pages frozen_pages_;
  std::shared_ptr<Page[]> room_;  ///< for the expected pages, in their order
  std::vector<model::ReadRequest> expected_;
};

}  // namespace hangstack::sampler
