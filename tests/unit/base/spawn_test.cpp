// Processes that are started: their words, descriptors and environment, and how they end.
#include "base/spawn.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"

namespace warpmark {
namespace {

using ::testing::HasSubstr;

int run_shell(const std::string& script, const SpawnOptions& options = {}) {
  return await_exit(spawn("a shell", "/bin/sh", {"sh", "-c", script}, options));
}

TEST(Spawn, ReportsHowAProcessEnded) {
  EXPECT_EQ(exit_text(run_shell("exit 7")), "exited with code 7");
  EXPECT_EQ(exit_text(run_shell("kill -KILL $$")), "ended by signal 9 (Killed)");
}

TEST(Spawn, SaysWhatCannotBeStarted) {
  try {
    spawn("a job", "/no/such/program", {"program"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_EQ(error.message(), "cannot start a job: No such file or directory");
    EXPECT_THAT(error.hint(), HasSubstr("ulimit"));
  }
}

// In a process of its own, whose user may have no process more until a moment later.
TEST(SpawnDeathTest, WaitsWhereThereAreTooManyProcesses) {
  EXPECT_EXIT(
      {
        constexpr uid_t kNobody = 65534;  // limits do not hold root
        rlimit limit{};
        getrlimit(RLIMIT_NPROC, &limit);
        const rlimit before = limit;
        std::thread later([before] {
          std::this_thread::sleep_for(std::chrono::milliseconds(150));
          setrlimit(RLIMIT_NPROC, &before);
        });
        limit.rlim_cur = 0;
        setrlimit(RLIMIT_NPROC, &limit);
        if (geteuid() == 0 && setuid(kNobody) != 0) std::_Exit(1);
        const int status = run_shell("exit 7");
        later.join();
        std::_Exit(WEXITSTATUS(status));
      },
      testing::ExitedWithCode(7), "");
}

TEST(Spawn, OpensFilesAndPassesDescriptorsOn) {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "out";
  SpawnOptions options;
  options.descriptors = {{STDOUT_FILENO, -1, file, O_CREAT | O_WRONLY, 0600}, {STDIN_FILENO}};
  EXPECT_EQ(run_shell("read line || echo nothing", options), 0);
  EXPECT_EQ(read_file(file), "nothing\n");

  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd reader(ends[0]);
  const UniqueFd writer(ends[1]);
  options.descriptors = {{9, writer.get()}};
  EXPECT_EQ(run_shell("echo x >&9", options), 0);
  char text[2] = {};
  EXPECT_EQ(::read(reader.get(), text, sizeof text), 2);
  // Also where it has that number already, and would be closed.
  options.descriptors = {{writer.get(), writer.get()}};
  EXPECT_EQ(run_shell("test -e /proc/self/fd/" + std::to_string(writer.get()), options), 0);
}

TEST(Spawn, GivesTheEnvironmentOrNone) {
  ::setenv("WARPMARK_SPAWN_TEST", "here", 1);
  SpawnOptions options;
  EXPECT_EQ(exit_text(run_shell("test \"$WARPMARK_SPAWN_TEST\" = here", options)),
            "exited with code 0");
  options.no_environment = true;
  EXPECT_EQ(exit_text(run_shell("test -z \"$WARPMARK_SPAWN_TEST\"", options)),
            "exited with code 0");
  ::unsetenv("WARPMARK_SPAWN_TEST");
}

TEST(Spawn, PutsAProcessIntoItsOwnGroup) {
  SpawnOptions options;
  const auto group = [&](pid_t process) { return ::getpgid(process) == process; };
  for (const bool own : {false, true}) {
    options.own_group = own;
    const pid_t process = spawn("a shell", "/bin/sh", {"sh", "-c", "exit 0"}, options);
    EXPECT_EQ(group(process), own);  // of one that nobody waited for yet, so it is there
    await_exit(process);
  }
}

TEST(OutputOf, IsWhatAProgramOfThePathWrites) {
  const auto output = output_of({"sh", "-c", "echo a; echo b >&2; exit 3"});
  ASSERT_TRUE(output.has_value());
  EXPECT_EQ(output->text, "a\n");
  EXPECT_EQ(output->code, 3);
  EXPECT_FALSE(output_of({"no-such-program-of-warpmark"}).has_value());
  EXPECT_FALSE(output_of({"sh", "-c", "kill -TERM $$"}).has_value());
}

TEST(OutputOf, EndsAProgramAtALimit) {
  OutputLimits limits;
  limits.time = std::chrono::milliseconds(50);
  EXPECT_FALSE(output_of({"sh", "-c", "exec sleep 1000"}, limits).has_value());
  limits = {};
  limits.bytes = 10000;
  EXPECT_FALSE(output_of({"sh", "-c", "while :; do echo more; done"}, limits).has_value());
}

}  // namespace
}  // namespace warpmark
