/* The CPU device as one that takes times: it does not say that it counts, so that several processes
 * measure it as they measure a GPU. In the files that the environment names each process leaves its
 * number and the grids of its launches. The process WARPMARK_TEST_DIES dies at a launch, or with a
 * plus ("3+") it and all later ones. */
#include <cuda.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "count_process.h"
#include "warpmark/device.h"

#undef cuEventElapsedTime
#undef cuEventRecord
#undef cuLaunchKernel
#undef cuStreamSynchronize
#undef cuMemGetInfo

static long process_number; /* counts from 1; 0 if nobody asks */
static unsigned long last_grid;

__attribute__((constructor)) static void take_number(void) {
  process_number = count_process();
}

__attribute__((visibility("default"))) const warpmark_device* warpmark_device_v1(void) {
  typedef const warpmark_device* (*device_function)(void);
  static warpmark_device device;
  const device_function next = (device_function)dlsym(RTLD_NEXT, "warpmark_device_v1");
  const warpmark_device* counting = next();
  memcpy(&device, counting,
         counting->size < sizeof(device) ? counting->size : sizeof(device));
  device.capabilities &= ~(uint32_t)(WARPMARK_COUNTERS | WARPMARK_PROFILE);
  return &device;
}

/* So that the arrays of ceilings are small: an eighth of a GPU's would take seconds. */
__attribute__((visibility("default"))) CUresult cuMemGetInfo_v2(size_t* free_bytes,
                                                                size_t* all_bytes) {
  typedef CUresult (*info_function)(size_t*, size_t*);
  const info_function next = (info_function)dlsym(RTLD_NEXT, "cuMemGetInfo_v2");
  const CUresult result = next(free_bytes, all_bytes);
  if (result == CUDA_SUCCESS && *free_bytes > (1 << 22)) *free_bytes = 1 << 22;
  return result;
}

/* So that a flush is short, and what fills all multiprocessors, too. */
__attribute__((visibility("default"))) CUresult
cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  typedef CUresult (*attribute_function)(int*, CUdevice_attribute, CUdevice);
  const attribute_function next = (attribute_function)dlsym(RTLD_NEXT, "cuDeviceGetAttribute");
  const CUresult result = next(value, attribute, device);
  if (attribute == CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE) *value = 1 << 16;
  if (attribute == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) *value = 1;
  return result;
}

/* Events have the process's processor time, in which a busy machine is no slower. */
static struct {
  CUevent event;
  double ms;
} recorded[256];

static double* time_of(CUevent event) {
  size_t i = 0;
  while (i < 255 && recorded[i].event != NULL && recorded[i].event != event) ++i;
  recorded[i].event = event;
  return &recorded[i].ms;
}

__attribute__((visibility("default"))) CUresult cuEventRecord(CUevent event, CUstream stream) {
  typedef CUresult (*record_function)(CUevent, CUstream);
  typedef CUresult (*synchronize_function)(CUstream);
  struct timespec now;
  const CUresult done = ((synchronize_function)dlsym(RTLD_NEXT, "cuStreamSynchronize"))(stream);
  if (done != CUDA_SUCCESS) return done;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  *time_of(event) = 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
  return ((record_function)dlsym(RTLD_NEXT, "cuEventRecord"))(event, stream);
}

__attribute__((visibility("default"))) CUresult cuEventElapsedTime(float* ms, CUevent begin,
                                                                   CUevent end) {
  typedef CUresult (*elapsed_function)(float*, CUevent, CUevent);
  const CUresult result =
      ((elapsed_function)dlsym(RTLD_NEXT, "cuEventElapsedTime"))(ms, begin, end);
  if (result == CUDA_SUCCESS) *ms = (float)(*time_of(end) - *time_of(begin));
  return result;
}

static int must_die(void) {
  const char* dies = getenv("WARPMARK_TEST_DIES");
  if (dies == NULL) return 0;
  const long first = atol(dies);
  return process_number == first || (strchr(dies, '+') != NULL && process_number > first);
}

static void write_grid(unsigned grid) {
  const char* path = getenv("WARPMARK_TEST_GRIDS");
  FILE* file = path == NULL || grid == last_grid ? NULL : fopen(path, "a");
  last_grid = grid;
  if (file == NULL) return;
  fprintf(file, "%ld %u\n", process_number, grid);
  fclose(file);
}

__attribute__((visibility("default"))) CUresult cuLaunchKernel(
    CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
    unsigned bz, unsigned shared, CUstream stream, void** parameters, void** extra) {
  typedef CUresult (*launch_function)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,
                                      unsigned, unsigned, CUstream, void**, void**);
  /* Kernels for timing have blocks of 1, 512 or 1024 threads; a test's have others. */
  const int of_case = bx != 1 && bx != 512 && bx != 1024;
  if (of_case) write_grid(gx);
  if (of_case && must_die()) raise(SIGKILL);
  const launch_function next = (launch_function)dlsym(RTLD_NEXT, "cuLaunchKernel");
  return next(function, gx, gy, gz, bx, by, bz, shared, stream, parameters, extra);
}
