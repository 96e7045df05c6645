#pragma once
// What the sampler would record of this very process, for tests that need real ELF files and real addresses.

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "model/capture.h"

namespace hangstack::tests {

/// Mappings and mapped files of the test process; no threads, no memory, no build-ids.
inline model::ProcessCapture capture_of_self() {
  model::ProcessCapture capture;
  capture.pid = getpid();
  std::ifstream maps("/proc/self/maps");
  std::map<std::pair<std::string, std::uint64_t>, std::string> files;
  for (std::string line; std::getline(maps, line);) {
    model::Mapping m;
    std::istringstream text(line);
    std::string range;
    std::string rights;
    std::string offset;
    text >> range >> rights >> offset >> m.device >> m.inode >> std::ws;
    std::getline(text, m.path);
    std::sscanf(range.c_str(), "%lx-%lx", &m.start, &m.end);
    m.file_offset = std::stoull(offset, nullptr, 16);
    m.readable = rights[0] == 'r';
    m.writable = rights[1] == 'w';
    m.executable = rights[2] == 'x';
    if (m.path.starts_with('/')) files[{m.device, m.inode}] = m.path;
    capture.mappings.push_back(m);
  }
  for (const auto& [inode, path] : files) capture.files.push_back({path, "", inode.second, inode.first, false, {path}});
  return capture;
}

}  // namespace hangstack::tests
