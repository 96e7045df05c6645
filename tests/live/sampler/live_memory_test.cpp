// Reading memory with care: this process reads itself.

#include "sampler/memory/live_memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "sampler/proc/maps.h"
#include "sampler/proc/proc_files.h"
#include "tests/support/sampling.h"

namespace hangstack::sampler {
namespace {

using model::ReadRequest;
using model::RemoteAddress;

/// Anonymous pages, none touched; unmapped in the destructor.
class Pages {
 public:
  explicit Pages(std::size_t count)
      : bytes_(count * kPageBytes),
        base_(static_cast<char*>(
            ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {
    ::madvise(base_, bytes_, MADV_NOHUGEPAGE);
  }
  ~Pages() { ::munmap(base_, bytes_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  [[nodiscard]] char* page(std::size_t index) const { return base_ + index * kPageBytes; }
  [[nodiscard]] RemoteAddress address(std::size_t index) const {
    return RemoteAddress{reinterpret_cast<std::uint64_t>(page(index))};
  }

 private:
  std::size_t bytes_;
  char* base_;
};

struct Self {
  explicit Self(std::size_t fault_budget = LiveMemory::kFaultBudget) : budget(fault_budget) { renew(); }
  void renew() {
    const ProcFiles proc;
    mappings = *parse_maps(*proc.read("self/maps"));
    file_systems.add(*proc.read("self/mountinfo"));
    memory.emplace(::getpid(), "/proc/self/task/" + std::to_string(::getpid()), mappings, file_systems, budget);
  }
  std::size_t budget;
  std::vector<model::Mapping> mappings;
  FileSystems file_systems;
  std::optional<LiveMemory> memory;
};

bool is_present(const void* page) {
  PagePresence presence("/proc/self/pagemap");
  return presence.run_at(reinterpret_cast<std::uint64_t>(page), 1).present;
}

TEST(LiveMemory, AnAbsentPageIsNotReadAndStaysAbsent) {
  const Pages pages(3);
  std::memset(pages.page(0), 'a', kPageBytes);
  std::memset(pages.page(2), 'c', kPageBytes);
  Self self;
  std::vector<std::byte> bytes(3 * kPageBytes);
  EXPECT_EQ(self.memory->read_up_to(pages.address(0), bytes), kPageBytes);
  EXPECT_EQ(self.memory->read_up_to(pages.address(1), bytes), 0U);
  EXPECT_EQ(self.memory->read_up_to(pages.address(2) + 100, std::span(bytes).first(200)), 200U);
  EXPECT_EQ(bytes[199], std::byte{'c'});
  EXPECT_FALSE(is_present(pages.page(1)));
}

TEST(LiveMemory, NeighboursInABatchAreJudgedEachForItself) {
  constexpr std::size_t kPages = 1200;  // more than one question to the kernel
  const Pages pages(kPages);
  for (std::size_t i = 0; i < kPages; i += 3) std::memset(pages.page(i), 'x', kPageBytes);
  Self self;
  std::vector<std::byte> bytes(kPages * kPageBytes);
  std::vector<ReadRequest> requests;
  for (std::size_t i = 0; i < kPages; ++i)
    requests.push_back({pages.address(i), std::span(bytes).subspan(i * kPageBytes, kPageBytes), 0});
  std::swap(requests[100], requests[700]);  // out of order
  self.memory->read_batch(requests);
  std::swap(requests[100], requests[700]);
  for (std::size_t i = 0; i < kPages; ++i) {
    ASSERT_EQ(requests[i].got, i % 3 == 0 ? kPageBytes : 0U) << i;
    ASSERT_EQ(is_present(pages.page(i)), i % 3 == 0) << i;
  }
}

TEST(LiveMemory, ABatchIsReadPieceByPiece) {
  const Pages pages(4);
  for (const std::size_t touched : {0, 1, 3}) std::memset(pages.page(touched), 'x', kPageBytes);
  Self self;
  ::mprotect(pages.page(1), kPageBytes, PROT_NONE);  // after maps was read: the kernel says no
  std::array<std::byte, kPageBytes> one{};
  std::array<std::byte, 2 * kPageBytes> two{};
  std::array<std::byte, 16> four{};
  std::array<ReadRequest, 4> requests{{{pages.address(0), two, 0},
                                       {pages.address(1), one, 0},
                                       {RemoteAddress{0x10}, one, 0},
                                       {pages.address(3), four, 0}}};
  self.memory->read_batch(requests);
  EXPECT_EQ(requests[0].got, kPageBytes);
  EXPECT_EQ(requests[1].got, 0U);
  EXPECT_EQ(requests[2].got, 0U);
  EXPECT_EQ(requests[3].got, 16U);
}

TEST(LiveMemory, MoreRequestsThanTheKernelTakesAtOnce) {
  const Pages pages(1);
  std::memset(pages.page(0), 'x', kPageBytes);
  Self self;
  std::vector<std::byte> bytes(5000);
  std::vector<ReadRequest> requests;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    requests.push_back(
        {i == 1500 ? RemoteAddress{1} : pages.address(0) + i % kPageBytes, std::span(bytes).subspan(i, 1), 0});
  self.memory->read_batch(requests);
  for (std::size_t i = 0; i < requests.size(); ++i) EXPECT_EQ(requests[i].got, i == 1500 ? 0U : 1U) << i;
}

TEST(LiveMemory, AddressesThatWrapGiveNothing) {
  Self self;
  std::array<std::byte, 64> bytes{};
  for (const std::uint64_t address : {~0ULL, ~0ULL - 10, 0ULL, 0x7fffffffffffULL, 0xffff800000000000ULL})
    EXPECT_EQ(self.memory->read_up_to(RemoteAddress{address}, bytes), 0U) << address;
  for (const std::uint64_t address : {~0ULL, ~0ULL - kPageBytes - 70, ~0ULL - 10})
    EXPECT_EQ(self.memory->read_unmapped(RemoteAddress{address}, bytes), 0U) << address;
}

TEST(LiveMemory, FilePagesAreReadInWithinABudget) {
  const auto path = std::filesystem::path(HANGSTACK_TARGETS) / ("budget-" + std::to_string(::getpid()));
  constexpr std::size_t kBytes = 4UL << 20;
  std::ofstream(path) << std::string(kBytes, 'f');
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(file, 0);
  void* mapped = ::mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE, file, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  Self self(1UL << 20);
  const RemoteAddress address{reinterpret_cast<std::uint64_t>(mapped)};
  std::vector<std::byte> bytes(kBytes);
  const bool local = access_of(*std::ranges::find(self.mappings, address.value, &model::Mapping::start),
                               self.file_systems) == MappingAccess::may_fault;
  const std::size_t got = self.memory->read_up_to(address, bytes);
  if (local) {
    EXPECT_EQ(got, 1UL << 20);
  } else {
    EXPECT_EQ(got, 0U) << "a build folder in memory: nothing may be read in";
  }
  ::munmap(mapped, kBytes);
  ::close(file);
  std::filesystem::remove(path);
}

/// From here on process_vm_readv(2) fails with `error`.
void refuse_process_vm_readv(int error) {
  std::array<sock_filter, 4> filter{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog program{filter.size(), filter.data()};
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) ::_exit(9);
}

TEST(LiveMemory, TheMemFileStandsInForAMissingOrForbiddenCall) {
  for (const int error : {ENOSYS, EPERM}) {
    const int status = tests::in_child([error] {
      const Pages pages(2);
      std::memset(pages.page(0), 'm', kPageBytes);
      Self self;
      refuse_process_vm_readv(error);
      std::array<std::byte, 2 * kPageBytes> bytes{};
      std::array<std::byte, 8> few{};
      std::array<ReadRequest, 3> requests{
          {{pages.address(0), bytes, 0}, {RemoteAddress{0x10}, few, 0}, {pages.address(0) + 8, few, 0}}};
      self.memory->read_batch(requests);
      if (requests[0].got != kPageBytes || requests[1].got != 0 || requests[2].got != few.size()) return 1;
      return bytes[kPageBytes - 1] == std::byte{'m'} && few[7] == std::byte{'m'} ? 0 : 2;
    });
    EXPECT_EQ(status, 0) << error;
  }
}

}  // namespace
}  // namespace hangstack::sampler
