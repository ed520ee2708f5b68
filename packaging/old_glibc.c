/* Symbols that static libraries need if they were compiled with a newer glibc. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

/* glibc 2.32 says here whether a process has one thread, so that libstdc++ need not lock. 0: never. */
__attribute__((visibility("hidden"))) char __libc_single_threaded = 0;

/* glibc 2.36; std::random_device of libstdc++ 12 calls it. */
__attribute__((visibility("hidden"))) uint32_t arc4random(void) {
  uint32_t number = 0;
  if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) abort();
  return number;
}
