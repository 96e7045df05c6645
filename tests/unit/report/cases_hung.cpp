// Jobs that hang.
#include <fmt/core.h>

#include "tests/support/report_builder.h"
#include "tests/unit/report/cases.h"

namespace hangstack::tests {
namespace {

using model::Confidence;
using model::Hung;
using model::RankSet;

constexpr const char* kTrain = "/home/u/job/train.py";
constexpr const char* kC10d = "/usr/lib/python3.12/site-packages/torch/distributed/distributed_c10d.py";
constexpr const char* kTorch = "/usr/lib/python3.12/site-packages/torch/lib/libtorch_cpu.so";
constexpr const char* kTorchPython = "/usr/lib/python3.12/site-packages/torch/lib/libtorch_python.so";
constexpr const char* kPython = "/usr/lib/libpython3.12.so.1.0";
constexpr const char* kLibc = "/usr/lib/x86_64-linux-gnu/libc.so.6";

Frames interpreter_start() {
  return {native("_start", "/usr/bin/python3.12"), native("__libc_start_main", kLibc), native("Py_BytesMain", kPython),
          native("pymain_run_file_obj", kPython), native("_PyEval_EvalFrameDefault", kPython)};
}

Frames train(const char* function, int line) {
  return {py("<module>", kTrain, 210), py("main", kTrain, 188), py("train_loop", kTrain, 64),
          py(function, kTrain, line)};
}

Frames all_reduce_wait() {
  return {py("all_reduce", kC10d, 2924),
          native("cfunction_vectorcall_FASTCALL_KEYWORDS", kPython),
          native("pybind11::cpp_function::dispatcher(_object*, _object*, _object*)", kTorchPython),
          native("c10d::Work::wait(std::chrono::duration<long, std::ratio<1l, 1000l> >)", kTorch),
          native("std::condition_variable::wait(std::unique_lock<std::mutex>&)", "/usr/lib/libstdc++.so.6"),
          native_at("pthread_cond_wait", kLibc, "nptl/pthread_cond_wait.c", 627)};
}

Frames gloo_run_loop() {
  return {native("clone3", kLibc),
          native("start_thread", kLibc),
          native("c10d::ProcessGroupGloo::runLoop(int)", kTorch),
          native("gloo::allreduce(gloo::AllreduceOptions&)", kTorch),
          native("gloo::transport::tcp::UnboundBuffer::waitRecv(int*, std::chrono::duration<long, std::ratio<1l, "
                 "1000l> >)",
                 kTorch),
          native("pthread_cond_clockwait", kLibc)};
}

Frames sleeping() { return {native("time_sleep", kPython), native("clock_nanosleep", kLibc)}; }

std::vector<model::Thread> waiting_rank(std::int32_t pid, double seconds) {
  return {ThreadBuilder(pid, "python3")
              .stack(interpreter_start() + train("sync_gradients", 131) + all_reduce_wait())
              .sleeps_in("futex", "futex_wait_queue", seconds)
              .role("main")
              .blocking(),
          ThreadBuilder(pid + 100, "pt_gloo_runloop")
              .stack(gloo_run_loop())
              .sleeps_in("futex", "futex_wait_queue", seconds)
              .role("gloo run loop"),
          ThreadBuilder(pid + 101, "python3")
              .stack({native("clone3", kLibc), native("", "/usr/lib/libopenblas.so.0", 0x77)})
              .sleeps_in("futex", "futex_wait_queue", 300)
              .role("BLAS worker", true)};
}

std::vector<model::Thread> sleeping_rank(std::int32_t pid, double seconds) {
  return {ThreadBuilder(pid, "python3")
              .stack(interpreter_start() + train("load_shard", 93) + sleeping())
              .sleeps_in("clock_nanosleep", "hrtimer_nanosleep", seconds)
              .role("main")
              .blocking()};
}

std::vector<model::TreeNode> straggler_tree(const RankSet& late, const RankSet& waiting) {
  Frames trunk = train("", 0);
  trunk.pop_back();
  model::TreeNode root{interpreter_start() + trunk, late.united(waiting), {}, {}};
  root.children.push_back({Frames{py("load_shard", kTrain, 93)} + sleeping(), late, waiting, {}});
  root.children.push_back({Frames{py("sync_gradients", kTrain, 131)} + all_reduce_wait(), waiting, late, {}});
  return {root, {gloo_run_loop(), waiting, {}, {}}};
}

}  // namespace

model::Report hung_gloo_straggler() {
  ReportBuilder b;
  b.world(4);
  for (const int rank : {0, 1, 2}) {
    const std::int32_t pid = 41872 + rank;
    b.process({rank, pid, "gpu07", "collective", 252.4}, waiting_rank(pid, 252.4));
  }
  b.process({3, 41877, "gpu07", "sleep", 255.0}, sleeping_rank(41877, 255.0));
  b.group({{3}, "sleep", "time.sleep", "load_shard train.py:93", 255.0, false, {41877}});
  b.group({{0, 1, 2}, "collective", "all_reduce", "sync_gradients train.py:131", 252.4, false, {41872, 41873, 41874}});
  b.job().tree = straggler_tree({3}, {0, 1, 2});
  b.verdict() = {Hung::yes,
                 "host_straggler",
                 "asleep before the collective",
                 Confidence::likely,
                 {3},
                 252.4,
                 "Ranks 0-2 wait in all_reduce at train.py:131; rank 3 has not come there: it sleeps in load_shard at "
                 "train.py:93.",
                 {{"main thread in time.sleep under load_shard train.py:93, unmoved for 4 min 15 s", {3}, "stacks"},
                  {"gloo waits to receive in all_reduce at train.py:131", {0, 1, 2}, "stacks"},
                  {"no thread was put on a processor between the samples", {0, 1, 2, 3}, "kernel counters"}},
                 {"time.sleep ends by itself: rank 3 may come later"},
                 {{"what does rank 3 wait for?", ""},
                  {"more certainty", "hangstack --samples 3 --gap 30"},
                  {"the fix and its checks", "hangstack explain host_straggler"}},
                 {"all ranks pass train.py:131 within one step time of each other"},
                 "docs/patterns.md#host_straggler"};
  b.job().alternatives = {
      {"asymmetric_control_flow", Confidence::possible, "rank 3 may be on a branch that its peers are not on"},
      {"collective_mismatch", Confidence::unknown, "rank 3 is in no collective"}};
  b.job().decisions = {"process_stopped: no. No process is in state T",
                       "host_straggler: yes. 3 of 4 ranks wait in a collective, 1 is in its own code; it did not move "
                       "(+2), and its peers"
                       " wait on its answer in gloo (+1)"};
  return b.report();
}

model::Report stopped_rank() {
  ReportBuilder b;
  b.world(2);
  b.process({0, 5001, "gpu07", "collective", 61.0}, waiting_rank(5001, 61.0));
  auto threads = sleeping_rank(5002, 63.0);
  threads[0].kernel_state = 'T';
  threads[0].wchan = "do_signal_stop";
  threads[0].syscall_name.clear();
  b.process({1, 5002, "gpu07", "stopped", 63.0}, threads);
  b.group({{1}, "stopped", "SIGSTOP", "train_step train.py:44", 63.0, false, {5002}});
  b.group({{0}, "collective", "all_reduce", "sync_gradients train.py:131", 61.0, false, {5001}});
  b.job().tree = straggler_tree({1}, {0});
  b.verdict() = {Hung::yes,
                 "process_stopped",
                 "",
                 Confidence::certain,
                 {1},
                 63.0,
                 "Rank 1 (pid 5002) is stopped by a signal; rank 0 waits for it in all_reduce.",
                 {{"kernel state T (stopped), all 1 threads", {1}, "/proc"},
                  {"waits in all_reduce at train.py:131", {0}, "stacks"}},
                 {},
                 {{"let it run again", "kill -CONT 5002"}},
                 {},
                 ""};
  return b.report();
}

model::Report dead_rank() {
  ReportBuilder b;
  b.world(4);
  for (const int rank : {0, 1}) {
    const std::int32_t pid = 7000 + rank;
    b.process({rank, pid, "gpu07", "collective", 3725.0}, waiting_rank(pid, 3725.0));
  }
  b.failed(
      {2, 7002, "gpu07", "dead", std::nullopt, std::nullopt},
      {model::ErrorCode::zombie, "pid 7002 has ended and waits for its parent (pid 41800): it has no stack any more.",
       "Read its exit status in the launcher's log."});
  b.group({{2}, "dead", "zombie", "", std::nullopt, false, {7002}});
  b.group({{0, 1}, "collective", "all_reduce", "sync_gradients train.py:131", 3725.0, false, {7000, 7001}});
  b.job().missing_ranks = {3};
  b.job().tree = {{interpreter_start() + train("sync_gradients", 131) + all_reduce_wait(), {0, 1}, {}, {}}};
  b.verdict() = {Hung::yes,
                 "rank_died",
                 "",
                 Confidence::certain,
                 {2},
                 3725.0,
                 "Rank 2 (pid 7002) is dead, a zombie that its parent has not reaped; ranks 0-1 wait for it.",
                 {{"ended: kernel state Z, parent pid 41800", {2}, "/proc"},
                  {"wait in all_reduce at train.py:131", {0, 1}, "stacks"}},
                 {},
                 {{"why did it end?",
                   "journalctl -k --since '2 hours ago' | grep -i -e oom -e 'killed process' -e xid -e "
                   "segfault"}},
                 {},
                 ""};
  return b.report();
}

model::Report many_ranks(int ranks, int hosts) {
  ReportBuilder b;
  b.world(ranks);
  const int odd = ranks / 2;
  RankSet waiting;
  std::vector<std::int32_t> pids;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::int32_t pid = 10000 + rank;
    const std::string host = fmt::format("gpu{:03}", rank * hosts / ranks);
    if (rank == odd) {
      b.process({rank, pid, host, "sleep", 90.0}, sleeping_rank(pid, 90.0));
      continue;
    }
    waiting.insert(rank);
    pids.push_back(pid);
    b.process({rank, pid, host, "collective", 88.0}, waiting_rank(pid, 88.0));
  }
  b.group({{odd}, "sleep", "time.sleep", "load_shard train.py:93", 90.0, false, {10000 + odd}});
  b.group({waiting, "collective", "all_reduce", "sync_gradients train.py:131", 88.0, false, pids});
  b.job().tree = straggler_tree({odd}, waiting);
  b.verdict() = {Hung::yes,
                 "host_straggler",
                 "",
                 Confidence::likely,
                 {odd},
                 88.0,
                 fmt::format("{} ranks wait in all_reduce; rank {} sleeps in load_shard.", ranks - 1, odd),
                 {{"in time.sleep under load_shard train.py:93", {odd}, "stacks"},
                  {"wait in all_reduce at train.py:131", waiting, "stacks"}},
                 {},
                 {{"more certainty", "hangstack --samples 3 --gap 30"}},
                 {},
                 ""};
  return b.report();
}

}  // namespace hangstack::tests
