#include "tests/support/live_capture.h"

#include <sys/uio.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace hangstack::tests {
namespace {

namespace fs = std::filesystem;
using namespace model;

std::string text_of(const std::string& path) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

void read_mappings(ProcessCapture& capture) {
  const std::string proc = "/proc/" + std::to_string(capture.pid);
  std::istringstream lines(text_of(proc + "/maps"));
  std::map<std::pair<std::string, std::uint64_t>, MappedFile> files;
  for (std::string line; std::getline(lines, line);) {
    Mapping m;
    std::istringstream words(line);
    std::string range;
    std::string rights;
    std::string offset;
    words >> range >> rights >> offset >> m.device >> m.inode >> std::ws;
    std::getline(words, m.path);
    m.start = std::stoull(range, nullptr, 16);
    m.end = std::stoull(range.substr(range.find('-') + 1), nullptr, 16);
    m.file_offset = std::stoull(offset, nullptr, 16);
    m.readable = rights[0] == 'r';
    m.writable = rights[1] == 'w';
    m.executable = rights[2] == 'x';
    constexpr std::string_view kDeleted = " (deleted)";
    if (m.path.ends_with(kDeleted)) {
      m.deleted = true;
      m.path.resize(m.path.size() - kDeleted.size());
    }
    if (m.path.starts_with('/')) {
      MappedFile& file = files[{m.device, m.inode}];
      file = {m.path, "", m.inode, m.device, m.deleted, {}};
      if (!m.deleted) file.open_paths.push_back(proc + "/root" + m.path);
      file.open_paths.push_back(proc + "/map_files/" + range);
    }
    capture.mappings.push_back(std::move(m));
  }
  for (auto& [inode, file] : files) capture.files.push_back(std::move(file));
}

std::int32_t ns_tid_of(const std::string& status) {
  const auto at = status.find("\nNSpid:");
  if (at == std::string::npos) return 0;
  std::istringstream numbers(status.substr(at + 7, status.find('\n', at + 1) - at - 7));
  std::int32_t last = 0;
  while (numbers >> last) {
  }
  return last;
}

ThreadCapture list_thread(std::int32_t pid, std::int32_t tid) {
  const std::string proc = "/proc/" + std::to_string(pid) + "/task/" + std::to_string(tid);
  ThreadCapture thread;
  thread.tid = tid;
  thread.ns_tid = ns_tid_of(text_of(proc + "/status"));
  thread.name = text_of(proc + "/comm");
  if (!thread.name.empty()) thread.name.pop_back();
  return thread;
}

/// Registers as the kernel shows them of a thread that sleeps in a system call.
bool look(std::int32_t pid, ThreadCapture& thread) {
  std::istringstream words(
      text_of("/proc/" + std::to_string(pid) + "/task/" + std::to_string(thread.tid) + "/syscall"));
  SystemCall call;
  std::string word;
  if (!(words >> word) || word == "running") return false;
  call.number = std::stoll(word);
  std::vector<std::uint64_t> numbers;
  while (words >> word) numbers.push_back(std::stoull(word, nullptr, 16));
  if (numbers.size() < 2) return false;
  thread.registers.set(Register::rip, numbers.back());
  thread.registers.set(Register::rsp, numbers[numbers.size() - 2]);
  numbers.resize(numbers.size() - 2);
  call.arguments = numbers;
  thread.syscall = call;
  thread.method = CaptureMethod::looked;
  return true;
}

void read_stack(const ProcessCapture& capture, ThreadCapture& thread, RecordingReader& memory) {
  const std::uint64_t from = *thread.registers.get(Register::rsp);
  for (const Mapping& m : capture.mappings) {
    if (from < m.start || from >= m.end) continue;
    thread.stack_limit = m.end;
    std::vector<std::byte> bytes(std::min<std::uint64_t>(m.end - from, 512UL * 1024));
    memory.read_up_to(RemoteAddress{from}, bytes);
  }
}

}  // namespace

void RecordingReader::read_batch(std::span<ReadRequest> requests) {
  for (ReadRequest& request : requests) {
    // Page by page, so that what lies before an unreadable page is had.
    request.got = 0;
    while (request.got < request.into.size()) {
      const std::uint64_t at = request.address.value + request.got;
      const std::size_t piece = std::min<std::size_t>(request.into.size() - request.got, 4096 - at % 4096);
      iovec local{request.into.data() + request.got, piece};
      iovec remote{reinterpret_cast<void*>(at), piece};
      ++calls_;
      const ssize_t n = ::process_vm_readv(pid_, &local, 1, &remote, 1, 0);
      if (n <= 0) break;
      request.got += static_cast<std::size_t>(n);
    }
    if (request.got == 0) continue;
    const auto bytes = request.into.first(request.got);
    segments_.push_back({request.address, {bytes.begin(), bytes.end()}});
  }
}

std::vector<MemorySegment> RecordingReader::take() { return std::exchange(segments_, {}); }

ProcessCapture capture_live(std::int32_t pid, Inspector& inspector) {
  ProcessCapture capture;
  capture.pid = pid;
  const std::string proc = "/proc/" + std::to_string(pid);
  capture.exe = fs::read_symlink(proc + "/exe");
  read_mappings(capture);
  for (const auto& entry : fs::directory_iterator(proc + "/task")) {
    capture.threads.push_back(list_thread(pid, std::stoi(entry.path().filename())));
  }
  std::ranges::sort(capture.threads, {}, &ThreadCapture::tid);
  RecordingReader memory(pid);
  inspector.prepare(capture, memory);
  capture.memory = memory.take();
  for (ThreadCapture& thread : capture.threads) {
    if (!look(pid, thread)) continue;
    read_stack(capture, thread, memory);
    inspector.read_thread(thread, memory);
    thread.memory = memory.take();
  }
  inspector.finish(capture, memory);
  std::ranges::move(memory.take(), std::back_inserter(capture.memory));
  return capture;
}

}  // namespace hangstack::tests
