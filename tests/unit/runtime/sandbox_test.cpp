// The parts of the sandbox, each in a process that has nothing else: what holds, and what it lets pass.
#include "worker/sandbox.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <system_error>
#include <thread>

#include "base/error.hpp"
#include "base/text.hpp"
#include "worker/confined_start.hpp"

namespace warpmark {
namespace {

// Runs `body` in a process of its own; what it returns is the exit code, 99 for an exception.
int in_process(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    int code = 99;
    try {
      code = body();
    } catch (...) {
    }
    ::_exit(code);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

bool this_kernel_has_landlock() {
  return in_process(
             [] { return ::syscall(SYS_landlock_create_ruleset, nullptr, 0, 1) > 0 ? 0 : 1; }) == 0;
}

// Puts a filter in front of the kernel under which `call` answers `error`, as a container's may.
void forbid(uint32_t call, uint32_t error) {
  sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
                        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
                        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
                        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program = {4, code};
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

TEST(Sandbox, WithoutItEverythingLeaks) {
  const std::vector<std::string> found = sandbox::leaks();
  for (const char* what : {"open a file", "list a folder", "ask whether a file is there",
                           "start a process", "run another program", "signal its parent"}) {
    EXPECT_NE(std::find(found.begin(), found.end(), what), found.end()) << what;
  }
}

TEST(Sandbox, TheFilterStopsAllThatLeaks) {
  EXPECT_EQ(in_process([] { return sandbox::filter_calls(sandbox::Calls::compute) ? 0 : 1; }), 0);
  EXPECT_EQ(in_process([] { return sandbox::filter_calls(sandbox::Calls::device) ? 0 : 1; }), 0);
  EXPECT_EQ(in_process([] {
              sandbox::filter_calls(sandbox::Calls::compute);
              return static_cast<int>(sandbox::leaks().size());
            }),
            0);
}

TEST(Program, HasPrivateMemoryAndNothingElseThatIsNew) {
  const int missing = in_process([] {
    sandbox::limit_descriptors();
    if (sandbox::enter({}, sandbox::Calls::program).empty()) return 77;
    int ends[2] = {};
    const auto maps = [](int flags) {
      return ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0) !=
             MAP_FAILED;
    };
    if (!maps(MAP_PRIVATE)) return 1;
    if (maps(MAP_SHARED)) return 2;
    if (::pipe(ends) == 0) return 3;
    if (::syscall(SYS_memfd_create, "x", 0) >= 0) return 4;
    if (::syscall(SYS_sendmsg, 0, nullptr, 0) >= 0 || errno != EPERM) return 5;
    try {
      std::thread([] {}).join();
      return 6;
    } catch (const std::system_error&) {
    }
    return 0;
  });
  if (missing == 77) GTEST_SKIP() << "this system has no sandbox";
  EXPECT_EQ(missing, 0);
}

TEST(Sandbox, LandlockAloneIsOneFromAbi6On) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(sandbox::walls_that_hold(7, true), (Names{"landlock abi 7", "seccomp"}));
  EXPECT_EQ(sandbox::walls_that_hold(1, true), (Names{"landlock abi 1", "seccomp"}));
  EXPECT_EQ(sandbox::walls_that_hold(std::nullopt, true), Names{"seccomp"});
  EXPECT_EQ(sandbox::walls_that_hold(6, false), Names{"landlock abi 6"});
  EXPECT_EQ(sandbox::walls_that_hold(5, false), Names{});
  EXPECT_EQ(sandbox::walls_that_hold(std::nullopt, false), Names{});
}

TEST(Sandbox, TheKernelSignalsNobodyForIt) {
  EXPECT_EQ(in_process([] {
              int ends[2] = {};
              if (::pipe(ends) != 0) return 1;
              if (!sandbox::filter_calls(sandbox::Calls::in_memory)) return 2;
              f_owner_ex owner = {F_OWNER_PID, ::getppid()};
              const bool refused = ::fcntl(ends[0], F_SETOWN, ::getppid()) < 0 && errno == EPERM &&
                                   ::fcntl(ends[0], F_SETOWN_EX, &owner) < 0 && errno == EPERM &&
                                   ::fcntl(ends[0], F_SETSIG, SIGKILL) < 0 && errno == EPERM &&
                                   ::fcntl(ends[0], F_SETFL, O_ASYNC) < 0 && errno == EPERM &&
                                   ::fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK) < 0 &&
                                   errno == EPERM && ::fcntl(ends[0], F_NOTIFY, 1) < 0 &&
                                   errno == EPERM;
              const bool works = ::fcntl(ends[0], F_GETFL) >= 0 &&
                                 ::fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 &&
                                 ::fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 &&
                                 ::fcntl(ends[0], F_DUPFD_CLOEXEC, 10) >= 10;
              return refused ? works ? 0 : 4 : 3;
            }),
            0);
}

TEST(Sandbox, OnlyADeviceThatIsOpenGetsIoctl) {
  for (const auto calls : {sandbox::Calls::compute, sandbox::Calls::in_memory}) {
    EXPECT_EQ(in_process([&] {
                int ends[2] = {}, waiting = 0;
                if (::pipe(ends) != 0 || !sandbox::filter_calls(calls)) return 1;
                return ::ioctl(ends[0], FIONREAD, &waiting) < 0 && errno == EPERM ? 0 : 2;
              }),
              0);
  }
}

// The memory of a case may grow up to the hard limit, and no other limit is lifted at all.
TEST(Sandbox, LimitsAreNotLifted) {
  const auto can_set = [](__rlimit_resource which, rlim_t value) {
    rlimit limit = {};
    if (::getrlimit(which, &limit) != 0) return false;
    limit.rlim_cur = value;
    return ::setrlimit(which, &limit) == 0;
  };
  EXPECT_EQ(in_process([&] {
              sandbox::limit_data_for_good(uint64_t{1} << 40);
              rlimit data = {}, limit = {};
              ::getrlimit(RLIMIT_DATA, &data);
              const bool is_bounded = data.rlim_max <= uint64_t{1} << 40;  // not under sanitizers
              ::getrlimit(RLIMIT_CPU, &limit);
              limit.rlim_cur = 1000;
              ::setrlimit(RLIMIT_CPU, &limit);
              if (!sandbox::filter_calls(sandbox::Calls::in_memory)) return 1;
              if (can_set(RLIMIT_CPU, 2000) || can_set(RLIMIT_FSIZE, 1)) return 2;
              if (!can_set(RLIMIT_DATA, uint64_t{1} << 39)) return 3;
              return is_bounded && can_set(RLIMIT_DATA, uint64_t{1} << 41) ? 4 : 0;
            }),
            0);
  EXPECT_EQ(in_process([&] {
              if (!sandbox::filter_calls(sandbox::Calls::compute)) return 1;
              return can_set(RLIMIT_DATA, uint64_t{1} << 39) ? 2 : 0;
            }),
            0);
}

TEST(Sandbox, TheFilterAnswersAsIfNoFileWereThere) {
  EXPECT_EQ(in_process([] {
              sandbox::filter_calls(sandbox::Calls::compute);
              const bool gone = ::open("/etc/passwd", O_RDONLY) < 0 && errno == ENOENT;
              const bool refused = ::socket(AF_INET, SOCK_STREAM, 0) < 0 && errno == EPERM;
              return gone && refused ? 0 : 1;
            }),
            0);
}

TEST(Sandbox, TheFilterLetsAWorkerWork) {
  const int code = in_process([] {
    int ends[2] = {};
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 1;
    if (!sandbox::filter_calls(sandbox::Calls::compute)) return 2;
    if (::write(ends[0], "x", 1) != 1) return 3;
    char byte = 0;
    if (::read(ends[1], &byte, 1) != 1 || byte != 'x') return 4;
    int sum = 0;
    std::thread([&sum] { sum = 7; }).join();
    if (sum != 7) return 5;
    void* memory =
        ::mmap(nullptr, 1 << 24, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? 6 : 0;
  });
  EXPECT_EQ(code, 0);
}

TEST(Sandbox, TheFilterHoldsForThreadsThatWereThereBefore) {
  EXPECT_EQ(in_process([] {
              int ready[2] = {};
              int go[2] = {};
              if (::pipe(ready) != 0 || ::pipe(go) != 0) return 1;
              bool opened = true;
              std::thread other([&] {
                char byte = 0;
                if (::write(ready[1], "r", 1) == 1 && ::read(go[0], &byte, 1) == 1) {
                  opened = ::open("/etc/passwd", O_RDONLY) >= 0;
                }
              });
              char byte = 0;
              if (::read(ready[0], &byte, 1) != 1) return 2;
              const bool holds = sandbox::filter_calls(sandbox::Calls::compute);
              if (::write(go[1], "g", 1) != 1) return 3;
              other.join();
              return holds && !opened ? 0 : 4;
            }),
            0);
}

TEST(Sandbox, AbortStillEndsTheProcess) {
  EXPECT_EQ(in_process([] {
              rlimit none = {0, 0};
              ::setrlimit(RLIMIT_CORE, &none);
              sandbox::filter_calls(sandbox::Calls::compute);
              std::abort();
              return 0;
            }),
            1000 + SIGABRT);
}

TEST(Sandbox, LandlockForbidsEveryFile) {
  if (!this_kernel_has_landlock()) GTEST_SKIP() << "this kernel has no Landlock";
  EXPECT_EQ(in_process([] {
              sandbox::limit_resources({});
              const auto abi = sandbox::landlock();
              if (!abi || *abi < 1) return 1;
              if (::open("/etc/passwd", O_RDONLY) >= 0 || errno != EACCES) return 2;
              return ::open("/tmp", O_TMPFILE | O_WRONLY, 0600) >= 0 ? 3 : 0;
            }),
            0);
}

TEST(Sandbox, HoldsNothingWhereTheKernelHasNone) {
  EXPECT_EQ(in_process([] {
              forbid(SYS_landlock_create_ruleset, ENOSYS);
              return sandbox::landlock() ? 1 : 0;
            }),
            0);
  EXPECT_EQ(in_process([] {
              forbid(SYS_seccomp, EINVAL);
              return sandbox::filter_calls(sandbox::Calls::compute) ? 1 : 0;
            }),
            0);
}

TEST(Sandbox, LimitsAreSetForGood) {
  EXPECT_EQ(in_process([] {
              sandbox::limit_resources({uint64_t{1} << 40, 3});
              rlimit cpu = {};
              ::getrlimit(RLIMIT_CPU, &cpu);
              rlimit core = {};
              ::getrlimit(RLIMIT_CORE, &core);
              rlimit file = {};
              ::getrlimit(RLIMIT_FSIZE, &file);
              const bool dumps = ::prctl(PR_GET_DUMPABLE) != 0;
              const bool gains = ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0;
              return cpu.rlim_cur == 3 && cpu.rlim_max == 4 && core.rlim_max == 0 &&
                             file.rlim_max == 0 && !dumps && !gains
                         ? 0
                         : 1;
            }),
            0);
}

TEST(Sandbox, ProcessorTimeEndsTheProcess) {
  EXPECT_EQ(in_process([] {
              sandbox::limit_resources({0, 1});
              sandbox::filter_calls(sandbox::Calls::compute);
              std::atomic<uint64_t> spin = 0;
              while (spin != UINT64_MAX) ++spin;
              return 0;
            }),
            1000 + SIGXCPU);  // hard and soft limit are one
}

}  // namespace
}  // namespace warpmark
