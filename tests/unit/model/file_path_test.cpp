#include "model/file_path.h"

#include <gtest/gtest.h>

namespace hangstack::model {
namespace {

TEST(LibraryPath, StartsAtThePackage) {
  EXPECT_EQ(library_path("/v/lib/python3.12/site-packages/torch/cuda/__init__.py"), "torch/cuda/__init__.py");
  EXPECT_EQ(library_path("/usr/lib/python3.11/concurrent/futures/thread.py"), "concurrent/futures/thread.py");
  EXPECT_EQ(library_path("/usr/lib/python3.13t/queue.py"), "queue.py");
  EXPECT_EQ(library_path("<frozen importlib._bootstrap>"), "importlib._bootstrap");
  EXPECT_EQ(library_path("/home/u/job/train.py"), "");
  EXPECT_EQ(library_path("/home/u/lib/python_jobs/train.py"), "") << "no folder of a Python version";
}

TEST(Origin, TellsTheUsersFilesFromInstalledOnes) {
  EXPECT_EQ(origin_of("/home/u/job/train.py"), Origin::user);
  EXPECT_EQ(origin_of("train.py"), Origin::user);
  EXPECT_EQ(origin_of("<stdin>"), Origin::user);
  EXPECT_EQ(origin_of("/usr/lib/python3.11/queue.py"), Origin::standard_library);
  EXPECT_EQ(origin_of("/home/u/versions/3.12.1/lib/python3.12/threading.py"), Origin::standard_library);
  EXPECT_EQ(origin_of("<frozen importlib._bootstrap>"), Origin::standard_library);
  EXPECT_EQ(origin_of("/v/lib/python3.12/site-packages/torch/cuda/__init__.py"), Origin::torch);
  EXPECT_EQ(origin_of("/usr/lib/python3/dist-packages/torch/distributed/distributed_c10d.py"), Origin::torch);
  EXPECT_EQ(origin_of("/src/pytorch/torch/distributed/distributed_c10d.py"), Origin::torch);
  EXPECT_EQ(origin_of("/tmp/torchinductor_root/ab/cab.py"), Origin::torch);
  EXPECT_EQ(origin_of("/v/lib/python3.12/site-packages/lightning/trainer.py"), Origin::package);
  EXPECT_EQ(origin_of("/home/u/python3.12/train.py"), Origin::user);
}

TEST(BaseName, IsWhatStandsBehindTheLastSlash) {
  EXPECT_EQ(base_name("/opt/torch/lib/libtorch_cpu.so"), "libtorch_cpu.so");
  EXPECT_EQ(base_name("train.py"), "train.py");
  EXPECT_EQ(base_name("/opt/"), "");
}

TEST(FilePath, SystemLibrariesAreKnownByFileName) {
  for (const char* path :
       {"/lib/x86_64-linux-gnu/libc.so.6", "/lib/libc-2.31.so", "libm.so.6", "[vdso]", "/lib64/ld-linux-x86-64.so.2"}) {
    EXPECT_TRUE(is_c_library(path)) << path;
    EXPECT_TRUE(is_system_library(path)) << path;
  }
  EXPECT_FALSE(is_c_library("/usr/lib/libstdc++.so.6"));
  EXPECT_TRUE(is_system_library("/usr/lib/libstdc++.so.6"));
  for (const char* path : {"libc10.so", "libcuda.so.1", "/opt/libc.so/libtorch_cpu.so", ""}) {
    EXPECT_FALSE(is_system_library(path)) << path;
  }
}

}  // namespace
}  // namespace hangstack::model
