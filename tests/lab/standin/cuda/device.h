#pragma once

#include <cstdint>
#include <memory>

namespace hangstack::standin {

/// One thing that a stream does. Operations of a stream run one after the other.
class Operation {
 public:
  virtual ~Operation() = default;
  /// Called by the device thread, again and again from the moment that the operation is the oldest of its stream, until
  /// it returns true: it has finished.
  virtual bool advance() = 0;
};

struct Stream;

/// A place in a stream: all that was enqueued before it.
struct Mark {
  Stream* stream = nullptr;  ///< nullptr: a place that is reached, as an event that was never recorded
  uint64_t sequence = 0;
};

/// Streams live as long as the process. `nullptr` names the default stream everywhere below.
Stream* create_stream();

/// A null `operation` takes no time: it finishes when what is before it has finished.
void enqueue(Stream* stream, std::unique_ptr<Operation> operation);

/// Returns when `stream` holds fewer operations than the queue of a driver: where a launch waits.
void wait_for_room(Stream* stream);

/// `stream` goes on when `mark` has been reached.
void enqueue_wait(Stream* stream, Mark mark);

/// `function(data)` is called by the device thread, which waits for it.
void enqueue_host_function(Stream* stream, void (*function)(void*), void* data);

Mark mark_of(Stream* stream);
bool reached(Mark mark);

/// Return when the mark, or all that was enqueued in this process, has been reached.
void wait_for(Mark mark);
void wait_for_all();

}  // namespace hangstack::standin
