/* The CPU device with a cuLaunchKernel that kills, crashes or hangs the process, or prints commands
 * of CI runners, by the launch's dynamic shared memory: how a suite asks for a worker that ends in
 * the middle of a case. */
#include <cuda.h>
#include <dlfcn.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "count_process.h"

#undef cuLaunchKernel

typedef CUresult (*launch_function)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,
                                    unsigned, unsigned, CUstream, void**, void**);

__attribute__((constructor)) static void count(void) {
  count_process();
}

/* As a kernel's printf, which a driver may hold back until the end. */
static void print_commands(void) {
  fputs("\n::error::forged on stdout\n##[error]forged on stdout\n", stdout);
  fflush(stdout);
  fputs("\n::error::forged on stderr\n##[error]forged on stderr\n", stderr);
}

/* For a test that sends a signal to a worker that is in a launch. */
static void report_who_hangs(void) {
  const char* path = getenv("WARPMARK_TEST_HANGING");
  FILE* file = path == NULL ? NULL : fopen(path, "a");
  if (file == NULL) return;
  fprintf(file, "%d\n", (int)getpid());
  fclose(file);
}

__attribute__((visibility("default"))) CUresult cuLaunchKernel(
    CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
    unsigned bz, unsigned shared, CUstream stream, void** parameters, void** extra) {
  if (shared == 1001) raise(SIGKILL);
  if (shared == 1002) {
    signal(SIGSEGV, SIG_DFL); /* a sanitizer would turn it into an exit */
    raise(SIGSEGV);
  }
  if (shared == 1003) {
    report_who_hangs();
    for (;;) pause();
  }
  if (shared == 1004) _exit(7);
  if (shared == 1005) {
    print_commands();
    atexit(print_commands);
  }
  launch_function next = (launch_function)dlsym(RTLD_NEXT, "cuLaunchKernel");
  return next(function, gx, gy, gz, bx, by, bz, shared, stream, parameters, extra);
}
