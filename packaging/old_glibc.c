/* What static libraries that were compiled with a newer glibc ask of it. */

/* glibc 2.32 tells here that a process has one thread, so that libstdc++ need not lock: never. */
char __libc_single_threaded = 0;
