/* A library for LD_PRELOAD with system calls that fail: WARPMARK_FAILING="NAME:OCCURRENCE:ERRNO"
 * lets the given call of each process fail (0: every one), "NAME:OCCURRENCE:kill" ends the process
 * there. WARPMARK_FAILING_LOG gets a byte for each failure. Names are those of the calls;
 * `map_shared` and `map_private` are mmap with such flags, `seal` is fcntl with seals, `proc` is
 * anything that opens or reads a link below /proc. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static atomic_long calls;

/* The error of this call, or 0. */
static int failing(const char* name) {
  const char* wish = getenv("WARPMARK_FAILING");
  const size_t length = strlen(name);
  if (wish == NULL || strncmp(wish, name, length) != 0 || wish[length] != ':') return 0;
  char* rest = NULL;
  const long occurrence = strtol(wish + length + 1, &rest, 10);
  const long call = ++calls;
  if (occurrence != 0 && occurrence != call) return 0;
  const char* log = getenv("WARPMARK_FAILING_LOG");
  if (log != NULL) {
    const int fd = open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    static ssize_t (*real_write)(int, const void*, size_t) = NULL;
    if (real_write == NULL) *(void**)&real_write = dlsym(RTLD_NEXT, "write");
    if (fd < 0 || real_write(fd, "x", 1) != 1) abort();
    close(fd);
  }
  if (strcmp(rest, ":kill") == 0) raise(SIGKILL);
  return atoi(rest + 1);
}

/* Defines a call that fails with -1 and errno. */
#define FAILING(type, symbol, name, parameters, arguments, condition) \
  EXPORT type symbol parameters {                                     \
    static type(*real) parameters = NULL;                             \
    if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, #symbol);     \
    const int error = (condition) ? failing(name) : 0;                \
    if (error != 0) {                                                 \
      errno = error;                                                  \
      return (type)-1;                                                \
    }                                                                 \
    return real arguments;                                            \
  }

FAILING(int, memfd_create, "memfd_create", (const char* name, unsigned flags), (name, flags), 1)
FAILING(int, ftruncate, "ftruncate", (int fd, off_t length), (fd, length), 1)
FAILING(int, ftruncate64, "ftruncate", (int fd, off64_t length), (fd, length), 1)
FAILING(int, eventfd, "eventfd", (unsigned value, int flags), (value, flags), 1)
FAILING(int, socketpair, "socketpair", (int domain, int type, int protocol, int ends[2]),
        (domain, type, protocol, ends), 1)
FAILING(ssize_t, sendmsg, "sendmsg", (int fd, const struct msghdr* message, int flags),
        (fd, message, flags), 1)
FAILING(ssize_t, recvmsg, "recvmsg", (int fd, struct msghdr* message, int flags),
        (fd, message, flags), 1)
FAILING(int, poll, "poll", (struct pollfd * fds, nfds_t count, int timeout), (fds, count, timeout),
        1)
FAILING(int, inotify_add_watch, "inotify_add_watch", (int fd, const char* path, uint32_t mask),
        (fd, path, mask), 1)
FAILING(int, rename, "rename", (const char* from, const char* to), (from, to), 1)
FAILING(int, mkostemp, "mkostemp", (char* name, int flags), (name, flags), 1)
FAILING(int, mkostemp64, "mkostemp", (char* name, int flags), (name, flags), 1)
FAILING(int, dup2, "dup2", (int from, int to), (from, to), 1)
FAILING(ssize_t, write, "write", (int fd, const void* bytes, size_t count), (fd, bytes, count), 1)
FAILING(ssize_t, readlink, "proc", (const char* path, char* into, size_t size), (path, into, size),
        strncmp(path, "/proc/", 6) == 0)
FAILING(void*, mmap, flags& MAP_SHARED ? "map_shared" : "map_private",
        (void* address, size_t length, int protection, int flags, int fd, off_t offset),
        (address, length, protection, flags, fd, offset), 1)
FAILING(void*, mmap64, flags& MAP_SHARED ? "map_shared" : "map_private",
        (void* address, size_t length, int protection, int flags, int fd, off64_t offset),
        (address, length, protection, flags, fd, offset), 1)

EXPORT char* mkdtemp(char* name) {
  static char* (*real)(char*) = NULL;
  if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, "mkdtemp");
  const int error = failing("mkdtemp");
  if (error == 0) return real(name);
  errno = error;
  return NULL;
}

/* These return their error. */
EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                          void* (*start)(void*), void* argument) {
  static int (*real)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) = NULL;
  if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, "pthread_create");
  const int error = failing("pthread_create");
  return error != 0 ? error : real(thread, attributes, start, argument);
}

EXPORT int posix_spawn(pid_t* process, const char* path, const posix_spawn_file_actions_t* actions,
                       const posix_spawnattr_t* attributes, char* const arguments[],
                       char* const environment[]) {
  static int (*real)(pid_t*, const char*, const posix_spawn_file_actions_t*,
                     const posix_spawnattr_t*, char* const[], char* const[]) = NULL;
  if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, "posix_spawn");
  const int error = failing("posix_spawn");
  return error != 0 ? error : real(process, path, actions, attributes, arguments, environment);
}

#define FAILING_OPEN(symbol)                                                        \
  EXPORT int symbol(const char* path, int flags, ...) {                             \
    static int (*real)(const char*, int, ...) = NULL;                               \
    if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, #symbol);                   \
    va_list more;                                                                   \
    va_start(more, flags);                                                          \
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(more, mode_t) : 0; \
    va_end(more);                                                                   \
    const int error = strncmp(path, "/proc/", 6) == 0 ? failing("proc") : 0;        \
    if (error != 0) {                                                               \
      errno = error;                                                                \
      return -1;                                                                    \
    }                                                                               \
    return real(path, flags, mode);                                                 \
  }
FAILING_OPEN(open)
FAILING_OPEN(open64)

#define FAILING_SEALS(symbol)                                           \
  EXPORT int symbol(int fd, int command, ...) {                         \
    static int (*real)(int, int, ...) = NULL;                           \
    if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, #symbol);       \
    va_list more;                                                       \
    va_start(more, command);                                            \
    void* argument = va_arg(more, void*);                               \
    va_end(more);                                                       \
    const int seals = command == F_ADD_SEALS || command == F_GET_SEALS; \
    const int error = seals ? failing("seal") : 0;                      \
    if (error != 0) {                                                   \
      errno = error;                                                    \
      return -1;                                                        \
    }                                                                   \
    return real(fd, command, argument);                                 \
  }
FAILING_SEALS(fcntl)
FAILING_SEALS(fcntl64)
