// libcuda.so, what programs are linked with: its name in a program is libcuda.so.1, as that of the
// toolkit's stub library, so that the program starts with whatever driver there is.
//
// Where a program opens libcuda.so itself, each function here goes on to the same one of the CPU
// device. (A filter of that library, DT_AUXILIARY, needs no code, but the C library of a program
// that opens one does not show it to the unwinder: the first exception inside ends the process.)
#include <dlfcn.h>
#include <limits.h>
#include <string.h>

#if !defined(__x86_64__)
#error "the forwarding below is written for x86-64"
#endif

extern "C" {

constexpr int kStubLibrary = 34;  // CUDA_ERROR_STUB_LIBRARY

__attribute__((visibility("hidden"))) int warpmark_no_device(void);
int warpmark_no_device(void) {
  return kStubLibrary;
}

// Where each goes, and a function that goes there and leaves registers and stack as they are.
#define FORWARD(symbol)                                              \
  __attribute__((visibility("hidden"))) void* warpmark_to_##symbol = \
      reinterpret_cast<void*>(warpmark_no_device);                   \
  asm(".pushsection .text\n"                                         \
      ".globl " #symbol                                              \
      "\n"                                                           \
      ".type " #symbol ", @function\n" #symbol                       \
      ":\n"                                                          \
      "endbr64\n"                                                    \
      "jmp *warpmark_to_" #symbol                                    \
      "(%rip)\n"                                                     \
      ".size " #symbol ", . - " #symbol                              \
      "\n"                                                           \
      ".popsection");
#include "run/forwards.def"
}

namespace {

struct Forward {
  const char* name;
  void** to;
};

#define FORWARD(symbol) {#symbol, &warpmark_to_##symbol},
const Forward kForwards[] = {
#include "run/forwards.def"
};

// The device lies one folder up from this file.
__attribute__((constructor)) void find_device() {
  constexpr char kDevice[] = "/../libwarpmark_cpu.so";
  Dl_info self{};
  if (dladdr(kForwards, &self) == 0 || self.dli_fname == nullptr) return;
  const char* slash = strrchr(self.dli_fname, '/');
  if (slash == nullptr) return;
  const auto folder = static_cast<size_t>(slash - self.dli_fname);
  char path[PATH_MAX];
  if (folder + sizeof kDevice > sizeof path) return;
  memcpy(path, self.dli_fname, folder);
  memcpy(path + folder, kDevice, sizeof kDevice);
  void* device = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (device == nullptr) return;
  for (const Forward& each : kForwards) {
    if (void* found = dlsym(device, each.name)) *each.to = found;
  }
}

}  // namespace
