#include "model/capture_json.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace hangstack::model {
namespace {

using nlohmann::json;

/// Comm, paths and command lines are bytes, JSON strings are Unicode: byte b becomes the character U+00bb.
std::string widen(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (const char c : bytes) {
    const auto b = static_cast<unsigned char>(c);
    if (b < 0x80) {
      text += c;
    } else {
      text += static_cast<char>(0xc0 | (b >> 6));
      text += static_cast<char>(0x80 | (b & 0x3f));
    }
  }
  return text;
}

std::string narrow(const json& value) {
  const auto& text = value.get_ref<const std::string&>();
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto b = static_cast<unsigned char>(text[i]);
    const bool two_byte = (b & 0xfe) == 0xc2 && i + 1 < text.size();
    bytes += two_byte ? static_cast<char>(((b & 0x03) << 6) | (static_cast<unsigned char>(text[++i]) & 0x3f)) : text[i];
  }
  return bytes;
}

template <typename T>
json optional_to_json(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

template <typename T>
std::optional<T> optional_from_json(const json& value) {
  if (value.is_null()) return std::nullopt;
  return value.get<T>();
}

json error_to_json(const Error& e) {
  return {{"code", static_cast<int>(e.code)}, {"message", widen(e.message)}, {"fix", widen(e.fix)}};
}

Error error_from_json(const json& j) {
  const int code = j.at("code").get<int>();
  const bool known = code >= 0 && code <= static_cast<int>(ErrorCode::internal);
  return {known ? static_cast<ErrorCode>(code) : ErrorCode::internal, narrow(j.at("message")), narrow(j.at("fix"))};
}

json segments_to_json(const std::vector<MemorySegment>& segments, std::string& memory) {
  json list = json::array();
  for (const auto& s : segments) {
    list.push_back({s.address.value, memory.size(), s.bytes.size()});
    memory.append(reinterpret_cast<const char*>(s.bytes.data()), s.bytes.size());
  }
  return list;
}

std::vector<MemorySegment> segments_from_json(const json& list, std::string_view memory) {
  std::vector<MemorySegment> segments;
  for (const json& j : list) {
    const auto offset = j.at(1).get<std::uint64_t>();
    const auto size = j.at(2).get<std::uint64_t>();
    if (offset > memory.size() || size > memory.size() - offset) {
      throw std::out_of_range("a memory segment lies outside memory.bin");
    }
    const auto* begin = reinterpret_cast<const std::byte*>(memory.data()) + offset;
    segments.push_back({RemoteAddress{j.at(0).get<std::uint64_t>()}, std::vector<std::byte>(begin, begin + size)});
  }
  return segments;
}

json registers_to_json(const RegisterSet& registers) {
  json list = json::array();
  for (std::size_t i = 0; i < kRegisterCount; ++i)
    list.push_back(optional_to_json(registers.get(static_cast<Register>(i))));
  return list;
}

RegisterSet registers_from_json(const json& list) {
  RegisterSet registers;
  for (std::size_t i = 0; i < kRegisterCount; ++i) {
    const json& value = list.at(i);
    if (!value.is_null()) registers.set(static_cast<Register>(i), value.get<std::uint64_t>());
  }
  return registers;
}

json mapping_to_json(const Mapping& m) {
  std::string flags;
  flags += m.readable ? 'r' : '-';
  flags += m.writable ? 'w' : '-';
  flags += m.executable ? 'x' : '-';
  flags += m.shared ? 's' : 'p';
  if (m.deleted) flags += 'd';
  return {m.start, m.end, m.file_offset, m.inode, m.device, flags, widen(m.path)};
}

Mapping mapping_from_json(const json& j) {
  const auto flags = j.at(5).get<std::string>();
  const auto has = [&](char c) { return flags.find(c) != std::string::npos; };
  Mapping m;
  m.start = j.at(0);
  m.end = j.at(1);
  m.file_offset = j.at(2);
  m.inode = j.at(3);
  m.device = j.at(4);
  m.readable = has('r');
  m.writable = has('w');
  m.executable = has('x');
  m.shared = has('s');
  m.deleted = has('d');
  m.path = narrow(j.at(6));
  return m;
}

json file_to_json(const MappedFile& f) {
  json paths = json::array();
  for (const auto& p : f.open_paths) paths.push_back(widen(p));
  return {{"path", widen(f.path)}, {"build_id", f.build_id}, {"inode", f.inode},
          {"device", f.device},    {"deleted", f.deleted},   {"open_paths", paths}};
}

MappedFile file_from_json(const json& j) {
  MappedFile f{narrow(j.at("path")), j.at("build_id"), j.at("inode"), j.at("device"), j.at("deleted"), {}};
  for (const json& p : j.at("open_paths")) f.open_paths.push_back(narrow(p));
  return f;
}

json clocks_to_json(const ThreadClocks& c) {
  return {c.user_ticks,
          c.system_ticks,
          c.voluntary_switches,
          c.nonvoluntary_switches,
          optional_to_json(c.run_count),
          optional_to_json(c.asleep_s)};
}

ThreadClocks clocks_from_json(const json& j) {
  return {j.at(0),
          j.at(1),
          j.at(2),
          j.at(3),
          optional_from_json<std::uint64_t>(j.at(4)),
          optional_from_json<double>(j.at(5))};
}

json identity_to_json(const RankIdentity& i) {
  return {{"role", static_cast<int>(i.role)},
          {"rank", optional_to_json(i.rank)},
          {"local_rank", optional_to_json(i.local_rank)},
          {"world_size", optional_to_json(i.world_size)},
          {"rank_source", i.rank_source},
          {"job_key", widen(i.job_key)},
          {"rank_pid", i.rank_pid}};
}

RankIdentity identity_from_json(const json& j) {
  RankIdentity i;
  const int role = j.at("role").get<int>();
  if (role >= 0 && role <= static_cast<int>(Role::other)) i.role = static_cast<Role>(role);
  i.rank = optional_from_json<int>(j.at("rank"));
  i.local_rank = optional_from_json<int>(j.at("local_rank"));
  i.world_size = optional_from_json<int>(j.at("world_size"));
  i.rank_source = j.at("rank_source");
  i.job_key = narrow(j.at("job_key"));
  i.rank_pid = j.at("rank_pid");
  return i;
}

char letter_from_json(const json& j) {
  const auto& text = j.get_ref<const std::string&>();
  return text.size() == 1 ? text[0] : '?';
}

}  // namespace

json thread_to_json(const ThreadCapture& t, std::string& memory) {
  json problems = json::array();
  for (const Error& e : t.problems) problems.push_back(error_to_json(e));
  json syscall;
  if (t.syscall) syscall = {{"number", t.syscall->number}, {"arguments", t.syscall->arguments}};
  const SignalState& s = t.signals;
  return {{"tid", t.tid},
          {"ns_tid", t.ns_tid},
          {"name", widen(t.name)},
          {"kernel_state", std::string(1, t.kernel_state)},
          {"kernel_worker", t.kernel_worker},
          {"wchan", widen(t.wchan)},
          {"syscall", syscall},
          {"clocks", clocks_to_json(t.clocks)},
          {"clocks_after_stop", t.clocks_after_stop ? clocks_to_json(*t.clocks_after_stop) : json()},
          {"signals", {s.pending_thread, s.pending_process, s.blocked, s.ignored, s.caught}},
          {"method", static_cast<int>(t.method)},
          {"registers", registers_to_json(t.registers)},
          {"fs_base", optional_to_json(t.fs_base)},
          {"memory", segments_to_json(t.memory, memory)},
          {"stack_limit", t.stack_limit},
          {"stopped_us", t.stopped_us},
          {"problems", problems}};
}

ThreadCapture thread_from_json(const json& j, std::string_view memory) {
  ThreadCapture t;
  t.tid = j.at("tid");
  t.ns_tid = j.at("ns_tid");
  t.name = narrow(j.at("name"));
  t.kernel_state = letter_from_json(j.at("kernel_state"));
  t.kernel_worker = j.at("kernel_worker");
  t.wchan = narrow(j.at("wchan"));
  if (const json& call = j.at("syscall"); !call.is_null()) {
    t.syscall = SystemCall{call.at("number"), call.at("arguments").get<std::vector<std::uint64_t>>()};
  }
  t.clocks = clocks_from_json(j.at("clocks"));
  if (const json& after = j.at("clocks_after_stop"); !after.is_null()) t.clocks_after_stop = clocks_from_json(after);
  const json& s = j.at("signals");
  t.signals = {s.at(0), s.at(1), s.at(2), s.at(3), s.at(4)};
  const int method = j.at("method").get<int>();
  if (method >= 0 && method <= static_cast<int>(CaptureMethod::stopped)) t.method = static_cast<CaptureMethod>(method);
  t.registers = registers_from_json(j.at("registers"));
  t.fs_base = optional_from_json<std::uint64_t>(j.at("fs_base"));
  t.memory = segments_from_json(j.at("memory"), memory);
  t.stack_limit = j.at("stack_limit");
  t.stopped_us = j.at("stopped_us");
  for (const json& e : j.at("problems")) t.problems.push_back(error_from_json(e));
  return t;
}

json descendant_to_json(const Descendant& d) {
  return {d.pid, d.parent_pid, widen(d.name), std::string(1, d.kernel_state), d.cpu_ticks};
}

Descendant descendant_from_json(const json& j) {
  return {j.at(0), j.at(1), narrow(j.at(2)), letter_from_json(j.at(3)), j.at(4)};
}

json capture_to_json(const ProcessCapture& c, std::string& memory) {
  json command_line = json::array();
  for (const auto& argument : c.command_line) command_line.push_back(widen(argument));
  json environment = json::object();
  for (const auto& [name, value] : c.environment) environment[widen(name)] = widen(value);
  json descendants = json::array();
  for (const Descendant& d : c.descendants) descendants.push_back(descendant_to_json(d));
  json mappings = json::array();
  for (const Mapping& m : c.mappings) mappings.push_back(mapping_to_json(m));
  json files = json::array();
  for (const MappedFile& f : c.files) files.push_back(file_to_json(f));
  json threads = json::array();
  for (const ThreadCapture& t : c.threads) threads.push_back(thread_to_json(t, memory));
  json problems = json::array();
  for (const Problem& p : c.problems) {
    problems.push_back({{"scope", p.scope}, {"subject", widen(p.subject)}, {"error", error_to_json(p.error)}});
  }
  return {{"host", widen(c.host)},
          {"pid", c.pid},
          {"ns_pid", c.ns_pid},
          {"parent_pid", c.parent_pid},
          {"start_time_ticks", c.start_time_ticks},
          {"captured_at_unix_ns", c.captured_at_unix_ns},
          {"exe", widen(c.exe)},
          {"command_line", command_line},
          {"environment", environment},
          {"identity", identity_to_json(c.identity)},
          {"descendants", descendants},
          {"kernel_state", std::string(1, c.kernel_state)},
          {"tracer_pid", c.tracer_pid},
          {"tracer_name", widen(c.tracer_name)},
          {"mappings", mappings},
          {"files", files},
          {"threads", threads},
          {"memory", segments_to_json(c.memory, memory)},
          {"stopped_us", c.stopped_us},
          {"problems", problems}};
}

ProcessCapture capture_from_json(const json& j, std::string_view memory) {
  ProcessCapture c;
  c.host = narrow(j.at("host"));
  c.pid = j.at("pid");
  c.ns_pid = j.at("ns_pid");
  c.parent_pid = j.at("parent_pid");
  c.start_time_ticks = j.at("start_time_ticks");
  c.captured_at_unix_ns = j.at("captured_at_unix_ns");
  c.exe = narrow(j.at("exe"));
  for (const json& argument : j.at("command_line")) c.command_line.push_back(narrow(argument));
  for (const auto& [name, value] : j.at("environment").items()) c.environment[narrow(json(name))] = narrow(value);
  c.identity = identity_from_json(j.at("identity"));
  if (const auto descendants = j.find("descendants"); descendants != j.end())
    for (const json& d : *descendants) c.descendants.push_back(descendant_from_json(d));
  c.kernel_state = letter_from_json(j.at("kernel_state"));
  c.tracer_pid = j.at("tracer_pid");
  c.tracer_name = narrow(j.at("tracer_name"));
  for (const json& m : j.at("mappings")) c.mappings.push_back(mapping_from_json(m));
  for (const json& f : j.at("files")) c.files.push_back(file_from_json(f));
  for (const json& t : j.at("threads")) c.threads.push_back(thread_from_json(t, memory));
  c.memory = segments_from_json(j.at("memory"), memory);
  c.stopped_us = j.at("stopped_us");
  for (const json& p : j.at("problems")) {
    c.problems.push_back({p.at("scope"), narrow(p.at("subject")), error_from_json(p.at("error"))});
  }
  return c;
}

}  // namespace hangstack::model
