#include "classifiers/states/thread_state.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/job_builder.h"

namespace hangstack::classifiers {
namespace {

/// "kind: title [detail] @ call site"
std::string state_text(const std::string& thread) {
  const auto process = tests::process_of("process pid=7\n" + thread);
  NameTable names;
  const ThreadView view = view_of(process.threads.front(), names);
  const ThreadState state = state_of(view);
  return fmt::format("{}: {}{}{}", state_name(state.kind), state.title,
                     state.detail.empty() ? "" : " [" + state.detail + "]",
                     state.site ? " @ " + state.site->text() : "");
}

TEST(ThreadState, CollectivesAreNamedByPython) {
  EXPECT_EQ(state_text("thread main syscall=futex\n pthread_cond_wait libc.so.6\n c10d::Work::wait libtorch_cpu.so\n"
                       " py barrier torch/distributed/distributed_c10d.py:5\n py f train.py:3"),
            "collective: barrier @ f train.py:3");
  EXPECT_EQ(state_text("thread main syscall=futex\n pthread_cond_wait libc.so.6\n c10d::Work::wait libtorch_cpu.so\n"
                       " py all_gather torch/distributed/distributed_c10d.py:5\n"
                       " py all_gather_object torch/distributed/distributed_c10d.py:9\n py f train.py:3"),
            "collective: all_gather_object @ f train.py:3");
}

TEST(ThreadState, CollectivesWithoutPythonAreNamedByTheLibrary) {
  EXPECT_EQ(state_text("thread main\n futex_wait libc.so.6\n c10d::Reducer::finalize_backward() libtorch_cpu.so"),
            "collective: all_reduce @ c10d::Reducer::finalize_backward");
  EXPECT_EQ(state_text("thread main state=R\n sched_yield libc.so.6\n ?? libnccl.so.2\n pncclAllGather libnccl.so.2\n"
                       " gather_all(int) engine"),
            "collective: all_gather @ gather_all");
  EXPECT_EQ(state_text("thread main syscall=poll\n poll libc.so.6\n MPIR_Wait_impl libmpi.so\n PMPI_Barrier libmpi.so\n"
                       " exchange(int) solver"),
            "collective: barrier @ exchange");
}

TEST(ThreadState, PointToPoint) {
  EXPECT_EQ(state_text("thread main syscall=futex a3=1\n pthread_cond_clockwait libc.so.6\n"
                       " gloo::transport::tcp::UnboundBuffer::waitRecv libtorch_cpu.so\n"
                       " c10d::ProcessGroupGloo::RecvWork::wait libtorch_cpu.so\n"
                       " py recv torch/distributed/distributed_c10d.py:5\n py f train.py:3"),
            "p2p: recv @ f train.py:3");
}

TEST(ThreadState, SetupInTheStoreSaysSo) {
  EXPECT_EQ(state_text("thread main syscall=poll\n poll libc.so.6\n c10d::TCPStore::doWait libtorch_cpu.so\n"
                       " c10d::TCPStore::get libtorch_cpu.so\n c10d::PrefixStore::get libtorch_cpu.so\n"
                       " py init_process_group torch/distributed/distributed_c10d.py:5\n py main train.py:3"),
            "setup: init_process_group [in the c10d store] @ main train.py:3");
  EXPECT_EQ(state_text("thread main syscall=poll\n poll libc.so.6\n c10d::TCPStore::doWait libtorch_cpu.so\n"
                       " c10d::ProcessGroupNCCL::broadcastUniqueNCCLID libtorch_cuda.so\n"
                       " c10d::ProcessGroupNCCL::allreduce libtorch_cuda.so\n"
                       " py all_reduce torch/distributed/distributed_c10d.py:5\n py main train.py:3"),
            "collective: all_reduce [communicator setup, in the c10d store] @ main train.py:3");
  EXPECT_EQ(state_text("thread main syscall=poll\n poll libc.so.6\n c10d::TCPStore::wait libtorch_cpu.so\n"
                       " py main train.py:3"),
            "store: the c10d store @ main train.py:3");
}

TEST(ThreadState, DeviceWaits) {
  EXPECT_EQ(
      state_text("thread main state=R\n clock_gettime libc.so.6\n ?? libcuda.so.1\n ?? libcuda.so.1\n"
                 " cudaStreamSynchronize libcudart.so.12\n at::native::_local_scalar_dense_cuda libtorch_cuda.so\n"
                 " py step train.py:3"),
      "device: cudaStreamSynchronize @ step train.py:3");
  EXPECT_EQ(state_text("thread main state=R\n ?? libcuda.so.1\n cudaStreamSynchronize libcudart.so.12\n"
                       " c10d::WorkNCCL::wait libtorch_cuda.so\n py barrier torch/distributed/distributed_c10d.py:5\n"
                       " py step train.py:3"),
            "collective: barrier [cudaStreamSynchronize] @ step train.py:3");
}

TEST(ThreadState, SleepLockQueueAndJoin) {
  EXPECT_EQ(state_text("thread main syscall=clock_nanosleep\n clock_nanosleep libc.so.6\n time_sleep libpython3.12.so\n"
                       " py f train.py:3"),
            "sleep: time.sleep @ f train.py:3");
  EXPECT_EQ(state_text("thread main syscall=clock_nanosleep\n clock_nanosleep libc.so.6\n ?? /usr/bin/python3.11\n"
                       " py f train.py:3"),
            "sleep: time.sleep @ f train.py:3");
  EXPECT_EQ(state_text("thread main syscall=clock_nanosleep\n py f train.py:3"), "sleep: time.sleep @ f train.py:3");
  EXPECT_EQ(state_text("thread main syscall=futex\n futex_wait libc.so.6\n sem_wait libc.so.6\n"
                       " PyThread_acquire_lock_timed libpython3.12.so\n py f train.py:3"),
            "lock: a Python lock @ f train.py:3");
  EXPECT_EQ(state_text("thread main syscall=futex\n sem_clockwait libc.so.6\n py wait lib/threading.py:5\n"
                       " py get lib/queue.py:180\n py f train.py:3"),
            "queue: queue.get @ f train.py:3");
  EXPECT_EQ(state_text("thread main syscall=futex\n sem_wait libc.so.6\n"
                       " py _wait_for_tstate_lock lib/threading.py:5\n py Thread.join lib/threading.py:9\n"
                       " py f train.py:3"),
            "join: Thread.join @ f train.py:3");
}

TEST(ThreadState, TheOutermostLibraryFrameNamesTheWait) {
  EXPECT_EQ(state_text("thread main syscall=futex\n sem_clockwait libc.so.6\n py wait lib/threading.py:5\n"
                       " py get lib/queue.py:180\n py _try_get_data torch/utils/data/dataloader.py:1310\n"
                       " py __next__ torch/utils/data/dataloader.py:700\n py f train.py:3"),
            "dataloader: next batch @ f train.py:3");
  EXPECT_EQ(state_text("thread main syscall=poll\n poll libc.so.6\n py select lib/selectors.py:5\n"
                       " py _communicate lib/subprocess.py:9\n py run lib/subprocess.py:5\n py f train.py:3"),
            "subprocess: subprocess @ f train.py:3");
}

TEST(ThreadState, LibraryFramesAroundTheUsersCodeSayNothing) {
  EXPECT_EQ(state_text("thread main syscall=clock_nanosleep\n clock_nanosleep libc.so.6\n py f train.py:3\n"
                       " py _find_and_load <frozen_importlib._bootstrap>:3\n"
                       " py wait lib/threading.py:5"),
            "sleep: time.sleep @ f train.py:3");
  EXPECT_EQ(state_text("thread main state=R\n py my_hook train.py:3\n"
                       " py all_reduce torch/distributed/distributed_c10d.py:5\n py f train.py:9"),
            "running: my_hook @ my_hook train.py:3");
}

TEST(ThreadState, IoNamesItsDescriptor) {
  EXPECT_EQ(state_text("thread main syscall=read a0=5\n read libc.so.6\n _Py_read libpython3.12.so\n py f train.py:3"),
            "io: read (fd 5) @ f train.py:3");
  EXPECT_EQ(state_text("thread main syscall=recvfrom a0=9\n recv libc.so.6\n py read lib/ssl.py:4\n py f train.py:3"),
            "io: TLS socket @ f train.py:3");
}

TEST(ThreadState, GilWaitIsAboveTheOperationItCameBackFrom) {
  EXPECT_EQ(state_text("thread main syscall=futex a3=1\n pthread_cond_timedwait libc.so.6\n take_gil libpython3.12.so\n"
                       " PyEval_RestoreThread libpython3.12.so\n c10d::Work::wait libtorch_cpu.so\n"
                       " py all_reduce torch/distributed/distributed_c10d.py:5\n py f train.py:9"),
            "gil: the GIL @ f train.py:9");
}

TEST(ThreadState, KernelLettersStandAboveTheStack) {
  EXPECT_EQ(state_text("thread main state=T\n py f train.py:3"), "stopped: f @ f train.py:3");
  EXPECT_EQ(state_text("thread main state=t\n py f train.py:3"), "traced: f @ f train.py:3");
  EXPECT_EQ(state_text("thread main state=D wchan=nfs_wait_bit syscall=read a0=3\n read libc.so.6\n py f train.py:3"),
            "uninterruptible: read (fd 3) [nfs_wait_bit] @ f train.py:3");
  EXPECT_EQ(state_text("thread main state=D syscall=vfork\n vfork libc.so.6\n py f train.py:3"),
            "subprocess: vfork @ f train.py:3");
  EXPECT_EQ(state_text("thread main state=Z\n"), "dead: ");
}

TEST(ThreadState, NativeThreadsNameTheCallAndTheirOwnFunction) {
  EXPECT_EQ(state_text("thread main syscall=futex\n futex_wait libc.so.6\n pthread_mutex_lock libc.so.6\n"
                       " Cache::put(int) server\n main server"),
            "lock: pthread_mutex_lock @ Cache::put");
  EXPECT_EQ(state_text("thread main syscall=futex\n pthread_mutex_lock libc.so.6\n __gthread_mutex_lock server\n"
                       " std::mutex::lock() server\n std::unique_lock<std::mutex>::lock() server\n"
                       " Cache::put(int) server\n main server"),
            "lock: pthread_mutex_lock @ Cache::put");
  EXPECT_EQ(state_text("thread main state=R\n spin(int) server\n main server"), "running: spin @ spin");
}

TEST(ThreadState, AWaitThatAStopInterruptedKeepsItsName) {
  EXPECT_EQ(
      state_text("thread main syscall=restart_syscall\n clock_nanosleep libc.so.6\n nap(int) server\n main server"),
      "sleep: clock_nanosleep @ nap");
  EXPECT_EQ(state_text("thread main syscall=restart_syscall\n poll libc.so.6\n serve(int) server\n main server"),
            "io: poll @ serve");
}

TEST(ThreadState, ALockIsNotNamedTwice) {
  EXPECT_EQ(state_phrase(StateKind::lock, "a Python lock"), "waits for a Python lock");
  EXPECT_EQ(state_phrase(StateKind::lock, "pthread_mutex_lock"), "waits for a lock in pthread_mutex_lock");
  EXPECT_EQ(state_phrase(StateKind::io, "read (fd 5)"), "waits for I/O in read (fd 5)");
  EXPECT_EQ(state_phrase(StateKind::sleep, ""), "sleeps");
}

TEST(ThreadState, AStackWithoutAnyNameIsNoPlace) {
  EXPECT_EQ(state_text("thread main state=R\n ?? libnccl.so.2\n"), "unknown: ");
  EXPECT_EQ(state_text("thread main state=S\n ?? libnccl.so.2\n ?? libtorch_cuda.so\n"), "unknown: ");
  EXPECT_EQ(state_text("thread main state=R\n ?? server\n ?? server\n"), "running: ") << "a stripped program";
}

TEST(ThreadState, NothingKnownIsUnknown) {
  EXPECT_EQ(state_text("thread main state=S\n"), "unknown: ");
  EXPECT_EQ(state_text("thread main state=S syscall=quotactl\n"), "system_call: quotactl");
}

}  // namespace
}  // namespace hangstack::classifiers
