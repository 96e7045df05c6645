#pragma once
// The parent's side of one target: takes the messages of its children, and says what the next child may leave out.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "sampler/child_process.h"
#include "sampler/sampler.h"
#include "sampler/stream.h"
#include "sampler/target_reader.h"

namespace hangstack::sampler {

/// Why a target was not read to its end.
enum class Cut : std::uint8_t { none, out_of_time, interrupted };

class Collection {
 public:
  Collection(const Target& target, const SamplingOptions& options);

  /// Bytes from the current child.
  void feed(std::string_view bytes);

  /// The child sent its last message.
  [[nodiscard]] bool is_done() const { return done_; }

  /// When the step that the child is at is overdue: a quarter of the deadline after it began, so that one stuck thread
  /// does not cost the others.
  [[nodiscard]] std::chrono::steady_clock::time_point step_deadline() const;

  /// The child is gone by itself, or the parent gave it up at its step's deadline (`overdue`; how it ended then says
  /// nothing). The step is left out from here on, and what stood at it is noted.
  void child_lost(const ChildEnd& end, bool overdue);

  /// No child could be made.
  void child_missing(const model::Error& error);

  /// Whether another child could bring more.
  [[nodiscard]] bool wants_another_child() const;
  [[nodiscard]] const ReadPlan& plan() const { return plan_; }
  /// A new child begins: the parser starts anew.
  void begin_child();

  /// What there is.
  SampleResult take(Cut cut);

 private:
  void apply(const Message& message);
  void take_threads(const Message& message);
  void take_process(const Message& message);
  void take_thread(const Message& message);
  void take_rest(const Message& message);
  void take_refusal(const Message& message);
  void note(model::ErrorCode code, std::string message, std::string fix = {});
  void note_thread(std::int32_t tid, model::ErrorCode code, std::string message, std::string fix);
  void report_unread_threads(Cut cut);

  ReadPlan plan_;
  MessageParser parser_;
  bool broken_ = false;
  bool done_ = false;
  int children_ = 0;
  Stage stage_ = Stage::evidence;
  std::int32_t stage_tid_ = 0;
  std::chrono::steady_clock::time_point stage_since_;
  double child_stopped_us_ = 0;  ///< of the current child's threads; its last message says it for all
  std::optional<model::ProcessCapture> capture_;
  bool has_process_ = false;
  std::map<std::int32_t, model::ThreadCapture> threads_;
  std::size_t ended_ = 0;
  std::optional<model::FailedProcess> refusal_;
};

}  // namespace hangstack::sampler
