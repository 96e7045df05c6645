#include <gtest/gtest.h>

#include "sampler/memory/mapping_access.h"

namespace hangstack::sampler {
namespace {

using Kind = FileSystems::Kind;

constexpr auto kMounts =
    "22 1 253:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw,errors=remount-ro\n"
    "23 22 0:21 / /proc rw shared:12 - proc proc rw\n"
    "24 22 0:25 / /dev/shm rw,nosuid shared:4 - tmpfs tmpfs rw\n"
    "25 22 0:48 / /data rw - nfs4 server:/export rw,vers=4.2\n"
    "26 22 0:49 / /home rw - fuse.sshfs host: rw,user_id=0\n"
    "27 22 259:0 / /pmem rw - xfs /dev/pmem0 rw,dax=always\n"
    "28 22 259:1 / /disk rw - xfs /dev/nvme0n1 rw,dax=inode\n"
    "29 22 0:60 / /new rw - unheardfs none rw\n"
    "a line that makes no sense\n"
    "30 22 x:y / / rw - ext4 a b\n"
    "31 22 8:1 / / rw no separator\n";

model::Mapping mapping(std::string path, std::string device = "fd:01") {
  model::Mapping made;
  made.start = 0x1000;
  made.end = 0x2000;
  made.readable = true;
  made.path = std::move(path);
  made.device = std::move(device);
  return made;
}

FileSystems mounts() {
  FileSystems file_systems;
  file_systems.add(kMounts);
  return file_systems;
}

TEST(FileSystems, AreToldApartByDevice) {
  const FileSystems all = mounts();
  EXPECT_EQ(all.kind_of("fd:01"), Kind::local);
  EXPECT_EQ(all.kind_of("00:19"), Kind::memory);
  EXPECT_EQ(all.kind_of("00:30"), Kind::distant);
  EXPECT_EQ(all.kind_of("00:31"), Kind::distant);
  EXPECT_EQ(all.kind_of("103:00"), Kind::dax);
  EXPECT_EQ(all.kind_of("103:01"), Kind::local);
}

TEST(FileSystems, UnknownTypesAndDevicesAreDistant) {
  const FileSystems all = mounts();
  EXPECT_EQ(all.kind_of("00:3c"), Kind::distant);
  EXPECT_EQ(all.kind_of("77:77"), Kind::distant);
  EXPECT_EQ(FileSystems().kind_of("fd:01"), Kind::distant);
}

TEST(MappingAccess, DevicesAreNeverRead) {
  const FileSystems all = mounts();
  for (const char* path : {"/dev/nvidia0", "/dev/nvidia-uvm", "/dev/infiniband/uverbs0", "/dev/dri/card0", "/dmabuf:",
                           "/sys/bus/pci/devices/0000:00:05.0/resource0", "/proc/1/mem", "[vvar]", "[vvar_vclock]",
                           "[vsyscall]", "anon_inode:[io_uring]", "socket:[1]", "[uprobes]", "/drm mm object"})
    EXPECT_EQ(access_of(mapping(path), all), MappingAccess::never) << path;
}

TEST(MappingAccess, MemoryIsReadWhereItIsPresent) {
  const FileSystems all = mounts();
  for (const char* path : {"", "[heap]", "[stack]", "[vdso]", "[anon:glibc: malloc]", "/dev/shm/nccl-x", "/dev/zero",
                           "/memfd:x", "/SYSV00000000"})
    EXPECT_EQ(access_of(mapping(path), all), MappingAccess::only_present) << path;
}

TEST(MappingAccess, FilesAreReadInFromLocalDisksOnly) {
  const FileSystems all = mounts();
  EXPECT_EQ(access_of(mapping("/usr/lib/libc.so.6"), all), MappingAccess::may_fault);
  EXPECT_EQ(access_of(mapping("/data/libx.so", "00:30"), all), MappingAccess::only_present);
  EXPECT_EQ(access_of(mapping("/home/libx.so", "00:31"), all), MappingAccess::only_present);
  EXPECT_EQ(access_of(mapping("/pmem/x", "103:00"), all), MappingAccess::never);
}

TEST(MappingAccess, NeedsAReadableMapping) {
  const FileSystems all = mounts();
  auto made = mapping("/usr/lib/libc.so.6");
  made.readable = false;
  EXPECT_EQ(access_of(made, all), MappingAccess::never);
  made.readable = true;
  made.end = made.start;
  EXPECT_EQ(access_of(made, all), MappingAccess::never);
}

}  // namespace
}  // namespace hangstack::sampler
