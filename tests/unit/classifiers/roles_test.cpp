#include <gtest/gtest.h>

#include "classifiers/normalize/thread_roles.h"
#include "tests/support/job_builder.h"

namespace hangstack::classifiers {
namespace {

struct Judged {
  std::string role;
  bool idle;

  friend bool operator==(const Judged&, const Judged&) = default;
};

void PrintTo(const Judged& judged, std::ostream* out) { *out << judged.role << (judged.idle ? " idle" : " busy"); }

Judged judge(const std::string& thread) {
  const auto process = tests::process_of("process pid=7\n" + thread);
  NameTable names;
  const ThreadView view = view_of(process.threads.front(), names);
  const ThreadRole role = role_of(view, 7);
  return {role.name, role.idle};
}

TEST(ThreadRole, MainIsNeverAnIdleHelper) {
  EXPECT_EQ(judge("thread main\n poll libc.so.6\n"), (Judged{"main", false}));
}

TEST(ThreadRole, GlooWorkerIsIdleInItsLoopAndVisibleAtWork) {
  EXPECT_EQ(judge(R"(thread pt_gloo_runloop
  futex_wait libc.so.6
  pthread_cond_wait libc.so.6
  std::condition_variable::wait(std::unique_lock<std::mutex>&) libstdc++.so.6
  c10d::ProcessGroupGloo::runLoop(int) libtorch_cpu.so
  ?? libstdc++.so.6
  start_thread libc.so.6)"),
            (Judged{"gloo worker", true}));
  EXPECT_EQ(judge(R"(thread python
  pthread_cond_clockwait libc.so.6
  gloo::transport::tcp::UnboundBuffer::waitRecv(int*) libgloo.so.0
  ?? libgloo.so.0
  ?? libtorch_cpu.so.1.13
  c10d::ProcessGroupGloo::AsyncWork::execute(int) libtorch_cpu.so.1.13
  c10d::ProcessGroupGloo::runLoop(int) libtorch_cpu.so.1.13
  ?? libstdc++.so.6
  start_thread libc.so.6)"),
            (Judged{"gloo worker", false}));
}

TEST(ThreadRole, StoreServersByNameByFunctionAndByTheirModule) {
  EXPECT_EQ(judge("thread pt_tcpstore\n __poll libc.so.6\n c10d::detail::TCPStoreMasterDaemon::run() libtorch_cpu.so\n"
                  " ?? libstdc++.so.6\n start_thread libc.so.6"),
            (Judged{"c10d store", true}));
  EXPECT_EQ(judge("thread pt_tcpstore_uv\n epoll_pwait libc.so.6\n ?? libtorch_cpu.so\n start_thread libc.so.6"),
            (Judged{"c10d store", true}));
  EXPECT_EQ(judge("thread python3\n __poll libc.so.6\n ?? libtorch_cpu.so.1.13\n ?? libstdc++.so.6\n"
                  " start_thread libc.so.6"),
            (Judged{"torch socket loop", true}));
}

TEST(ThreadRole, PoolsAreIdleWhileOnlyTheirOwnLibraryIsOnTheStack) {
  EXPECT_EQ(judge("thread python\n blas_thread_server libopenblas.so\n start_thread libc.so.6"),
            (Judged{"BLAS pool", false}));
  EXPECT_EQ(judge("thread python\n pthread_cond_wait libc.so.6\n blas_thread_server libopenblas.so\n"
                  " start_thread libc.so.6"),
            (Judged{"BLAS pool", true}));
  EXPECT_EQ(judge("thread python\n ?? libgomp.so.1\n ?? libgomp.so.1\n start_thread libc.so.6"),
            (Judged{"OpenMP pool", true}));
  EXPECT_EQ(judge("thread python\n at::native::add_kernel libtorch_cpu.so\n gomp_thread_start libgomp.so.1"),
            (Judged{"OpenMP pool", false}));
}

TEST(ThreadRole, AutogradWorkerWaitsForWorkOrCarriesAHook) {
  EXPECT_EQ(judge("thread pt_autograd_0\n pthread_cond_wait libc.so.6\n torch::autograd::ReadyQueue::pop() "
                  "libtorch_cpu.so\n torch::autograd::Engine::thread_main(int) libtorch_cpu.so"),
            (Judged{"autograd", true}));
  EXPECT_EQ(judge("thread pt_autograd_0\n pthread_cond_wait libc.so.6\n c10d::Work::wait libtorch_cpu.so\n"
                  " py all_reduce torch/distributed/distributed_c10d.py:9\n py hook train.py:5\n"
                  " torch::autograd::Engine::thread_main(int) libtorch_cpu.so"),
            (Judged{"autograd", false}));
}

TEST(ThreadRole, NcclThreads) {
  EXPECT_EQ(judge("thread python\n pthread_cond_wait libc.so.6\n ncclProxyGetPostedOps.constprop.0 libnccl.so.2\n"
                  " ncclProxyProgress(void*) libnccl.so.2\n start_thread libc.so.6"),
            (Judged{"NCCL proxy", true}));
  EXPECT_EQ(judge("thread python\n sched_yield libc.so.6\n recvProxyProgress libnccl.so.2\n"
                  " ncclProxyProgress(void*) libnccl.so.2"),
            (Judged{"NCCL proxy", false}));
  EXPECT_EQ(judge("thread pt_nccl_watchdg\n pthread_cond_clockwait libc.so.6\n"
                  " c10d::ProcessGroupNCCL::Watchdog::runLoop() libtorch_cuda.so"),
            (Judged{"NCCL watchdog", true}));
  // A watchdog in a CUDA call can never time anything out: it stays visible.
  EXPECT_EQ(judge("thread pt_nccl_watchdg\n cudaEventQuery libcudart.so.12\n"
                  " c10d::ProcessGroupNCCL::Watchdog::runLoop() libtorch_cuda.so"),
            (Judged{"NCCL watchdog", false}));
}

TEST(ThreadRole, PythonLibraryLoopsAreIdleAndUserCodeIsNot) {
  EXPECT_EQ(judge("thread python\n pthread_cond_wait libc.so.6\n py wait lib/threading.py:355\n"
                  " py _worker lib/concurrent/futures/thread.py:81\n py run lib/threading.py:1012"),
            (Judged{"thread pool", true}));
  EXPECT_EQ(judge("thread python\n clock_nanosleep libc.so.6\n py load data.py:4\n"
                  " py run lib/concurrent/futures/thread.py:58\n py _worker lib/concurrent/futures/thread.py:92"),
            (Judged{"thread pool", false}));
  EXPECT_EQ(judge("thread pt_data_pin\n poll libc.so.6\n py get lib/multiprocessing/queues.py:103\n"
                  " py _pin_memory_loop torch/utils/data/_utils/pin_memory.py:52"),
            (Judged{"pin memory", true}));
}

TEST(ThreadRole, DStateIsNeverFoldedAway) {
  EXPECT_EQ(judge("thread cuda-EvtHandlr state=D\n poll libc.so.6\n ?? libcuda.so.1"), (Judged{"CUDA driver", false}));
}

TEST(ThreadRole, UnknownNativeThreadStaysVisible) {
  EXPECT_EQ(judge("thread flusher\n pthread_mutex_lock libc.so.6\n Server::stats() server"), (Judged{"", false}));
  EXPECT_EQ(judge("thread x\n"), (Judged{"", false}));
  EXPECT_EQ(judge("thread iou-wrk-41\n"), (Judged{"kernel worker", true}));
}

}  // namespace
}  // namespace hangstack::classifiers
