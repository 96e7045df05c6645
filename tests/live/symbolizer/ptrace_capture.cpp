#include "tests/live/symbolizer/ptrace_capture.h"

#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "model/memory_reader.h"
#include "sampler/proc/mapped_files.h"
#include "sampler/proc/maps.h"
#include "sampler/proc/process_evidence.h"
#include "sampler/proc/thread_evidence.h"

namespace hangstack::tests {

namespace {

using model::Register;

/// Reads the process and records what it read.
class LiveReader : public model::MemoryReader {
 public:
  explicit LiveReader(std::int32_t pid, std::vector<model::MemorySegment>* record = nullptr)
      : pid_(pid), record_(record) {}

  void read_batch(std::span<model::ReadRequest> requests) override {
    for (model::ReadRequest& request : requests) {
      const iovec local{request.into.data(), request.into.size()};
      const iovec remote{reinterpret_cast<void*>(request.address.value), request.into.size()};
      const ssize_t got = process_vm_readv(pid_, &local, 1, &remote, 1, 0);
      request.got = got > 0 ? static_cast<std::size_t>(got) : 0;
      if (record_ == nullptr || request.got == 0) continue;
      record_->push_back({request.address, {request.into.begin(), request.into.begin() + got}});
    }
  }

 private:
  std::int32_t pid_;
  std::vector<model::MemorySegment>* record_;
};

model::RegisterSet registers_of(const user_regs_struct& r) {
  model::RegisterSet set;
  const std::pair<Register, unsigned long long> values[] = {
      {Register::rax, r.rax}, {Register::rdx, r.rdx}, {Register::rcx, r.rcx}, {Register::rbx, r.rbx},
      {Register::rsi, r.rsi}, {Register::rdi, r.rdi}, {Register::rbp, r.rbp}, {Register::rsp, r.rsp},
      {Register::r8, r.r8},   {Register::r9, r.r9},   {Register::r10, r.r10}, {Register::r11, r.r11},
      {Register::r12, r.r12}, {Register::r13, r.r13}, {Register::r14, r.r14}, {Register::r15, r.r15},
      {Register::rip, r.rip}};
  for (const auto& [reg, value] : values) set.set(reg, value);
  return set;
}

bool wait_for_stop(std::int32_t tid) {
  for (int i = 0; i < 200; ++i) {
    int status = 0;
    if (waitpid(tid, &status, __WALL | WNOHANG) == tid) return WIFSTOPPED(status);
    const timespec nap{0, 1'000'000};
    nanosleep(&nap, nullptr);
  }
  return false;
}

/// Registers by ptrace, or what /proc shows of a thread that did not stop.
void read_registers(model::ThreadCapture& thread, bool stopped, const sampler::ProcFiles& proc, std::int32_t pid) {
  user_regs_struct r{};
  iovec into{&r, sizeof r};
  if (stopped && ptrace(PTRACE_GETREGSET, thread.tid, NT_PRSTATUS, &into) == 0) {
    thread.method = model::CaptureMethod::stopped;
    thread.registers = registers_of(r);
    return;
  }
  unsigned long long a[9] = {};
  long number = 0;
  const auto text = proc.read(std::to_string(pid) + "/task/" + std::to_string(thread.tid) + "/syscall");
  if (!text || std::sscanf(text->c_str(), "%ld %llx %llx %llx %llx %llx %llx %llx %llx", &number, &a[0], &a[1], &a[2],
                           &a[3], &a[4], &a[5], &a[6], &a[7]) != 9) {
    return;
  }
  thread.method = model::CaptureMethod::looked;
  const Register order[] = {Register::rdi, Register::rsi, Register::rdx, Register::r10,
                            Register::r8,  Register::r9,  Register::rsp, Register::rip};
  for (std::size_t i = 0; i < std::size(order); ++i) thread.registers.set(order[i], a[i]);
}

void read_stack(model::ThreadCapture& thread, const model::ProcessCapture& process, std::size_t stack_bytes,
                LiveReader& memory) {
  const auto sp = thread.registers.get(Register::rsp);
  if (!sp) return;
  for (const model::Mapping& m : process.mappings) {
    if (*sp < m.start || *sp >= m.end) continue;
    thread.stack_limit = m.end;
    std::vector<std::byte> bytes(std::min<std::size_t>(m.end - *sp, stack_bytes));
    bytes.resize(memory.read_up_to(model::RemoteAddress{*sp}, bytes));
    thread.memory.push_back({model::RemoteAddress{*sp}, std::move(bytes)});
  }
}

}  // namespace

model::ProcessCapture ptrace_capture(std::int32_t pid, std::size_t stack_bytes, model::Inspector* inspector) {
  const sampler::ProcFiles proc;
  auto evidence = sampler::read_process_evidence(proc, pid);
  if (!evidence) throw std::runtime_error(evidence.error().error.message);
  model::ProcessCapture capture = std::move(*evidence);
  const auto maps = proc.read(std::to_string(pid) + "/maps");
  capture.mappings = sampler::parse_maps(maps.value()).value();
  LiveReader memory(pid);
  capture.files = sampler::list_mapped_files(proc, pid, capture.mappings, memory);
  const auto tids = proc.list_numbers(std::to_string(pid) + "/task");
  for (const std::int32_t tid : tids.value()) {
    auto thread = sampler::read_thread_evidence(proc, pid, tid);
    if (thread) capture.threads.push_back(std::move(*thread));
  }
  LiveReader recorded(pid, &capture.memory);
  if (inspector != nullptr) inspector->prepare(capture, recorded);
  std::vector<std::int32_t> held;
  for (model::ThreadCapture& thread : capture.threads) {
    // A thread in D does not stop, and a tracer cannot let go of what has not stopped.
    bool stopped = thread.kernel_state != 'D' && ptrace(PTRACE_SEIZE, thread.tid, 0, 0) == 0 &&
                   ptrace(PTRACE_INTERRUPT, thread.tid, 0, 0) == 0;
    stopped = stopped && wait_for_stop(thread.tid);
    if (stopped) held.push_back(thread.tid);
    read_registers(thread, stopped, proc, pid);
  }
  for (model::ThreadCapture& thread : capture.threads) {
    read_stack(thread, capture, stack_bytes, memory);
    std::vector<model::MemorySegment> extra;
    LiveReader in_window(pid, &extra);
    if (inspector != nullptr) inspector->read_thread(thread, in_window);
    thread.memory.insert(thread.memory.end(), extra.begin(), extra.end());
  }
  for (const std::int32_t tid : held) ptrace(PTRACE_DETACH, tid, 0, 0);
  if (inspector != nullptr) inspector->finish(capture, recorded);
  return capture;
}

model::ProcessCapture as_looked(model::ProcessCapture capture) {
  for (model::ThreadCapture& thread : capture.threads) {
    model::RegisterSet shown;
    for (const Register reg : {Register::rsp, Register::rip, Register::rdi, Register::rsi, Register::rdx, Register::r10,
                               Register::r8, Register::r9}) {
      if (const auto value = thread.registers.get(reg)) shown.set(reg, *value);
    }
    thread.registers = shown;
    if (thread.method == model::CaptureMethod::stopped) thread.method = model::CaptureMethod::looked;
  }
  return capture;
}

}  // namespace hangstack::tests
