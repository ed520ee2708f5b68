/* The auditor that warpmark-cpu gives to the dynamic linker (LD_AUDIT): the libraries of the CUDA
 * driver and runtime that a program opens are those of the CPU device, also where the program has a
 * path of its own for them. PyTorch's wheels have one (RPATH), and it wins over LD_LIBRARY_PATH. */
#define _GNU_SOURCE
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* The folder of the CPU device's libraries, with its slash. */
static char folder[4000];
static size_t folder_length;

/* Names of libraries, and ours for each. */
static const struct {
  const char* name;
  const char* ours;
} libraries[] = {
    {"libcuda.so", "libcuda.so.1"},         {"libcuda.so.1", "libcuda.so.1"},
    {"libcudart.so", "libcudart.so.13"},    {"libcudart.so.12", "libcudart.so.12"},
    {"libcudart.so.13", "libcudart.so.13"},
};

EXPORT unsigned int la_version(unsigned int version) {
  const char* given = getenv("WARPMARK_CPU_STAND_INS");
  const size_t length = given == NULL ? 0 : strlen(given);
  if (length > 0 && length < sizeof folder - 64) {
    memcpy(folder, given, length);
    folder[length] = '/';
    folder_length = length + 1;
  }
  return version < LAV_CURRENT ? version : LAV_CURRENT;
}

EXPORT char* la_objsearch(const char* name, uintptr_t* cookie, unsigned int flag) {
  static char path[sizeof folder + 64]; /* The dynamic linker holds its lock, and copies this. */
  (void)cookie;
  if (flag != LA_SER_ORIG || folder_length == 0) return (char*)name;
  const char* slash = strrchr(name, '/');
  const char* base = slash == NULL ? name : slash + 1;
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; ++i) {
    if (strcmp(base, libraries[i].name) != 0) continue;
    memcpy(path, folder, folder_length);
    strcpy(path + folder_length, libraries[i].ours);
    return access(path, R_OK) == 0 ? path : (char*)name;
  }
  return (char*)name;
}
