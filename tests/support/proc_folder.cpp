#include "tests/support/proc_folder.h"

#include <fmt/core.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace hangstack::tests {

ProcFolder::ProcFolder() : path_((std::filesystem::temp_directory_path() / "proc_folder_XXXXXX").string()) {
  if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no folder for the test");
}

ProcFolder::~ProcFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void ProcFolder::write(const std::string& file, std::string_view text) const {
  const std::filesystem::path path = path_ + "/" + file;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

std::string stat_line(const FakeProcess& process) {
  return fmt::format(
      "{} ({}) {} {} 1 1 0 -1 {} 97 0 0 0 11 12 0 0 20 0 {} 0 128448 3133440 365 18446744073709551615 1 2 "
      "140737242725072 "
      "0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 1 2 3 4 5 6 7 0\n",
      process.pid, process.comm, process.state, process.parent, process.flags, process.threads);
}

void ProcFolder::add(const FakeProcess& process) const {
  const std::string folder = std::to_string(process.pid) + "/";
  const std::string stat = stat_line(process);
  const std::string status = fmt::format(
      "Name:\t{}\nTgid:\t{}\nPid:\t{}\nNSpid:\t{}\nUid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\n{}"
      "voluntary_ctxt_switches:\t150\nnonvoluntary_ctxt_switches:\t545\n",
      process.comm, process.pid, process.pid, process.pid, process.status_lines);
  std::string command_line;
  for (const std::string& argument : process.command_line) command_line += argument + '\0';
  std::string environment;
  for (const auto& [name, value] : process.environment) environment += name + "=" + value + '\0';
  write(folder + "stat", stat);
  write(folder + "status", status);
  write(folder + "cmdline", command_line);
  write(folder + "environ", environment);
  write(folder + "uid_map", "         0          0 4294967295\n");
  const std::string task = folder + "task/" + folder;
  write(task + "stat", stat);
  write(task + "status", status);
  write(task + "comm", process.comm + "\n");
  write(task + "wchan", "futex_wait_queue");
  write(task + "schedstat", "31226187 1084221 117\n");
  write(task + "sched", "python (1, #threads: 1)\n---\nse.exec_start      :       1000.000000\n");
  if (process.syscall_file) write(task + "syscall", "202 0x1 0x2 0x3 0x4 0x5 0x6 0x7fff1000 0x7f0000001234\n");
}

}  // namespace hangstack::tests
