// Mounts a FUSE file system in a mount namespace of its own, whose server answers for the first 64 KiB of its only file
// and never for the rest. One thread waits in read(2) for the rest, one for a page of it in a mapping, one sleeps.
// Says "READER_TID FAULTER_TID ADDRESS" (of the page), then "ready"; "skip" with a reason if there is no FUSE here.
// The kernel's protocol: include/uapi/linux/fuse.h.

#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "tests/live/targets/target.h"

namespace {

constexpr std::uint64_t kFileBytes = 1 << 20;
constexpr std::uint64_t kAnswered = 1 << 16;
constexpr std::uint64_t kFileNode = 2;

std::atomic<long> g_reader{0};
std::atomic<long> g_faulter{0};

void answer(int device, std::uint64_t unique, const void* body, std::size_t bytes, int error = 0) {
  static std::array<char, 1 << 17> reply;
  fuse_out_header header{};
  header.len = static_cast<std::uint32_t>(sizeof header + bytes);
  header.error = error;
  header.unique = unique;
  std::memcpy(reply.data(), &header, sizeof header);
  if (bytes > 0) std::memcpy(reply.data() + sizeof header, body, bytes);
  if (::write(device, reply.data(), header.len) < 0 && errno != ENOENT) ::_exit(4);
}

fuse_attr attributes_of(std::uint64_t node) {
  fuse_attr attributes{};
  attributes.ino = node;
  attributes.nlink = 1;
  attributes.mode = node == kFileNode ? S_IFREG | 0444 : S_IFDIR | 0555;
  attributes.size = node == kFileNode ? kFileBytes : 0;
  return attributes;
}

void serve_one(int device, const fuse_in_header& in, const char* body) {
  static const std::array<char, kAnswered> zeros{};
  switch (in.opcode) {
    case FUSE_INIT: {
      fuse_init_out out{};
      out.major = FUSE_KERNEL_VERSION;
      out.minor = FUSE_KERNEL_MINOR_VERSION;
      out.max_write = 4096;
      return answer(device, in.unique, &out, sizeof out);
    }
    case FUSE_LOOKUP: {
      fuse_entry_out out{};
      out.nodeid = kFileNode;
      out.attr_valid = out.entry_valid = 3600;
      out.attr = attributes_of(kFileNode);
      return answer(device, in.unique, &out, sizeof out);
    }
    case FUSE_GETATTR: {
      fuse_attr_out out{};
      out.attr_valid = 3600;
      out.attr = attributes_of(in.nodeid);
      return answer(device, in.unique, &out, sizeof out);
    }
    case FUSE_OPEN: {
      const fuse_open_out out{};
      return answer(device, in.unique, &out, sizeof out);
    }
    case FUSE_READ: {
      fuse_read_in read{};
      std::memcpy(&read, body, sizeof read);
      if (read.offset < kAnswered)
        answer(device, in.unique, zeros.data(), std::min<std::size_t>(read.size, zeros.size()));
      return;
    }
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
    case FUSE_INTERRUPT: return;
    default: return answer(device, in.unique, nullptr, 0, -ENOSYS);
  }
}

[[noreturn]] void serve(int device) {
  targets::die_with_parent();
  std::array<char, 1 << 17> request{};
  while (true) {
    const ssize_t bytes = ::read(device, request.data(), request.size());
    if (bytes < 0 && (errno == EINTR || errno == ENOENT)) continue;
    if (bytes < static_cast<ssize_t>(sizeof(fuse_in_header))) ::_exit(0);
    fuse_in_header in{};
    std::memcpy(&in, request.data(), sizeof in);
    serve_one(device, in, request.data() + sizeof in);
  }
}

[[noreturn]] void skip(const char* what) {
  targets::say(std::string("skip ") + what + ": " + std::strerror(errno));
  ::_exit(0);
}

std::string mount_it() {
  std::array<char, 64> folder{"/tmp/hangstack-fuse-XXXXXX"};
  const int device = ::open("/dev/fuse", O_RDWR | O_CLOEXEC);
  if (device < 0) skip("/dev/fuse");
  if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    skip("mount namespace");
  // The folder is hidden below a memory file system that goes away with the namespace.
  if (::mount("hangstack", "/tmp", "tmpfs", 0, nullptr) != 0 || ::mkdtemp(folder.data()) == nullptr) skip("tmpfs");
  const std::string options = "fd=" + std::to_string(device) + ",rootmode=40000,user_id=0,group_id=0";
  if (::mount("hangstack", folder.data(), "fuse.hangstack", MS_NOSUID | MS_NODEV, options.c_str()) != 0) skip("mount");
  if (::fork() == 0) serve(device);
  ::close(device);
  return folder.data();
}

}  // namespace

int main() {
  targets::die_with_parent();
  const std::string path = mount_it() + "/file";
  const int file = ::open(path.c_str(), O_RDONLY);
  if (file < 0) return 1;
  ::posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM);
  char* pages = static_cast<char*>(::mmap(nullptr, kFileBytes, PROT_READ, MAP_PRIVATE, file, 0));
  if (pages == MAP_FAILED || pages[0] != 0) return 2;
  char* stuck_page = pages + kFileBytes / 2;
  std::thread([] { ::pause(); }).detach();
  std::thread([file] {
    g_reader = targets::own_tid();
    char c = 0;
    ::pread(file, &c, 1, kFileBytes - 4096);
  }).detach();
  std::thread([stuck_page] {
    g_faulter = targets::own_tid();
    [[maybe_unused]] const char c = *static_cast<volatile char*>(stuck_page);
  }).detach();
  while (g_reader == 0 || g_faulter == 0) std::this_thread::yield();
  targets::say(std::to_string(g_reader) + " " + std::to_string(g_faulter) + " " +
               std::to_string(reinterpret_cast<std::uint64_t>(stuck_page)));
  targets::say("ready");
  targets::wait_for_end();
  ::_exit(0);
}
