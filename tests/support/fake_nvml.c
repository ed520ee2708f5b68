/* NVML of one device at 0000:18:00.0, for tests: WARPMARK_FAKE_NVML_FAILS names functions that
 * fail. */
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
enum { NVML_SUCCESS = 0, NVML_ERROR_NOT_FOUND = 6, NVML_ERROR_UNKNOWN = 999 };
typedef struct nvmlDevice_st* nvmlDevice_t;

static char device;
static int initialised;

/* Also what NVML does without nvmlInit. */
static int fails(const char* function) {
  const char* names = getenv("WARPMARK_FAKE_NVML_FAILS");
  if (strcmp(function, "nvmlInit_v2") != 0 && initialised == 0) return 1;
  return names != NULL && strstr(names, function) != NULL;
}
#define FAIL_IF_ASKED() \
  if (fails(__func__)) return NVML_ERROR_UNKNOWN

/* How often it was initialised and not shut down; for tests. */
EXPORT int fake_nvml_initialised(void) {
  return initialised;
}

EXPORT const char* nvmlErrorString(int result) {
  return result == NVML_ERROR_UNKNOWN ? "Unknown Error" : "Another Error";
}
EXPORT int nvmlInit_v2(void) {
  FAIL_IF_ASKED();
  ++initialised;
  return NVML_SUCCESS;
}
EXPORT int nvmlShutdown(void) {
  FAIL_IF_ASKED();
  --initialised;
  return NVML_SUCCESS;
}
EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, nvmlDevice_t* handle) {
  FAIL_IF_ASKED();
  if (strcmp(bus_id, "0000:18:00.0") != 0) return NVML_ERROR_NOT_FOUND;
  *handle = (nvmlDevice_t)&device;
  return NVML_SUCCESS;
}
/* 1 is the multiprocessors' clock, 2 the memory's. */
EXPORT int nvmlDeviceGetClockInfo(nvmlDevice_t handle, int type, unsigned* mhz) {
  FAIL_IF_ASKED();
  *mhz = handle != (nvmlDevice_t)&device ? 0 : type == 1 ? 1830 : type == 2 ? 3201 : 1;
  return NVML_SUCCESS;
}
EXPORT int nvmlDeviceGetMaxClockInfo(nvmlDevice_t handle, int type, unsigned* mhz) {
  FAIL_IF_ASKED();
  *mhz = handle == (nvmlDevice_t)&device && type == 1 ? 1980 : 1;
  return NVML_SUCCESS;
}
EXPORT int nvmlDeviceGetTemperature(nvmlDevice_t handle, int sensor, unsigned* celsius) {
  FAIL_IF_ASKED();
  *celsius = handle == (nvmlDevice_t)&device && sensor == 0 ? 41 : 0;
  return NVML_SUCCESS;
}
EXPORT int nvmlDeviceGetPowerUsage(nvmlDevice_t handle, unsigned* milliwatts) {
  FAIL_IF_ASKED();
  *milliwatts = handle == (nvmlDevice_t)&device ? 123456 : 0;
  return NVML_SUCCESS;
}
EXPORT int nvmlDeviceGetEccMode(nvmlDevice_t handle, int* current, int* pending) {
  FAIL_IF_ASKED();
  *current = handle == (nvmlDevice_t)&device;
  *pending = 0;
  return NVML_SUCCESS;
}
EXPORT int nvmlDeviceGetMigMode(nvmlDevice_t handle, unsigned* current, unsigned* pending) {
  FAIL_IF_ASKED();
  *current = handle != (nvmlDevice_t)&device;
  *pending = 1;
  return NVML_SUCCESS;
}
/* Idle, a power cap, a thermal slowdown, and one that nobody knows yet. */
EXPORT int nvmlDeviceGetCurrentClocksEventReasons(nvmlDevice_t handle,
                                                  unsigned long long* reasons) {
  FAIL_IF_ASKED();
  *reasons = handle == (nvmlDevice_t)&device ? 0x1 | 0x4 | 0x40 | 0x10000 : 0;
  return NVML_SUCCESS;
}
EXPORT int nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t handle,
                                                     unsigned long long* reasons) {
  FAIL_IF_ASKED();
  *reasons = handle == (nvmlDevice_t)&device ? 0x8 : 0;
  return NVML_SUCCESS;
}
