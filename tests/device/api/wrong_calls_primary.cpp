// The life of a device's primary context: retained, reset, released, used in between. The stated
// results are those of an H100 (driver 580).
#include "device/api/wrong_calls_parts.hpp"

namespace warpmark::test {

using namespace wrong;

std::vector<Step> primary_context_steps(const Driver& driver) {
  std::vector<Step> steps;
  CUcontext first = nullptr, again = nullptr;
  CUdeviceptr address = 0;
  const auto step = [&](const char* name, int result, int stated) {
    steps.push_back({name, result, stated});
  };
  const auto active = [&] {
    unsigned flags = 0;
    int is = -1;
    DRIVER(cuDevicePrimaryCtxGetState)(0, &flags, &is);
    return is;
  };
  const auto allocate_64 = [&] { return DRIVER(cuMemAlloc)(&address, 64); };
  const auto retain = [&] { return DRIVER(cuDevicePrimaryCtxRetain)(&again, 0); };
  const auto release = [&] { return DRIVER(cuDevicePrimaryCtxRelease)(0); };
  constexpr int gone = CUDA_ERROR_CONTEXT_IS_DESTROYED;
  DRIVER(cuInit)(0);
  step("release before any retain", release(), kContext);
  step("retain", DRIVER(cuDevicePrimaryCtxRetain)(&first, 0), 0);
  step("set", DRIVER(cuCtxSetCurrent)(first), 0);
  step("allocate", allocate_64(), 0);
  step("reset", DRIVER(cuDevicePrimaryCtxReset)(0), 0);
  step("is active after a reset", active(), 0);
  step("set after a reset", DRIVER(cuCtxSetCurrent)(first), 0);
  step("push after a reset", DRIVER(cuCtxPushCurrent)(first), 0);
  step("pop", DRIVER(cuCtxPopCurrent)(&again), 0);
  step("allocate after a reset", allocate_64(), gone);
  step("synchronize after a reset", DRIVER(cuCtxSynchronize)(), gone);
  CUdevice device = -1;
  step("get the device after a reset", DRIVER(cuCtxGetDevice)(&device), 0);
  step("retain after a reset", retain(), 0);
  step("the handle is another", again == first ? 0 : 1, 0);
  step("is active again", active(), 1);
  step("allocate, retained again", allocate_64(), 0);
  step("free", DRIVER(cuMemFree)(address), 0);
  step("release, a reset leaves references", release(), 0);
  step("is active until the last", active(), 1);
  step("allocate until the last", allocate_64(), 0);
  step("the last release", release(), 0);
  step("is active after the last", active(), 0);
  step("allocate after the last", allocate_64(), gone);
  step("one release more", release(), kContext);
  step("set after the last", DRIVER(cuCtxSetCurrent)(first), 0);
  step("retain anew", retain(), 0);
  step("the handle is another, anew", again == first ? 0 : 1, 0);
  step("allocate anew", allocate_64(), 0);
  step("destroy it like another context", DRIVER(cuCtxDestroy)(first), kContext);
  step("reset", DRIVER(cuDevicePrimaryCtxReset)(0), 0);
  step("reset, and again", DRIVER(cuDevicePrimaryCtxReset)(0), 0);
  step("release what was reset", release(), 0);
  step("release it once more", release(), kContext);
  return steps;
}

}  // namespace warpmark::test
