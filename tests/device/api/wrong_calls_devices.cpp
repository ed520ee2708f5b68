// Wrong calls about devices and contexts.
#include "device/api/wrong_calls_parts.hpp"

namespace warpmark::test {

using namespace wrong;

std::vector<WrongCall> wrong::of_devices() {
  return {
      WRONG("cuInit: flags 1", kValue, { return DRIVER(cuInit)(1); }),
      WRONG("cuDriverGetVersion: null", kValue, { return DRIVER(cuDriverGetVersion)(nullptr); }),
      WRONG("cuDeviceGetCount: null", kValue, { return DRIVER(cuDeviceGetCount)(nullptr); }),
      WRONG("cuDeviceGet: 99", kDevice,
            {
              CUdevice d;
              return DRIVER(cuDeviceGet)(&d, 99);
            }),
      WRONG("cuDeviceGet: -1", kDevice,
            {
              CUdevice d;
              return DRIVER(cuDeviceGet)(&d, -1);
            }),
      WRONG("cuDeviceGet: null", kValue, { return DRIVER(cuDeviceGet)(nullptr, 0); }),
      WRONG("cuDeviceGetName: device 99", kDevice,
            {
              char t[16];
              return DRIVER(cuDeviceGetName)(t, 16, 99);
            }),
      WRONG("cuDeviceGetName: null", kValue, { return DRIVER(cuDeviceGetName)(nullptr, 16, 0); }),
      WRONG("cuDeviceGetName: length 0", kValue,
            {
              char t[16];
              return DRIVER(cuDeviceGetName)(t, 0, 0);
            }),
      WRONG("cuDeviceGetAttribute: attribute 99999", kValue,
            {
              int v;
              return DRIVER(cuDeviceGetAttribute)(&v, static_cast<CUdevice_attribute>(99999), 0);
            }),
      WRONG("cuDeviceGetAttribute: attribute 0", kValue,
            {
              int v;
              return DRIVER(cuDeviceGetAttribute)(&v, static_cast<CUdevice_attribute>(0), 0);
            }),
      WRONG("cuDeviceGetAttribute: device 99", kDevice,
            {
              int v;
              return DRIVER(cuDeviceGetAttribute)(&v, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 99);
            }),
      WRONG("cuDeviceGetAttribute: null", kValue,
            { return DRIVER(cuDeviceGetAttribute)(nullptr, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0); }),
      WRONG("cuDeviceTotalMem: device 99", kDevice,
            {
              std::size_t v;
              return DRIVER(cuDeviceTotalMem)(&v, 99);
            }),
      WRONG("cuDeviceTotalMem: null", kValue, { return DRIVER(cuDeviceTotalMem)(nullptr, 0); }),
      WRONG("cuDeviceGetUuid: device 99", kDevice,
            {
              CUuuid v;
              return DRIVER(cuDeviceGetUuid)(&v, 99);
            }),
      WRONG("cuDeviceGetPCIBusId: device 99", kDevice,
            {
              char t[16];
              return DRIVER(cuDeviceGetPCIBusId)(t, 16, 99);
            }),
      WRONG("cuDeviceGetByPCIBusId: nonsense", kOpen,
            {
              CUdevice d;
              return DRIVER(cuDeviceGetByPCIBusId)(&d, "nonsense");
            }),
      WRONG("cuDeviceGetByPCIBusId: null", kValue,
            {
              CUdevice d;
              return DRIVER(cuDeviceGetByPCIBusId)(&d, nullptr);
            }),
      WRONG("cuDeviceCanAccessPeer: device 99", kDevice,
            {
              int v;
              return DRIVER(cuDeviceCanAccessPeer)(&v, 0, 99);
            }),
      WRONG("cuGetErrorName: 99999", kValue,
            {
              const char* t;
              return DRIVER(cuGetErrorName)(static_cast<CUresult>(99999), &t);
            }),
      WRONG("cuGetErrorString: 99999", kValue,
            {
              const char* t;
              return DRIVER(cuGetErrorString)(static_cast<CUresult>(99999), &t);
            }),

      WRONG("cuCtxCreate_v2: flags 0xff00", kValue,
            {
              CUcontext c;
              return create_context(driver, &c, 0xff00, 0);
            }),
      WRONG("cuCtxCreate_v2: null", kValue, { return create_context(driver, nullptr, 0, 0); }),
      WRONG("cuCtxCreate_v2: device 99", kDevice,
            {
              CUcontext c;
              return create_context(driver, &c, 0, 99);
            }),
      WRONG("cuDevicePrimaryCtxRetain: device 99", kDevice,
            {
              CUcontext c;
              return DRIVER(cuDevicePrimaryCtxRetain)(&c, 99);
            }),
      WRONG("cuDevicePrimaryCtxRetain: null", kValue,
            { return DRIVER(cuDevicePrimaryCtxRetain)(nullptr, 0); }),
      WRONG("cuDevicePrimaryCtxRelease: device 99", kDevice,
            { return DRIVER(cuDevicePrimaryCtxRelease)(99); }),
      WRONG("cuDevicePrimaryCtxSetFlags: flags 0xff00", kValue,
            { return DRIVER(cuDevicePrimaryCtxSetFlags)(0, 0xff00); }),
      WRONG("cuDevicePrimaryCtxSetFlags: device 99", kDevice,
            { return DRIVER(cuDevicePrimaryCtxSetFlags)(99, 0); }),
      WRONG("cuDevicePrimaryCtxGetState: device 99", kDevice,
            {
              unsigned f;
              int a;
              return DRIVER(cuDevicePrimaryCtxGetState)(99, &f, &a);
            }),
      WRONG("cuCtxDestroy: null", kValue, { return DRIVER(cuCtxDestroy)(nullptr); }),
      WRONG("cuCtxPopCurrent: nothing on the stack", kContext,
            {
              return without_context(driver, s, [&] {
                CUcontext c;
                return DRIVER(cuCtxPopCurrent)(&c);
              });
            }),
      WRONG("cuCtxPushCurrent: null", kValue, { return DRIVER(cuCtxPushCurrent)(nullptr); }),
      WRONG("cuCtxGetDevice: null", kValue, { return DRIVER(cuCtxGetDevice)(nullptr); }),
      WRONG("cuCtxGetCurrent: null", kValue, { return DRIVER(cuCtxGetCurrent)(nullptr); }),
      WRONG("cuCtxSetLimit: limit 99", kOpen,
            { return DRIVER(cuCtxSetLimit)(static_cast<CUlimit>(99), 1); }),
      WRONG("cuCtxGetLimit: limit 99", kOpen,
            {
              std::size_t v;
              return DRIVER(cuCtxGetLimit)(&v, static_cast<CUlimit>(99));
            }),
      WRONG("cuCtxGetLimit: null", kValue,
            { return DRIVER(cuCtxGetLimit)(nullptr, CU_LIMIT_STACK_SIZE); }),
      WRONG("cuCtxSetCacheConfig: 99", kValue,
            { return DRIVER(cuCtxSetCacheConfig)(static_cast<CUfunc_cache>(99)); }),
      WRONG("cuCtxGetCacheConfig: null", kValue, { return DRIVER(cuCtxGetCacheConfig)(nullptr); }),
      WRONG("cuCtxGetApiVersion: null", kOpen,
            { return DRIVER(cuCtxGetApiVersion)(s.context, nullptr); }),
      WRONG("cuCtxGetStreamPriorityRange: nulls", CUDA_SUCCESS,
            { return DRIVER(cuCtxGetStreamPriorityRange)(nullptr, nullptr); }),
      WRONG("cuCtxEnablePeerAccess: itself", CUDA_ERROR_PEER_ACCESS_UNSUPPORTED,
            { return DRIVER(cuCtxEnablePeerAccess)(s.context, 0); }),
      WRONG("cuCtxEnablePeerAccess: null", kOpen,
            { return DRIVER(cuCtxEnablePeerAccess)(nullptr, 0); }),
      WRONG("cuCtxDisablePeerAccess: itself", kOpen,
            { return DRIVER(cuCtxDisablePeerAccess)(s.context); }),

      WRONG("cuCtxSynchronize: no context", kContext,
            { return without_context(driver, s, [&] { return DRIVER(cuCtxSynchronize)(); }); }),
      WRONG("cuCtxGetDevice: no context", kContext,
            {
              return without_context(driver, s, [&] {
                CUdevice d;
                return DRIVER(cuCtxGetDevice)(&d);
              });
            }),
      WRONG("cuCtxGetLimit: no context", kContext,
            {
              return without_context(driver, s, [&] {
                std::size_t v;
                return DRIVER(cuCtxGetLimit)(&v, CU_LIMIT_STACK_SIZE);
              });
            }),
      WRONG("cuMemAlloc: no context", kContext,
            { return without_context(driver, s, [&] { return allocate(driver, 16); }); }),
      WRONG("cuMemGetInfo: no context", kContext,
            {
              return without_context(driver, s, [&] {
                std::size_t a, b;
                return DRIVER(cuMemGetInfo)(&a, &b);
              });
            }),
      WRONG("cuMemcpyHtoD: no context", kContext,
            {
              return without_context(driver, s, [&] {
                int v = 0;
                return DRIVER(cuMemcpyHtoD)(s.buffer, &v, 4);
              });
            }),
      WRONG("cuMemAllocHost: no context", kContext,
            {
              return without_context(driver, s, [&] {
                void* p;
                return DRIVER(cuMemAllocHost)(&p, 16);
              });
            }),
      WRONG("cuModuleLoadData: no context", kContext,
            { return without_context(driver, s, [&] { return load(driver, kText); }); }),
      WRONG("cuStreamCreate: no context", kContext,
            { return without_context(driver, s, [&] { return make_stream(driver, 0); }); }),
      WRONG("cuStreamSynchronize: null stream, no context", kContext,
            {
              return without_context(driver, s,
                                     [&] { return DRIVER(cuStreamSynchronize)(nullptr); });
            }),
      WRONG("cuEventCreate: no context", kContext,
            { return without_context(driver, s, [&] { return make_event(driver, 0); }); }),
      WRONG("cuLaunchKernel: no context", kContext,
            {
              return without_context(driver, s, [&] { return launch(driver, s.function, {}, {}); });
            }),
      WRONG("cuArrayCreate: no context", kContext,
            {
              return without_context(
                  driver, s, [&] { return make_array(driver, 8, 4, CU_AD_FORMAT_FLOAT, 1); });
            }),
      WRONG("cuTexObjectCreate: no context", kContext,
            {
              return without_context(
                  driver, s, [&] { return make_texture(driver, resource_of(s.array), {}); });
            }),
      WRONG("cuMemFree: null, no context", CUDA_SUCCESS,
            { return without_context(driver, s, [&] { return DRIVER(cuMemFree)(0); }); }),
      WRONG("cuLinkCreate: no context", kContext,
            {
              return without_context(driver, s, [&] {
                CUlinkState l;
                return DRIVER(cuLinkCreate)(0, nullptr, nullptr, &l);
              });
            }),
  };
}

}  // namespace warpmark::test
