// Threads that block at the bottom of call chains of many shapes, for the unwinder: one shape per argument.
// Built three times: for the stack pointer, with frame pointers, and stripped.
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noclone))
#endif

namespace {

int release_pipe[2];
std::atomic<int> arrived{0};
volatile int sink;

/// Blocks until the program ends.
NOINLINE void block() {
  arrived.fetch_add(1);
  char byte = 0;
  while (read(release_pipe[0], &byte, 1) < 0) {
  }
  sink = static_cast<unsigned char>(byte);
}

NOINLINE void leaf(int x) {
  block();
  sink = x;
}

// Many frames that save different registers and have locals of different sizes.
template <int N>
NOINLINE int chain(int a, int b, const char* text) {
  volatile char local[16 * (N % 7) + 8];
  local[0] = static_cast<char>(a);
  int c = a * 31 + b;
  std::string copy(text);
  if constexpr (N == 0) {
    leaf(c);
  } else {
    c += chain<N - 1>(b + 1, c, copy.c_str());
  }
  sink = local[0] + static_cast<int>(copy.size());
  return c + sink;
}

struct Shape {
  virtual ~Shape() = default;
  virtual int visit(int depth) = 0;
};
struct Round : Shape {
  NOINLINE int visit(int depth) override {
    leaf(depth);
    return depth + sink;
  }
};
struct Square : Shape {
  std::unique_ptr<Shape> next = std::make_unique<Round>();
  NOINLINE int visit(int depth) override {
    const int r = next->visit(depth + 1);
    return r + sink;
  }
};

// Leaves old frames of the same functions behind in the part of the stack that the blocked call uses as a buffer.
NOINLINE int touch(int depth) {
  volatile char buffer[256];
  buffer[7] = static_cast<char>(depth);
  const int r = depth == 0 ? getppid() : touch(depth - 1);
  sink = static_cast<unsigned char>(buffer[7]);
  return r + sink;
}
NOINLINE int with_stale_buffer(int depth) {
  char buffer[6000];
  asm volatile("" : : "r"(buffer) : "memory");
  if (depth == 0) {
    leaf(depth);
  } else {
    with_stale_buffer(depth - 1);
  }
  asm volatile("" : : "r"(buffer) : "memory");
  return sink;
}
NOINLINE int stale() {
  int r = touch(40);
  r += with_stale_buffer(2);
  return r + sink;
}

NOINLINE int with_alloca(int bytes) {
  auto* room = static_cast<char*>(alloca(static_cast<std::size_t>(bytes)));
  memset(room, 1, static_cast<std::size_t>(bytes));
  leaf(bytes);
  sink = static_cast<unsigned char>(room[3]);
  return sink;
}

NOINLINE int many_arguments(int a, int b, int c, int d, int e, int f, int g, int h, int i) {
  leaf(a + b + c + d + e + f + g + h + i);
  return sink + i;
}

NOINLINE int last_call(int x) {
  leaf(x);
  return sink;
}
NOINLINE int tail(int x) { return last_call(x + 1); }

int compare(const void* a, const void* b) {
  leaf(1);
  return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}
NOINLINE int by_qsort() {
  int values[2] = {2, 1};
  qsort(values, 2, sizeof values[0], compare);
  return values[0];
}

NOINLINE int by_function(const std::function<int(int)>& f) { return f(3) + sink; }

[[noreturn]] NOINLINE void never_returns() {
  block();
  _exit(0);
}
// The call is the last instruction: the return address lies behind the function.
NOINLINE void noreturn_caller(int x) {
  sink = x;
  never_returns();
}

NOINLINE int recurse(int depth) {
  if (depth == 0) {
    leaf(0);
    return 0;
  }
  const int r = recurse(depth - 1);
  sink = r;
  return r + 1;
}

void handler(int number) {
  leaf(9);
  sink = number;
}

NOINLINE void interrupted() {
  raise(SIGUSR1);
  sink = 1;
}
void on_alternate_stack() {
  static char stack[64 * 1024];
  stack_t alternate{};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof stack;
  sigaltstack(&alternate, nullptr);
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR1, &action, nullptr);
  interrupted();
}
void in_handler() {
  struct sigaction action{};
  action.sa_handler = handler;
  sigaction(SIGUSR1, &action, nullptr);
  interrupted();
}

NOINLINE void vfork_parent() {
  const pid_t child = vfork();
  if (child == 0) {
    char byte = 0;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (read(release_pipe[0], &byte, 1) < 0) {
    }
    _exit(0);
  }
  sink = child;
}

NOINLINE void read_clock() {
  timespec now{};
  for (;;) {
    for (int i = 0; i < 1000; ++i) clock_gettime(CLOCK_MONOTONIC, &now);
    sink = static_cast<int>(now.tv_nsec);
  }
}

}  // namespace

extern "C" void bare_function();
extern "C" void bare_function_with_frame();
extern "C" void shape_block() { block(); }

// Written by hand without call frame information, as in OpenBLAS.
asm(R"(
  .text
  .globl bare_function
  .type bare_function, @function
bare_function:
  subq $24, %rsp
  call shape_block
  addq $24, %rsp
  ret
  .size bare_function, .-bare_function
  .globl bare_function_with_frame
  .type bare_function_with_frame, @function
bare_function_with_frame:
  pushq %rbp
  movq %rsp, %rbp
  subq $32, %rsp
  call shape_block
  leave
  ret
  .size bare_function_with_frame, .-bare_function_with_frame
)");

namespace {

NOINLINE int calls_bare() {
  bare_function();
  return sink;
}
NOINLINE int calls_bare_with_frame() {
  bare_function_with_frame();
  return sink;
}

const std::map<std::string, void (*)()>& shapes() {
  static const std::map<std::string, void (*)()> kShapes{
      {"chain", [] { sink = chain<24>(1, 2, "some text that is too long for the small buffer"); }},
      {"virtual", [] { sink = Square().visit(1); }},
      {"stale", [] { sink = stale(); }},
      {"alloca", [] { sink = with_alloca(1000 + sink); }},
      {"arguments", [] { sink = many_arguments(1, 2, 3, 4, 5, 6, 7, 8, 9); }},
      {"tail", [] { sink = tail(1); }},
      {"qsort", [] { sink = by_qsort(); }},
      {"function",
       [] {
         sink = by_function([](int x) {
           leaf(x);
           return x;
         });
       }},
      {"noreturn", [] { noreturn_caller(1); }},
      {"recursion", [] { sink = recurse(10'000); }},
      {"deep", [] { sink = recurse(100'000); }},
      {"altstack", [] { on_alternate_stack(); }},
      {"signal", [] { in_handler(); }},
      {"vfork", [] { vfork_parent(); }},
      {"vdso", [] { read_clock(); }},
      {"bare", [] { sink = calls_bare(); }},
      {"bare_frame", [] { sink = calls_bare_with_frame(); }},
  };
  return kShapes;
}

void* run_shape(void* name) {
  const auto& text = *static_cast<std::string*>(name);
  prctl(PR_SET_NAME, text.c_str());
  shapes().at(text)();
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (pipe(release_pipe) != 0) return 1;
  static std::vector<std::string> names(argv + 1, argv + argc);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, std::size_t{64} << 20);
  int blocking = 0;
  for (std::string& name : names) {
    if (name != "vfork" && name != "vdso") ++blocking;
    pthread_t thread;
    if (pthread_create(&thread, &attributes, run_shape, &name) != 0) return 1;
  }
  while (arrived.load() < blocking) usleep(1000);
  std::puts("ready");
  std::fflush(stdout);
  char byte = 0;
  while (read(STDIN_FILENO, &byte, 1) > 0) {
  }
  _exit(0);
}
