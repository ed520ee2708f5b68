#include "worker/sandbox.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/error.hpp"
#include "base/file.hpp"

namespace warpmark::sandbox {

namespace {

// Beyond the limit the process may exceed it by no more than `beyond`.
void set_limit(__rlimit_resource which, rlim_t value, const char* name, rlim_t beyond = 0) {
  rlimit limit = {};
  ::getrlimit(which, &limit);
  // A hard limit that is lower already stays.
  const rlim_t most = value + beyond;
  limit.rlim_max = limit.rlim_max == RLIM_INFINITY ? most : std::min(limit.rlim_max, most);
  limit.rlim_cur = std::min(limit.rlim_max, value);
  if (::setrlimit(which, &limit) == 0) return;
  throw environment_error(std::string("cannot limit ") + name + ": " + std::strerror(errno));
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kShadowsMemory = true;  // terabytes of address space
#else
constexpr bool kShadowsMemory = false;
#endif

// landlock(7); linux/landlock.h of Debian 12 does not know the later members.
struct LandlockRules {
  uint64_t files, network, scopes;
};
constexpr uint64_t kLandlockVersion = 1;  // LANDLOCK_CREATE_RULESET_VERSION

// All rights that an ABI knows: a right is forbidden if it is handled and no rule allows it.
LandlockRules all_rules(int abi) {
  const int files = abi >= 5 ? 16 : abi >= 3 ? 15 : abi >= 2 ? 14 : 13;
  return {(uint64_t{1} << files) - 1, abi >= 4 ? uint64_t{3} : 0, abi >= 6 ? uint64_t{3} : 0};
}

size_t rules_bytes(int abi) {
  if (abi >= 6) return sizeof(LandlockRules);
  return abi >= 4 ? 2 * sizeof(uint64_t) : sizeof(uint64_t);
}

bool can_open(const char* path, int flags) {
  const UniqueFd fd(::open(path, flags | O_CLOEXEC, 0600));
  return static_cast<bool>(fd);
}

bool can_fork() {
  const long child = ::syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  if (child == 0) ::_exit(0);
  if (child < 0) return false;
  while (::waitpid(static_cast<pid_t>(child), nullptr, 0) < 0 && errno == EINTR) {
  }
  return true;
}

// A number of statm, in bytes (proc(5)): the first is the address space, the sixth data and stack.
uint64_t memory_of_process(int number) {
  std::string text;
  try {
    text = read_file("/proc/self/statm");
  } catch (const Error&) {
    return 0;
  }
  size_t at = 0;
  for (int skipped = 1; skipped < number && at != std::string::npos; ++skipped) {
    at = text.find(' ', at);
    if (at != std::string::npos) ++at;
  }
  if (at == std::string::npos) return 0;
  return std::strtoull(text.c_str() + at, nullptr, 10) *
         static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

void limit_resources(const Limits& limits) {
  if (limits.address_space > 0 && !kShadowsMemory) {
    set_limit(RLIMIT_AS, limits.address_space, "the address space");
  }
  if (limits.cpu_s > 0) {
    // At the hard limit the system kills the process as for lack of memory; before that it gives
    // the reason.
    set_limit(RLIMIT_CPU, static_cast<rlim_t>(std::ceil(limits.cpu_s)), "the processor's time", 1);
  }
  set_limit(RLIMIT_CORE, 0, "core files");
  set_limit(RLIMIT_FSIZE, 0, "files");
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) {
    throw environment_error(std::string("cannot give up privileges: ") + std::strerror(errno));
  }
}

uint64_t private_bytes() {
  return memory_of_process(6);
}

uint64_t address_space() {
  return memory_of_process(1);
}

void limit_data(uint64_t bytes) {
  rlimit limit = {};
  if (kShadowsMemory || ::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  // The hard limit stays, so that the next case can have more.
  limit.rlim_cur = std::min<rlim_t>(bytes, limit.rlim_max);
  ::setrlimit(RLIMIT_DATA, &limit);
}

void limit_data_for_good(uint64_t bytes) {
  rlimit limit = {};
  if (kShadowsMemory || ::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_max = std::min<rlim_t>(bytes, limit.rlim_max);
  limit.rlim_cur = std::min(limit.rlim_cur, limit.rlim_max);
  ::setrlimit(RLIMIT_DATA, &limit);
}

void limit_descriptors() {
  constexpr rlim_t kMost = 32;
  set_limit(RLIMIT_NOFILE, kMost, "descriptors");
}

std::optional<int> landlock() {
#ifdef SYS_landlock_create_ruleset
  const long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, kLandlockVersion);
  if (abi < 1) return std::nullopt;
  const LandlockRules rules = all_rules(static_cast<int>(abi));
  const UniqueFd ruleset(static_cast<int>(
      ::syscall(SYS_landlock_create_ruleset, &rules, rules_bytes(static_cast<int>(abi)), 0)));
  if (!ruleset) return std::nullopt;
  if (::syscall(SYS_landlock_restrict_self, ruleset.get(), 0) != 0) return std::nullopt;
  if (can_open("/etc/passwd", O_RDONLY) || can_open("/proc/self/maps", O_RDONLY) ||
      can_open("/", O_RDONLY | O_DIRECTORY)) {
    return std::nullopt;
  }
  return static_cast<int>(abi);
#else
  return std::nullopt;
#endif
}

std::vector<std::string> walls_that_hold(std::optional<int> landlock_abi, bool is_filtered) {
  constexpr int kHoldsSignals = 6;
  std::vector<std::string> hold;
  if (landlock_abi && (is_filtered || *landlock_abi >= kHoldsSignals))
    hold.push_back("landlock abi " + std::to_string(*landlock_abi));
  if (is_filtered) hold.emplace_back("seccomp");
  return hold;
}

std::vector<std::string> enter(const Limits& limits, Calls allowed) {
  limit_resources(limits);
  const std::optional<int> abi = landlock();
  return walls_that_hold(abi, filter_calls(allowed));
}

std::vector<std::string> leaks() {
  std::vector<std::string> found;
  const auto note = [&found](bool possible, const char* what) {
    if (possible) found.emplace_back(what);
  };
  note(can_open("/etc/passwd", O_RDONLY) || can_open("/proc/self/maps", O_RDONLY), "open a file");
  note(can_open("/", O_RDONLY | O_DIRECTORY), "list a folder");
  note(can_open("/tmp", O_TMPFILE | O_WRONLY), "make a file");
  struct stat status = {};
  note(::stat("/etc/passwd", &status) == 0, "ask whether a file is there");
  note(static_cast<bool>(UniqueFd(::socket(AF_INET, SOCK_STREAM, 0))), "connect to a network");
  note(static_cast<bool>(UniqueFd(::socket(AF_UNIX, SOCK_STREAM, 0))), "connect to a process");
  note(can_fork(), "start a process");
  // The call reaches the kernel's own check of the pointer only if it is let through.
  note(::syscall(SYS_execve, nullptr, nullptr, nullptr) != 0 && errno == EFAULT,
       "run another program");
  note(::kill(::getppid(), 0) == 0, "signal its parent");
  // The kernel sends a signal on behalf of the process that asks for it, without a system call for
  // the signal.
  int ends[2] = {};
  if (::pipe(ends) == 0) {
    const UniqueFd reads(ends[0]), writes(ends[1]);
    note(::fcntl(ends[0], F_SETOWN, ::getppid()) == 0, "let the kernel signal its parent");
  }
  // The request does not exist: nothing is traced even where tracing is allowed.
  note(::syscall(SYS_ptrace, -1, ::getppid(), nullptr, nullptr) != 0 && errno != EPERM,
       "trace a process");
  return found;
}

}  // namespace warpmark::sandbox
