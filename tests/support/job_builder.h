#pragma once
// Jobs in a text notation, for tests of the classifiers and of reports.
//
//   process rank=0 world=2 pid=100 state=S                       keys: rank world local parent host state key role
//   env LOCAL_WORLD_SIZE=2                                             tracer start at (s) dump
//   child 2371 gzip state=S ticks=5       a process below it
//   recorded all_reduce #2 finished=1     an entry of the flight recorder; keys: group elements dtype p2p
//                                                                finished age called (train.py:8) backend id members
//                                                                (0+2)
//   enqueued 0 3 42       PyTorch's count for a group: its name, its number and the last collective begun
//   communicator 0x7a AllReduce=2         NCCL's; keys: ranks aborted, and a collective's name for how often it was
//   launched (s) thread main state=S asleep=12 switches=5 syscall=futex a3=0  keys: tid state asleep switches run user
//   gil wchan
//     pthread_cond_wait libc.so.6                                      syscall a0..a5 pending caught blocked stopped
//                                                                after_stop (switches after hangstack's own stop)
//     ?? libtorch_cpu.so                                         a frame: function, then module
//     py all_reduce torch/distributed/distributed_c10d.py:2500   torch/ and lib/ stand for the installed folders
//     py train_step train.py:17                                  anything else is the user's
//
// Frames are innermost first. A thread's name is its comm, `_` standing for a space; the thread "main" has tid == pid
// and comm "python". Role is `rank` if there is a rank number.

#include <string>
#include <string_view>
#include <vector>

#include "model/diagnosis.h"

namespace hangstack::tests {

/// One process of the notation above. Aborts the test program on a line that it does not understand.
model::ProcessSnapshot process_of(std::string_view text);

class JobBuilder {
 public:
  /// Two equal samples: it did not move.
  JobBuilder& still(std::string_view text);
  /// Two samples that differ as the texts do.
  JobBuilder& moving(std::string_view before, std::string_view after);
  /// One sample.
  JobBuilder& once(std::string_view text);
  JobBuilder& failed(int pid, model::ErrorCode code, std::optional<int> rank = {}, char state = '?');

  model::JobSnapshot snapshot;

 private:
  JobBuilder& add(std::vector<model::ProcessSnapshot> samples);
};

/// Rank `rank` of `world` waiting in a gloo all_reduce at train.py:`line` in sync_gradients, with its helper threads.
std::string in_all_reduce(int rank, int world, int line = 20, double asleep = 12);

/// Rank `rank` of `world`, whose main thread has `frames` (innermost first) below `train_step train.py:LINE`.
std::string in_user_code(int rank, int world, std::string_view thread_line, std::string_view frames, int line = 17);

}  // namespace hangstack::tests
