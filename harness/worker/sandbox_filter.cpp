// The filter of system calls: the allowed calls in the sandbox, and the answers of all others.
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <iterator>
#include <vector>

#include "worker/sandbox.hpp"

namespace warpmark::sandbox {

namespace {

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t kArchitecture = 0;
#endif

// The calls that a worker makes in a sandbox: memory, threads, time, and the descriptors that it
// has. NVRTC asks for the working directory, and reads past its buffer if it gets none (seen with
// 13.0 under AddressSanitizer); run_worker has set it to one that reveals nothing.
// clang-format off
constexpr uint32_t kAllowed[] = {
    SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_close, SYS_fstat, SYS_lseek,
    SYS_mprotect, SYS_munmap, SYS_mremap, SYS_madvise, SYS_mlock, SYS_munlock, SYS_mincore,
    SYS_brk, SYS_membarrier, SYS_fallocate, SYS_dup, SYS_recvfrom,
    SYS_sendto, SYS_shutdown, SYS_ppoll, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn,
    SYS_sigaltstack, SYS_nanosleep, SYS_clock_nanosleep, SYS_clock_gettime, SYS_clock_getres,
    SYS_gettimeofday, SYS_times, SYS_getrusage, SYS_sysinfo, SYS_uname, SYS_getrandom, SYS_getpid,
    SYS_gettid, SYS_getppid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_sched_yield,
    SYS_sched_getaffinity, SYS_sched_getparam, SYS_sched_getscheduler, SYS_futex,
    SYS_set_robust_list, SYS_set_tid_address, SYS_exit, SYS_exit_group, SYS_getcwd,
#ifdef SYS_poll
    SYS_poll, SYS_time, SYS_arch_prctl, SYS_getrlimit, SYS_dup2,
#endif
#ifdef SYS_rseq
    SYS_rseq,
#endif
};
// clang-format on

// Calls by which memory and descriptors come that no limit of a process counts.
// clang-format off
constexpr uint32_t kShared[] = {
    SYS_recvmsg, SYS_sendmsg, SYS_epoll_pwait, SYS_epoll_ctl, SYS_epoll_create1, SYS_eventfd2,
    SYS_pipe2,
#ifdef SYS_poll
    SYS_epoll_wait, SYS_pipe,
#endif
};
// clang-format on

// Calls that name files: answered as if no file existed.
// clang-format off
constexpr uint32_t kPaths[] = {
    SYS_openat, SYS_newfstatat, SYS_statx, SYS_faccessat, SYS_readlinkat, SYS_execve,
    SYS_execveat, SYS_chdir, SYS_chroot, SYS_mkdirat, SYS_unlinkat, SYS_renameat2, SYS_linkat,
    SYS_symlinkat, SYS_fchmodat, SYS_fchownat, SYS_truncate, SYS_statfs, SYS_utimensat,
    SYS_mknodat,
#ifdef SYS_openat2
    SYS_openat2,
#endif
#ifdef SYS_faccessat2
    SYS_faccessat2,
#endif
#ifdef SYS_open
    SYS_open, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_creat, SYS_mkdir, SYS_rmdir,
    SYS_unlink, SYS_rename, SYS_link, SYS_symlink, SYS_chmod, SYS_chown, SYS_mknod,
#endif
};
// clang-format on

// Assembles a program of classic BPF (linux/filter.h), one decision after the other.
class Filter {
 public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    add(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0);
    answer(SECCOMP_RET_KILL_PROCESS);
    load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
    // Calls of the x32 ABI have other numbers for the same things.
    add(BPF_JMP | BPF_JGE | BPF_K, kX32, 0, 1);
    answer(error(ENOSYS));
#endif
  }

  void decide(uint32_t call, uint32_t what) {
    add(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
    answer(what);
  }

  // `when_equal` if the low half of the argument, masked, is `value`; EPERM if not.
  void decide(uint32_t call, size_t argument, uint32_t mask, uint32_t value) {
    add(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 5);
    load(argument_of(argument));
    add(BPF_ALU | BPF_AND | BPF_K, mask, 0, 0);
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0);
    answer(error(EPERM));
    answer(SECCOMP_RET_ALLOW);
  }

  // Allows commands for a descriptor itself, and none that makes the kernel send signals (F_SETOWN,
  // F_SETSIG, O_ASYNC, leases, notices of changes in a folder).
  void decide_fcntl() {
    constexpr uint32_t kCommands[] = {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD,    F_SETFD,
                                      F_GETFL, F_ADD_SEALS,     F_GET_SEALS};
    constexpr auto kCount = static_cast<uint8_t>(std::size(kCommands));
    add(BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 0, static_cast<uint8_t>(2 * kCount + 7));
    load(argument_of(1));
    for (const uint32_t command : kCommands) {
      add(BPF_JMP | BPF_JEQ | BPF_K, command, 0, 1);
      answer(SECCOMP_RET_ALLOW);
    }
    add(BPF_JMP | BPF_JEQ | BPF_K, F_SETFL, 0, 4);
    load(argument_of(2));
    add(BPF_ALU | BPF_AND | BPF_K, O_ASYNC, 0, 0);
    add(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1);
    answer(SECCOMP_RET_ALLOW);
    answer(error(EPERM));
  }

  // Lets the process read its own limits, and set the soft limit of data if `sets_data`.
  void decide_limits(bool sets_data) {
    add(BPF_JMP | BPF_JEQ | BPF_K, SYS_prlimit64, 0, 11);
    load(argument_of(0));
    add(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
    answer(error(EPERM));
    load(argument_of(1));
    add(BPF_JMP | BPF_JEQ | BPF_K, sets_data ? uint32_t{RLIMIT_DATA} : ~uint32_t{0}, 4, 0);
    load(argument_of(2));  // the new limit's address: its halves
    add(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3);
    load(argument_of(2) + 4);
    add(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1);
    answer(SECCOMP_RET_ALLOW);
    answer(error(EPERM));
  }

  void answer(uint32_t what) {
    add(BPF_RET | BPF_K, what, 0, 0);
  }

  static uint32_t error(int number) {
    return SECCOMP_RET_ERRNO | (static_cast<uint32_t>(number) & SECCOMP_RET_DATA);
  }

  std::vector<sock_filter>& code() {
    return code_;
  }

 private:
  static constexpr uint32_t kX32 = 0x40000000;

  // The offset of an argument's low half.
  static constexpr uint32_t argument_of(size_t number) {
    return static_cast<uint32_t>(offsetof(seccomp_data, args) + 8 * number);
  }

  void load(uint32_t offset) {
    add(BPF_LD | BPF_W | BPF_ABS, offset, 0, 0);
  }
  void add(int code, uint32_t value, uint8_t if_true, uint8_t if_false) {
    code_.push_back({static_cast<uint16_t>(code), if_true, if_false, value});
  }

  std::vector<sock_filter> code_;
};

Filter make_filter(Calls allowed) {
  Filter filter;
  for (const uint32_t call : kAllowed) filter.decide(call, SECCOMP_RET_ALLOW);
  for (const uint32_t call : kPaths) filter.decide(call, Filter::error(ENOENT));
  if (allowed == Calls::program) {
    filter.decide(SYS_mmap, 3, MAP_SHARED, 0);
    filter.decide(SYS_clone, Filter::error(EAGAIN));
  } else {
    filter.decide(SYS_mmap, SECCOMP_RET_ALLOW);
    for (const uint32_t call : kShared) filter.decide(call, SECCOMP_RET_ALLOW);
    // Threads, never processes.
    filter.decide(SYS_clone, 0, CLONE_THREAD | CLONE_VM, CLONE_THREAD | CLONE_VM);
  }
  if (allowed == Calls::device) filter.decide(SYS_ioctl, SECCOMP_RET_ALLOW);
  if (allowed != Calls::compute && allowed != Calls::program) {
    filter.decide(SYS_memfd_create, SECCOMP_RET_ALLOW);
    filter.decide(SYS_ftruncate, SECCOMP_RET_ALLOW);
  }
  // With clone3 the flags are in memory, which a filter cannot read; glibc takes clone if there is no
  // clone3.
#ifdef SYS_clone3
  filter.decide(SYS_clone3, Filter::error(ENOSYS));
#endif
  // Signals to itself, as abort() sends; names of threads and mappings; limits as they are.
  filter.decide(SYS_tgkill, 0, 0xffffffff, static_cast<uint32_t>(::getpid()));
  filter.decide_fcntl();
  filter.decide_limits(allowed == Calls::in_memory);
  filter.decide(SYS_prctl, 0, 0xffffffff, PR_SET_NAME);
  filter.answer(Filter::error(EPERM));
  return filter;
}

}  // namespace

bool filter_calls(Calls allowed) {
  if (kArchitecture == 0) return false;
  Filter filter = make_filter(allowed);
  const sock_fprog program = {static_cast<unsigned short>(filter.code().size()),
                              filter.code().data()};
  // Without privileges only with PR_SET_NO_NEW_PRIVS, which limit_resources sets.
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0) {
    return false;
  }
  return leaks().empty();
}

}  // namespace warpmark::sandbox
