// What the reader is told when a pid cannot be sampled: one sentence that names it, a fix, and the right exit status.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/program.h"

namespace hangstack::tests {
namespace {

using testing::HasSubstr;

ProgramResult hangstack(std::vector<std::string> words) {
  words.insert(words.begin(), HANGSTACK_BINARY);
  words.insert(words.end(), {"--samples", "1"});
  return run_program(words);
}

std::string threads_target() { return std::string(HANGSTACK_TARGETS) + "/target_threads"; }

/// A pid that was in use a moment ago and is not any more.
std::string ended_pid() {
  Target target({"/bin/true"});
  target.finish();
  return std::to_string(target.pid());
}

TEST(BadInput, APidThatDoesNotExistIsNamed) {
  const std::string pid = ended_pid();
  const auto result = hangstack({"--pids", pid});
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.out, HasSubstr(pid));
  EXPECT_THAT(result.out, HasSubstr("there is no process " + pid));
}

TEST(BadInput, AMissingPidBesideAGoodOneLeavesTheGoodOnesReport) {
  Target target({threads_target(), "1"});
  ASSERT_THAT(target.read_line(), HasSubstr("ready"));
  const std::string missing = ended_pid();
  const auto result = hangstack({"--pids", std::to_string(target.pid()), missing, "--full"});
  EXPECT_EQ(result.status, 4);
  EXPECT_THAT(result.out, HasSubstr("wait_for_the_end"));
  EXPECT_THAT(result.out, HasSubstr(missing));
}

TEST(BadInput, WordsAndEmptinessAreUsageErrors) {
  EXPECT_EQ(hangstack({"--pids", "train.py"}).status, 2);
  const auto empty = hangstack({"--pids"});
  EXPECT_EQ(empty.status, 2);
  EXPECT_THAT(empty.err, HasSubstr("pgrep"));
}

TEST(BadInput, AZombieIsNamedAsSuch) {
  const pid_t zombie = ::fork();
  if (zombie == 0) ::_exit(0);
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(zombie), &info, WEXITED | WNOWAIT), 0);
  const auto result = hangstack({"--pids", std::to_string(zombie)});
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.out, HasSubstr("has ended and waits for its parent"));
  ::waitpid(zombie, nullptr, 0);
}

TEST(BadInput, AKernelThreadIsNamedAsSuch) {
  std::string comm;
  std::getline(std::ifstream("/proc/2/comm"), comm);
  if (comm != "kthreadd") GTEST_SKIP() << "pid 2 is no kernel thread in this pid namespace";
  const auto result = hangstack({"--pids", "2"});
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.out, HasSubstr("kernel thread"));
}

TEST(BadInput, HangstackDoesNotSampleItself) {
  const auto result =
      run_program({"/bin/sh", "-c", std::string("exec ") + HANGSTACK_BINARY + " --samples 1 --pids $$"});
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.out, HasSubstr("hangstack itself"));
}

/// "ssh node 'hangstack --pids $(pgrep -f train.py)'" names the shell too, which becomes hangstack.
TEST(BadInput, ItsOwnPidAmongOthersIsLeftOut) {
  Target target({threads_target(), "1"});
  ASSERT_THAT(target.read_line(), HasSubstr("ready"));
  const auto result =
      run_program({"/bin/sh", "-c",
                   std::string("exec ") + HANGSTACK_BINARY + " --samples 1 --pids $$ " + std::to_string(target.pid())});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, testing::Not(HasSubstr("hangstack itself")));
}

TEST(BadInput, AnotherUsersProcessIsRefusedWithTheCommandThatWouldWork) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  Target target({threads_target(), "1"});
  ASSERT_THAT(target.read_line(), HasSubstr("ready"));
  const std::string pid = std::to_string(target.pid());
  const auto result = run_program({"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", HANGSTACK_BINARY,
                                   "--samples", "1", "--pids", pid});
  EXPECT_EQ(result.status, 3) << result.err;
  EXPECT_THAT(result.out, HasSubstr(pid));
  EXPECT_THAT(result.out, HasSubstr("sudo"));
}

TEST(BadInput, APatternThatMatchesNothingSaysSo) {
  const auto result = hangstack({"--pgrep", "no-process-has-this-in-its-command-line-[0-9]{12}"});
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.err, HasSubstr("no process"));
  EXPECT_EQ(hangstack({"--pgrep", "("}).status, 2);
}

TEST(BadInput, AnOutputThatCannotBeWrittenIsSaidBeforeTheWatch) {
  Target target({threads_target(), "1"});
  ASSERT_THAT(target.read_line(), HasSubstr("ready"));
  const std::vector<std::string> watch{"--pids", std::to_string(target.pid()), "--gap", "3600"};
  for (const char* option : {"-o", "--capture"}) {
    const std::string place = option == std::string("-o") ? "/no/such/folder/report.json" : "/proc/no-folder";
    std::vector<std::string> arguments = watch;
    arguments.insert(arguments.end(), {option, place});
    const auto result = hangstack(arguments);
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.err, HasSubstr(place));
  }
}

TEST(BadInput, AReportThatIsLostAtTheEndIsPartial) {
  Target target({threads_target(), "1"});
  ASSERT_THAT(target.read_line(), HasSubstr("ready"));
  const std::string full = testing::TempDir() + "/hangstack-full-" + std::to_string(::getpid()) + ".json";
  ASSERT_EQ(::symlink("/dev/full", full.c_str()), 0);
  const auto result = hangstack({"--pids", std::to_string(target.pid()), "-o", full});
  ::unlink(full.c_str());
  EXPECT_EQ(result.status, 4) << result.err;
}

}  // namespace
}  // namespace hangstack::tests
