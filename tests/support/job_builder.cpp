#include "tests/support/job_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>

#include "tests/support/keys.h"

namespace hangstack::tests {
namespace {

using model::Frame;
using model::FrameKind;
using model::ProcessSnapshot;
using model::Thread;

[[noreturn]] void reject(const std::string& line) {
  std::cerr << "job_builder: cannot read: " << line << "\n";
  std::abort();
}

std::string text_in(const Keys& keys, const std::string& name, const std::string& otherwise = {}) {
  const auto found = keys.find(name);
  return found == keys.end() ? otherwise : found->second;
}

std::uint64_t number_in(const Keys& keys, const std::string& name, std::uint64_t otherwise = 0) {
  const auto found = keys.find(name);
  return found == keys.end() ? otherwise : std::stoull(found->second, nullptr, 0);
}

std::string installed(const std::string& file) {
  if (file.starts_with("torch/")) return "/opt/venv/lib/python3.12/site-packages/" + file;
  if (file.starts_with("lib/")) return "/usr/lib/python3.12/" + file.substr(4);
  if (file.starts_with("site/")) return "/opt/venv/lib/python3.12/site-packages/" + file.substr(5);
  return file.starts_with("/") || file.starts_with("<") ? file : "/job/" + file;
}

Frame python_frame(const std::string& function, const std::string& place) {
  Frame frame;
  frame.kind = FrameKind::python;
  frame.function = function;
  const auto colon = place.rfind(':');
  frame.file = installed(place.substr(0, colon));
  if (colon != std::string::npos) frame.line = std::stoi(place.substr(colon + 1));
  frame.trust = model::FrameTrust::interpreter;
  return frame;
}

Frame native_frame(std::string line) {
  Frame frame;
  const auto space = line.rfind(' ');
  if (space != std::string::npos) {
    frame.module = line.substr(space + 1);
    line.resize(space);
  }
  if (line != "??") frame.function = line;
  frame.address = std::hash<std::string>{}(line + frame.module);
  return frame;
}

Thread thread_of(const std::string& name, const Keys& keys, const ProcessSnapshot& process) {
  Thread thread;
  const bool main = name == "main";
  thread.name = main ? "python" : name;
  for (char& c : thread.name) c = c == '_' && !name.starts_with("pt_") && !name.starts_with("gloo_") ? ' ' : c;
  thread.tid =
      main ? process.pid : static_cast<int>(number_in(keys, "tid", process.pid + 100000 + process.threads.size()));
  thread.kernel_state = text_in(keys, "state", std::string(1, process.kernel_state))[0];
  thread.wchan = text_in(keys, "wchan");
  thread.syscall_name = text_in(keys, "syscall");
  if (!thread.syscall_name.empty()) {
    thread.syscall = model::SystemCall{1, {}};
    for (int i = 0; i < 6; ++i) thread.syscall->arguments.push_back(number_in(keys, fmt::format("a{}", i)));
  }
  thread.clocks.voluntary_switches = number_in(keys, "switches", 7);
  thread.clocks.run_count = number_in(keys, "run", 9);
  thread.clocks.user_ticks = number_in(keys, "user");
  if (keys.contains("after_stop")) {
    thread.clocks_after_stop = thread.clocks;
    thread.clocks_after_stop->voluntary_switches = number_in(keys, "after_stop");
    *thread.clocks_after_stop->run_count += number_in(keys, "after_stop") - thread.clocks.voluntary_switches;
  }
  if (keys.contains("asleep")) thread.clocks.asleep_s = std::stod(keys.at("asleep"));
  thread.signals.pending_thread = number_in(keys, "pending");
  thread.signals.caught = number_in(keys, "caught");
  thread.signals.blocked = number_in(keys, "blocked");
  thread.lock_holder_tid = static_cast<int>(number_in(keys, "lock_holder"));
  const std::string gil = text_in(keys, "gil");
  thread.gil = gil == "holds"   ? model::GilState::holds
               : gil == "waits" ? model::GilState::waits
                                : model::GilState::none;
  thread.method = keys.contains("stopped") ? model::CaptureMethod::stopped : model::CaptureMethod::looked;
  thread.complete = true;
  thread.end = "complete";
  return thread;
}

void fill_in(ProcessSnapshot& process, const Keys& keys) {
  process.dump = text_in(keys, "dump");
  process.host = text_in(keys, "host", "gpu07");
  process.kernel_state = text_in(keys, "state", "S")[0];
  if (keys.contains("rank")) process.identity.rank = static_cast<int>(number_in(keys, "rank"));
  if (keys.contains("world")) process.identity.world_size = static_cast<int>(number_in(keys, "world"));
  if (keys.contains("local")) process.identity.local_rank = static_cast<int>(number_in(keys, "local"));
  if (process.dump.empty()) process.pid = static_cast<int>(number_in(keys, "pid", 1000 + number_in(keys, "rank")));
  process.ns_pid = process.pid;
  process.parent_pid = static_cast<int>(number_in(keys, "parent", 900));
  process.tracer_name = text_in(keys, "tracer");
  if (!process.tracer_name.empty()) process.tracer_pid = 77;
  process.start_time_ticks = number_in(keys, "start", 5);
  process.captured_at_unix_ns = static_cast<std::int64_t>(number_in(keys, "at")) * 1'000'000'000;
  const std::string role = text_in(keys, "role", keys.contains("rank") ? "rank" : "other");
  static const std::map<std::string, model::Role> kRoles = {
      {"rank", model::Role::rank},     {"launcher", model::Role::launcher},
      {"other", model::Role::other},   {"dataloader", model::Role::dataloader_worker},
      {"helper", model::Role::helper}, {"compile", model::Role::compile_worker}};
  process.identity.role = kRoles.at(role);
  process.identity.job_key = text_in(keys, "key", keys.contains("rank") ? "gpu07:29500" : "");
}

/// What stands behind "recorded": gloo's entry, with one tensor.
void add_recorded(ProcessSnapshot& process, std::istringstream& words, const std::string& line) {
  std::string name;
  std::string number;
  words >> name >> number;
  if (!number.starts_with('#')) reject(line);
  const Keys keys = keys_of(words, line, reject);
  model::RecordedOperation operation;
  operation.backend = text_in(keys, "backend", "gloo");
  // "send:0->1"
  operation.name = name;
  std::ranges::replace(operation.name, ':', ' ');
  operation.sequence = std::stoull(number.substr(1));
  operation.group = text_in(keys, "group", "0");
  operation.group_description = operation.group == "0" ? "default_pg" : operation.group;
  operation.inputs = {{{static_cast<std::int64_t>(number_in(keys, "elements", 256))}, text_in(keys, "dtype", "Float")}};
  operation.retired = keys.contains("finished");
  operation.point_to_point = keys.contains("p2p");
  operation.closes_transfers = keys.contains("closes");
  operation.point_to_point_sequence = number_in(keys, operation.closes_transfers ? "closes" : "p2p", 0);
  if (keys.contains("called")) {
    const std::string site = text_in(keys, "called");
    const std::size_t colon = site.rfind(':');
    operation.frames = {{"all_reduce", "/v/lib/python3.12/site-packages/torch/distributed/distributed_c10d.py", 4174},
                        {"step", "/job/" + site.substr(0, colon), std::stoi(site.substr(colon + 1))}};
    // Where the calling thread began: "<module>", "thread:save", or a hook without a caller.
    const std::string from = text_in(keys, "from", "<module>");
    const bool thread = from.starts_with("thread:");
    operation.frames.push_back({thread ? from.substr(7) : from, "/job/train.py", 1});
    if (thread) operation.frames.push_back({"Thread._bootstrap", "/usr/lib/python3.12/threading.py", 1032});
  }
  if (keys.contains("age"))
    operation.created_unix_ns =
        process.captured_at_unix_ns - static_cast<std::int64_t>(number_in(keys, "age")) * 1'000'000'000;
  if (process.flight_recorders.empty()) process.flight_recorders.emplace_back().status = model::RecordStatus::ok;
  auto& recorder = process.flight_recorders.front();
  operation.id = keys.contains("id") ? number_in(keys, "id") : recorder.recorded;
  recorder.recorded = operation.id + 1;
  if (keys.contains("members")) {
    // "0+2"
    model::RecordedGroup group{operation.group, operation.group_description, {}};
    std::istringstream members(keys.at("members"));
    for (std::string rank; std::getline(members, rank, '+');) group.ranks.push_back(std::stoull(rank));
    if (std::ranges::find(recorder.groups, group) == recorder.groups.end()) recorder.groups.push_back(group);
  }
  recorder.operations.push_back(std::move(operation));
}

/// What stands behind "enqueued": a group, its number and PyTorch's count.
void add_enqueued(ProcessSnapshot& process, std::istringstream& words) {
  if (process.flight_recorders.empty()) process.flight_recorders.emplace_back().status = model::RecordStatus::ok;
  model::RecordedGroupStatus status;
  words >> status.group >> status.group_id >> status.last_enqueued;
  process.flight_recorders.front().group_status.push_back(std::move(status));
}

/// What stands behind "communicator".
void add_communicator(ProcessSnapshot& process, std::istringstream& words, const std::string& line) {
  std::string hash;
  words >> hash;
  const Keys keys = keys_of(words, line, reject);
  if (process.nccl_libraries.empty()) process.nccl_libraries.emplace_back().status = model::RecordStatus::ok;
  model::Communicator side;
  side.hash = std::stoull(hash, nullptr, 16);
  side.ranks = static_cast<std::int32_t>(number_in(keys, "ranks", 2));
  side.rank = process.identity.rank.value_or(0);
  side.aborted = keys.contains("aborted");
  for (std::size_t i = 0; i < side.launched.size(); ++i)
    side.launched[i] = number_in(keys, std::string(model::kNcclCollectives[i]));
  process.nccl_libraries.front().communicators.push_back(std::move(side));
}

}  // namespace

ProcessSnapshot process_of(std::string_view text) {
  ProcessSnapshot process;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find_first_not_of(' ');
    if (first == std::string::npos) continue;
    line.erase(0, first);
    std::istringstream words(line);
    std::string head;
    words >> head;
    if (head == "process") {
      fill_in(process, keys_of(words, line, reject));
    } else if (head == "env") {
      process.environment.merge(keys_of(words, line, reject));
    } else if (head == "thread") {
      std::string name;
      words >> name;
      process.threads.push_back(thread_of(name, keys_of(words, line, reject), process));
    } else if (head == "child") {
      model::Descendant child;
      words >> child.pid >> child.name;
      const Keys keys = keys_of(words, line, reject);
      child.kernel_state = text_in(keys, "state", "S")[0];
      child.cpu_ticks = number_in(keys, "ticks");
      process.descendants.push_back(std::move(child));
    } else if (head == "enqueued") {
      add_enqueued(process, words);
    } else if (head == "recorded") {
      add_recorded(process, words, line);
    } else if (head == "communicator") {
      add_communicator(process, words, line);
    } else if (process.threads.empty()) {
      reject(line);
    } else if (head == "py") {
      std::string function;
      std::string place;
      words >> function >> place;
      process.threads.back().frames.push_back(python_frame(function, place));
    } else {
      process.threads.back().frames.push_back(native_frame(line));
    }
  }
  return process;
}

JobBuilder& JobBuilder::add(std::vector<ProcessSnapshot> samples) {
  snapshot.processes.push_back({std::move(samples)});
  return *this;
}

JobBuilder& JobBuilder::still(std::string_view text) {
  snapshot.gap_s = 2;
  return add({process_of(text), process_of(text)});
}

JobBuilder& JobBuilder::moving(std::string_view before, std::string_view after) {
  snapshot.gap_s = 2;
  return add({process_of(before), process_of(after)});
}

JobBuilder& JobBuilder::once(std::string_view text) { return add({process_of(text)}); }

JobBuilder& JobBuilder::failed(int pid, model::ErrorCode code, std::optional<int> rank, char state) {
  model::FailedProcess failed;
  failed.host = "gpu07";
  failed.pid = pid;
  failed.identity.rank = rank;
  failed.identity.role = rank ? model::Role::rank : model::Role::other;
  failed.identity.job_key = rank ? "gpu07:29500" : "";
  failed.kernel_state = state;
  failed.error = {code, fmt::format("pid {} could not be read", pid), ""};
  snapshot.failed.push_back(failed);
  return *this;
}

std::string in_all_reduce(int rank, int world, int line, double asleep) {
  return fmt::format(R"(
process rank={0} world={1}
thread main asleep={3} syscall=futex
  __futex_abstimed_wait_common libc.so.6
  pthread_cond_wait@@GLIBC_2.3.2 libc.so.6
  std::condition_variable::wait(std::unique_lock<std::mutex>&) libstdc++.so.6
  c10d::Work::wait(std::chrono::duration<long, std::ratio<1l, 1000l> >) libtorch_cpu.so
  pybind11::cpp_function::dispatcher(_object*, _object* const*, unsigned long, _object*) libtorch_python.so
  cfunction_vectorcall_FASTCALL_KEYWORDS libpython3.12.so.1.0
  py all_reduce torch/distributed/distributed_c10d.py:3252
  py _exception_logger.<locals>.wrapper torch/distributed/c10d_logger.py:83
  py sync_gradients train.py:{2}
  py train_step train.py:19
  py main train.py:31
  py <module> train.py:40
  Py_BytesMain libpython3.12.so.1.0
  __libc_start_main@@GLIBC_2.34 libc.so.6
  _start python3.12
thread gloo_tcp_loop asleep={3} syscall=epoll_wait
  epoll_wait libc.so.6
  gloo::transport::tcp::Loop::run() libtorch_cpu.so
  ?? libstdc++.so.6
  start_thread libc.so.6
  __clone3 libc.so.6
thread pt_gloo_runloop asleep={3} syscall=futex
  __futex_abstimed_wait_common libc.so.6
  pthread_cond_wait@@GLIBC_2.3.2 libc.so.6
  std::condition_variable::wait(std::unique_lock<std::mutex>&) libstdc++.so.6
  c10d::ProcessGroupGloo::runLoop(int) libtorch_cpu.so
  ?? libstdc++.so.6
  start_thread libc.so.6
thread pt_gloo_runloop asleep={3} syscall=futex a3=1
  __futex_abstimed_wait_common libc.so.6
  pthread_cond_clockwait@@GLIBC_2.30 libc.so.6
  gloo::transport::tcp::UnboundBuffer::waitRecv(int*, std::chrono::duration<long, std::ratio<1l, 1000l> >) libtorch_cpu.so
  gloo::(anonymous namespace)::allreduce(gloo::detail::AllreduceOptionsImpl const&) libtorch_cpu.so
  c10d::AsyncAllreduceWork::allreduce(std::vector<at::Tensor, std::allocator<at::Tensor> >&) libtorch_cpu.so
  c10d::ProcessGroupGloo::AsyncWork::execute(c10::intrusive_ptr<c10d::ProcessGroupGloo::AsyncWork>) libtorch_cpu.so
  c10d::ProcessGroupGloo::runLoop(int) libtorch_cpu.so
  ?? libstdc++.so.6
  start_thread libc.so.6
thread python asleep={3} syscall=futex
  gomp_barrier_wait_end libgomp.so.1
  gomp_thread_start libgomp.so.1
  start_thread libc.so.6
)",
                     rank, world, line, asleep);
}

std::string in_user_code(int rank, int world, std::string_view thread_line, std::string_view frames, int line) {
  return fmt::format(R"(
process rank={} world={}
thread main {}
{}
  py train_step train.py:{}
  py main train.py:31
  py <module> train.py:40
  Py_BytesMain libpython3.12.so.1.0
  _start python3.12
)",
                     rank, world, thread_line, frames, line);
}

}  // namespace hangstack::tests
