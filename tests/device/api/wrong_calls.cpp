// The wrong calls of all topics. What is documented is in the driver API's reference, under each
// function.
#include "device/api/wrong_calls.hpp"

#include "device/api/wrong_calls_parts.hpp"

namespace warpmark::test {

using namespace wrong;

Setting make_setting(const Driver& driver) {
  Setting s;
  CUdevice device = 0;
  const CUDA_ARRAY_DESCRIPTOR description = {8, 4, CU_AD_FORMAT_FLOAT, 1};
  const CUresult results[] = {DRIVER(cuInit)(0),
                              DRIVER(cuDeviceGet)(&device, 0),
                              DRIVER(cuDevicePrimaryCtxRetain)(&s.context, device),
                              DRIVER(cuCtxSetCurrent)(s.context),
                              DRIVER(cuModuleLoadData)(&s.module, kText),
                              DRIVER(cuModuleGetFunction)(&s.function, s.module, "k"),
                              DRIVER(cuModuleGetFunction)(&s.bounded, s.module, "bounded"),
                              DRIVER(cuModuleGetFunction)(&s.fixed, s.module, "fixed"),
                              DRIVER(cuMemAlloc)(&s.buffer, 1024),
                              DRIVER(cuStreamCreate)(&s.stream, CU_STREAM_NON_BLOCKING),
                              DRIVER(cuEventCreate)(&s.event, 0),
                              DRIVER(cuArrayCreate)(&s.array, &description)};
  for (const CUresult result : results) {
    if (result != CUDA_SUCCESS) throw std::runtime_error("error " + std::to_string(result));
  }
  return s;
}

const std::vector<WrongCall>& wrong_calls() {
  static const std::vector<WrongCall> calls = [] {
    std::vector<WrongCall> all;
    for (const auto& of_topic :
         {of_devices(), of_memory(), of_programs(), of_streams(), of_handles(), of_mapped()})
      all.insert(all.end(), of_topic.begin(), of_topic.end());
    return all;
  }();
  return calls;
}

}  // namespace warpmark::test
