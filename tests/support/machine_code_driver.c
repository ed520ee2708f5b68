/* The CPU device as a GPU that loads machine code alone, and an assembler for it in nvJitLink's place,
 * one file for both: what the assembler makes of PTX is that text behind the first bytes of an ELF
 * file, which the device takes off again. PTX as it is, it refuses. */
#include <cuda.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define EXPORTED __attribute__((visibility("default")))

static const char kElf[] =
    "\x7f"
    "ELF-OF-A-TEST";

#ifndef WARPMARK_ASSEMBLER
#include "warpmark/device.h"

EXPORTED const warpmark_device* warpmark_device_v1(void) {
  typedef const warpmark_device* (*device_function)(void);
  static warpmark_device device;
  const device_function next = (device_function)dlsym(RTLD_NEXT, "warpmark_device_v1");
  const warpmark_device* cpu = next();
  memcpy(&device, cpu, cpu->size < sizeof(device) ? cpu->size : sizeof(device));
  device.capabilities &= ~(uint32_t)WARPMARK_IMAGE_PTX;
  return &device;
}

EXPORTED CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count,
                                     CUjit_option* options, void** values) {
  typedef CUresult (*load_function)(CUmodule*, const void*, unsigned, CUjit_option*, void**);
  if (strncmp(image, kElf, strlen(kElf)) != 0) return CUDA_ERROR_NO_BINARY_FOR_GPU;
  const load_function next = (load_function)dlsym(RTLD_NEXT, "cuModuleLoadDataEx");
  return next(module, (const char*)image + strlen(kElf), count, options, values);
}
#else
struct link {
  char* image;
  size_t bytes;
};

/* As large a mapping as a library may have that shares the process with the compiler. */
__attribute__((constructor)) static void map_much(void) {
  mmap(NULL, (size_t)1 << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

EXPORTED int nvJitLinkCreate(void** made, uint32_t count, const char** options) {
  (void)count;
  (void)options;
  *made = calloc(1, sizeof(struct link));
  return 0;
}

EXPORTED int nvJitLinkAddData(struct link* link, int kind, const void* text, size_t bytes,
                              const char* name) {
  (void)kind;
  (void)name;
  link->bytes = strlen(kElf) + bytes + 1;
  link->image = calloc(1, link->bytes);
  memcpy(link->image, kElf, strlen(kElf));
  memcpy(link->image + strlen(kElf), text, bytes);
  return 0;
}

/* A text with the word "refused" is not assembled. */
EXPORTED int nvJitLinkComplete(struct link* link) {
  return strstr(link->image, "refused") != NULL;
}

EXPORTED int nvJitLinkGetLinkedCubinSize(struct link* link, size_t* bytes) {
  *bytes = link->bytes;
  return 0;
}

EXPORTED int nvJitLinkGetLinkedCubin(struct link* link, void* to) {
  memcpy(to, link->image, link->bytes);
  return 0;
}

static const char kError[] = "the assembler of a test refuses it";

EXPORTED int nvJitLinkGetErrorLogSize(struct link* link, size_t* bytes) {
  *bytes = nvJitLinkComplete(link) != 0 ? sizeof kError : 0;
  return 0;
}

EXPORTED int nvJitLinkGetErrorLog(struct link* link, char* to) {
  (void)link;
  strcpy(to, kError);
  return 0;
}

EXPORTED int nvJitLinkGetInfoLogSize(struct link* link, size_t* bytes) {
  (void)link;
  *bytes = 1;
  return 0;
}

EXPORTED int nvJitLinkGetInfoLog(struct link* link, char* to) {
  (void)link;
  *to = '\0';
  return 0;
}

EXPORTED int nvJitLinkDestroy(struct link** link) {
  if (*link != NULL) free((*link)->image);
  free(*link);
  *link = NULL;
  return 0;
}
#endif
