// Jobs that do not hang, or of which little is known.
#include <fmt/core.h>

#include "tests/support/report_builder.h"
#include "tests/unit/report/cases.h"

namespace hangstack::tests {
namespace {

using model::Confidence;
using model::Hung;

constexpr const char* kTrain = "/home/u/job/train.py";
constexpr const char* kLibc = "/usr/lib/x86_64-linux-gnu/libc.so.6";

std::string bytes(std::initializer_list<unsigned char> list) { return {list.begin(), list.end()}; }

}  // namespace

model::Report not_hung() {
  ReportBuilder b;
  b.world(2);
  for (const int rank : {0, 1}) {
    const std::int32_t pid = 600 + rank;
    ThreadBuilder main(pid, "python3");
    main.stack(
            {py("<module>", kTrain, 10), py("train_step", kTrain, 44), native("at::native::addmm", "libtorch_cpu.so")})
        .running();
    b.process({rank, pid, "gpu07", "compute", std::nullopt, true}, {main});
  }
  b.stopped(2, 61);
  b.group({{0, 1}, "compute", "addmm", "train_step train.py:44", std::nullopt, true, {600, 601}});
  b.verdict() = {Hung::no,
                 "not_hung",
                 "",
                 Confidence::likely,
                 {},
                 std::nullopt,
                 "both ranks compute in train_step, and moved between the samples",
                 {{"ran between the samples, 1.9 s of 2.0 s on a processor", {0, 1}, "kernel counters"}},
                 {},
                 {{"if it still seems slow", "hangstack --samples 5 --gap 10"}},
                 {},
                 ""};
  return b.report();
}

model::Report undecided() {
  ReportBuilder b;
  b.world(8);
  b.report().sampling.samples = 1;
  b.report().sampling.gap_s = 0;
  ThreadBuilder main(812, "python3");
  main.stack({py("<module>", kTrain, 10), py("wait_for_queue", kTrain, 71), native("", "/usr/lib/libcuda.so.1", 1),
              native("", "/usr/lib/libcuda.so.1", 2), native("", "/usr/lib/libcuda.so.1", 3)})
      .blocking();
  main.edit().moved.reset();
  main.edit().complete = false;
  main.edit().end = "no call frame information covers 0x7f12 in libcuda.so.1";
  b.process({2, 812, "gpu07", "device_wait", std::nullopt, std::nullopt}, {main});
  b.group({{2}, "device_wait", "cudaStreamSynchronize", "wait_for_queue train.py:71", std::nullopt, false, {812}});
  b.job().missing_ranks = model::RankSet({0, 1, 3, 4, 5, 6, 7});
  b.job().tree = {{Frames(main.edit().frames.rbegin(), main.edit().frames.rend()), {2}, {}, {}}};
  b.verdict() = {Hung::undecided,
                 "unknown",
                 "",
                 Confidence::unknown,
                 {},
                 std::nullopt,
                 "Rank 2 waits for its device; one sample of one rank of eight cannot tell whether it will go on.",
                 {{"main thread in libcuda.so.1 under wait_for_queue", {2}, "stacks"}},
                 {},
                 {{"sample all ranks twice", "hangstack --pgrep train.py --samples 2"}},
                 {},
                 ""};
  return b.report();
}

model::Report single_native_process() {
  ReportBuilder b;
  const Frames to_lock{native("pthread_mutex_lock", kLibc)};
  ThreadBuilder main(990, "server");
  main.stack(Frames{native("_start", "server"), native("__libc_start_main", kLibc), native("main", "server"),
                    native("Server::accept_loop()", "server"),
                    native("Cache::put(std::string const&, int)", "server")} +
             to_lock)
      .sleeps_in("futex", "futex_wait_queue", 40.25)
      .role("main")
      .blocking();
  ThreadBuilder worker(991, "flusher");
  worker
      .stack(Frames{native("clone3", kLibc), native("start_thread", kLibc), native("Flusher::run()", "server"),
                    native("Server::stats() const", "server")} +
             to_lock)
      .sleeps_in("futex", "futex_wait_queue", 40.25)
      .blocking();
  b.process({std::nullopt, 990, "web1", "lock", 40.25}, {main, worker});
  b.job().job = "pid 990";
  b.group({{}, "lock", "pthread_mutex_lock", "Cache::put", 40.25, false, {990}});
  b.job().tree = {{Frames(main.edit().frames.rbegin(), main.edit().frames.rend()), {}, {}, {}},
                  {Frames(worker.edit().frames.rbegin(), worker.edit().frames.rend()), {}, {}, {}}};
  b.verdict() = {Hung::yes,
                 "lock_cycle",
                 "",
                 Confidence::possible,
                 {},
                 40.25,
                 "Threads 990 (server) and 991 (flusher) each wait for a mutex.",
                 {{"thread 990 in pthread_mutex_lock under Cache::put, thread 991 under Server::stats", {}, "stacks"}},
                 {},
                 {},
                 {},
                 ""};
  return b.report();
}

model::Report several_jobs() {
  ReportBuilder b;
  b.report() = hung_gloo_straggler();
  model::Report second = not_hung();
  second.jobs[0].job = "gpu07:29600";
  b.report().jobs.push_back(second.jobs[0]);
  for (auto& process : second.processes) b.report().processes.push_back(process);
  return b.report();
}

model::Report hostile_names() {
  ReportBuilder b;
  b.world(2);
  const std::string escape = "\x1b[2J\x1b]0;owned\x07\x1b[31m";
  const std::string bidi = "safe\u202Egnp.exe\u202C\u2066\u200B";
  const std::string invalid = bytes({0xff, 'x', 0xc3, 0x28, 0xed, 0xa0, 0x80, 0xf0, 0x9f});
  const std::string wide = "训练步骤_シャード_é";
  std::string long_symbol = "void a<";
  for (int i = 0; i < 1000; ++i) long_symbol += "std::vector<";
  long_symbol += "int";
  ThreadBuilder main(13, escape + invalid);
  main.stack({py(escape, "/tmp/" + bidi + "/" + invalid, 3), py(wide, "/données/" + wide + ".py", 7),
              native(long_symbol, "/lib/" + escape + ".so"), native(std::string(10240, 'x'), bidi),
              native("line\nbreak\r\ttab\x7f", "m\n"), native("", ""), native(std::string("nul\0byte", 8), "m")})
      .role(escape)
      .sleeps_in(escape, invalid, 1e300)
      .blocking();
  main.edit().python_name = bidi;
  main.edit().kernel_state = '\x01';
  main.edit().complete = false;
  main.edit().end = escape;
  main.edit().problems = {{model::ErrorCode::unreadable_memory, "thread 13: " + escape, invalid}};
  b.process({0, 13, "host" + escape, escape, -1.0}, {main});
  b.report().processes[0].samples[1].command_line = {escape, bidi, invalid};
  b.report().processes[0].samples[1].tracer_pid = 4;
  b.report().processes[0].samples[1].tracer_name = escape;
  b.group({{0}, escape, bidi + wide, invalid, 1e300, false, {13}});
  b.job().job = escape;
  b.job().tree = {{Frames(main.edit().frames.rbegin(), main.edit().frames.rend()), {0}, {1}, {}}};
  b.verdict() = {Hung::yes,
                 escape,
                 bidi,
                 Confidence::possible,
                 {0},
                 -5.0,
                 escape + " " + bidi + " " + invalid,
                 {{escape + std::string(300, 'o'), {0}, bidi + std::string(200, 's')}, {wide, {0}, wide}},
                 {invalid + escape},
                 {{bidi, "kill " + escape + std::string(300, 'c')}, {"", escape}},
                 {escape},
                 bidi};
  b.job().alternatives = {{escape, Confidence::possible, bidi + invalid}};
  b.job().decisions = {escape + invalid};
  b.report().errors = {{escape, bidi, {model::ErrorCode::internal, escape, invalid}}};
  b.report().sampling.asked = {escape};
  b.report().sampling.disturbed = {bidi + std::string(200, 'd')};
  b.report().tool_version = escape;
  return b.report();
}

model::Report failed_pids() {
  ReportBuilder b;
  b.world(16);
  for (int rank = 0; rank < 12; ++rank) {
    const std::int32_t pid = 3100 + rank;
    b.failed({rank, pid, "gpu07", "", std::nullopt, std::nullopt},
             {model::ErrorCode::no_permission, fmt::format("pid {} belongs to user 1001 and may not be read.", pid),
              fmt::format("Run as that user: sudo -u '#1001' hangstack --pids {}", pid)});
  }
  b.failed({12, 3200, "gpu07", "uninterruptible", std::nullopt, std::nullopt},
           {model::ErrorCode::timed_out, "pid 3200 did not let itself be read within 10 s.",
            "It is in state D: see what /proc says about it, or wait longer with --timeout 60."});
  b.report().errors = {
      {"file", "/usr/lib/libfoo.so", {model::ErrorCode::bad_elf, "/usr/lib/libfoo.so is no ELF file.", ""}}};
  b.verdict().summary = "No rank could be read.";
  return b.report();
}

model::Report nothing_sampled() {
  ReportBuilder b;
  b.report().jobs.clear();
  b.report().errors = {
      {"pid", "77", {model::ErrorCode::not_found, "There is no process 77.", "See pgrep -af python."}}};
  return b.report();
}

std::vector<Case> all_cases() {
  const report::TextOptions full{false, false, true, true, 100};
  const report::TextOptions every{false, true, true, true, 100};
  const report::TextOptions threads{false, true, false, false, 100};
  return {{"hung_gloo_straggler", hung_gloo_straggler(), true, {}},
          {"hung_gloo_straggler_full", hung_gloo_straggler(), false, full},
          {"hung_gloo_straggler_all_threads", hung_gloo_straggler(), false, threads},
          {"stopped_rank", stopped_rank(), true, {}},
          {"dead_rank", dead_rank(), true, {}},
          {"not_hung", not_hung(), true, {}},
          {"undecided", undecided(), true, {}},
          {"single_native_process", single_native_process(), true, {}},
          {"single_native_process_full", single_native_process(), false, every},
          {"several_jobs", several_jobs(), false, {}},
          {"ranks_1000", many_ranks(1000, 125), false, {}},
          {"hostile_names", hostile_names(), true, {}},
          {"hostile_names_full", hostile_names(), false, every},
          {"failed_pids", failed_pids(), true, {}},
          {"nothing_sampled", nothing_sampled(), true, {}}};
}

}  // namespace hangstack::tests
