// cuGetProcAddress: which function a client of a given CUDA version means by a name.
#include "api/state.hpp"

namespace warpmark::cpu {
namespace {

struct EntryPoint {
  std::string_view name;
  int version;  ///< CUDA version that introduced this form, as in cudaTypedefs.h: 12040 is 12.4
  void* function;
};

template <typename Function>
void* pointer(Function* function) {
  return reinterpret_cast<void*>(function);
}

const EntryPoint kEntryPoints[] = {
    {"cuInit", 2000, pointer(cuInit)},
    {"cuDriverGetVersion", 2020, pointer(cuDriverGetVersion)},
    {"cuDeviceGet", 2000, pointer(cuDeviceGet)},
    {"cuDeviceGetCount", 2000, pointer(cuDeviceGetCount)},
    {"cuDeviceGetName", 2000, pointer(cuDeviceGetName)},
    {"cuDeviceGetAttribute", 2000, pointer(cuDeviceGetAttribute)},
    {"cuDeviceComputeCapability", 2000, pointer(cuDeviceComputeCapability)},
    {"cuDeviceTotalMem", 3020, pointer(cuDeviceTotalMem_v2)},
    {"cuDeviceGetUuid", 9020, pointer(cuDeviceGetUuid)},
    {"cuDeviceGetUuid", 11040, pointer(cuDeviceGetUuid_v2)},
    {"cuDevicePrimaryCtxRetain", 7000, pointer(cuDevicePrimaryCtxRetain)},
    {"cuDevicePrimaryCtxRelease", 7000, pointer(cuDevicePrimaryCtxRelease_v2)},
    {"cuDevicePrimaryCtxReset", 7000, pointer(cuDevicePrimaryCtxReset_v2)},
    {"cuDevicePrimaryCtxGetState", 7000, pointer(cuDevicePrimaryCtxGetState)},
    {"cuDevicePrimaryCtxSetFlags", 7000, pointer(cuDevicePrimaryCtxSetFlags_v2)},
    {"cuCtxCreate", 3020, pointer(cuCtxCreate_v2)},
    {"cuCtxDestroy", 4000, pointer(cuCtxDestroy_v2)},
    {"cuCtxPushCurrent", 4000, pointer(cuCtxPushCurrent_v2)},
    {"cuCtxPopCurrent", 4000, pointer(cuCtxPopCurrent_v2)},
    {"cuCtxSetCurrent", 4000, pointer(cuCtxSetCurrent)},
    {"cuCtxGetCurrent", 4000, pointer(cuCtxGetCurrent)},
    {"cuCtxGetDevice", 2000, pointer(cuCtxGetDevice)},
    {"cuCtxGetDevice", 13000, pointer(device_of_context)},
    {"cuCtxGetFlags", 7000, pointer(cuCtxGetFlags)},
    {"cuCtxGetApiVersion", 3020, pointer(cuCtxGetApiVersion)},
    {"cuCtxSynchronize", 2000, pointer(cuCtxSynchronize)},
    {"cuCtxSynchronize", 13000, pointer(synchronize_context)},
    {"cuCtxGetLimit", 3010, pointer(cuCtxGetLimit)},
    {"cuCtxSetLimit", 3010, pointer(cuCtxSetLimit)},
    {"cuCtxGetStreamPriorityRange", 5050, pointer(cuCtxGetStreamPriorityRange)},
    {"cuModuleLoad", 2000, pointer(cuModuleLoad)},
    {"cuModuleLoadData", 2000, pointer(cuModuleLoadData)},
    {"cuModuleLoadDataEx", 2010, pointer(cuModuleLoadDataEx)},
    {"cuModuleUnload", 2000, pointer(cuModuleUnload)},
    {"cuModuleGetFunction", 2000, pointer(cuModuleGetFunction)},
    {"cuModuleGetGlobal", 3020, pointer(cuModuleGetGlobal_v2)},
    {"cuLinkCreate", 6050, pointer(cuLinkCreate_v2)},
    {"cuLinkAddData", 6050, pointer(cuLinkAddData_v2)},
    {"cuLinkAddFile", 6050, pointer(cuLinkAddFile_v2)},
    {"cuLinkComplete", 5050, pointer(cuLinkComplete)},
    {"cuLinkDestroy", 5050, pointer(cuLinkDestroy)},
    {"cuFuncGetAttribute", 2020, pointer(cuFuncGetAttribute)},
    {"cuFuncSetAttribute", 9000, pointer(cuFuncSetAttribute)},
    {"cuFuncSetCacheConfig", 3000, pointer(cuFuncSetCacheConfig)},
    {"cuFuncGetModule", 11000, pointer(cuFuncGetModule)},
    {"cuFuncGetParamInfo", 12040, pointer(cuFuncGetParamInfo)},
    {"cuMemGetInfo", 3020, pointer(cuMemGetInfo_v2)},
    {"cuMemAlloc", 3020, pointer(cuMemAlloc_v2)},
    {"cuMemAllocPitch", 3020, pointer(cuMemAllocPitch_v2)},
    {"cuMemFree", 3020, pointer(cuMemFree_v2)},
    {"cuMemGetAddressRange", 3020, pointer(cuMemGetAddressRange_v2)},
    {"cuMemHostAlloc", 2020, pointer(cuMemHostAlloc)},
    {"cuMemAllocHost", 3020, pointer(cuMemAllocHost_v2)},
    {"cuMemFreeHost", 2000, pointer(cuMemFreeHost)},
    {"cuMemHostRegister", 6050, pointer(cuMemHostRegister_v2)},
    {"cuMemHostUnregister", 4000, pointer(cuMemHostUnregister)},
    {"cuMemcpy", 4000, pointer(cuMemcpy)},
    {"cuMemcpyAsync", 4000, pointer(cuMemcpyAsync)},
    {"cuMemcpyHtoD", 3020, pointer(cuMemcpyHtoD_v2)},
    {"cuMemcpyDtoH", 3020, pointer(cuMemcpyDtoH_v2)},
    {"cuMemcpyDtoD", 3020, pointer(cuMemcpyDtoD_v2)},
    {"cuMemcpyHtoDAsync", 3020, pointer(cuMemcpyHtoDAsync_v2)},
    {"cuMemcpyDtoHAsync", 3020, pointer(cuMemcpyDtoHAsync_v2)},
    {"cuMemcpyDtoDAsync", 3020, pointer(cuMemcpyDtoDAsync_v2)},
    {"cuMemsetD8", 3020, pointer(cuMemsetD8_v2)},
    {"cuMemsetD16", 3020, pointer(cuMemsetD16_v2)},
    {"cuMemsetD32", 3020, pointer(cuMemsetD32_v2)},
    {"cuMemsetD8Async", 3020, pointer(cuMemsetD8Async)},
    {"cuMemsetD16Async", 3020, pointer(cuMemsetD16Async)},
    {"cuMemsetD32Async", 3020, pointer(cuMemsetD32Async)},
    {"cuPointerGetAttribute", 4000, pointer(cuPointerGetAttribute)},
    {"cuStreamCreate", 2000, pointer(cuStreamCreate)},
    {"cuStreamCreateWithPriority", 5050, pointer(cuStreamCreateWithPriority)},
    {"cuStreamDestroy", 4000, pointer(cuStreamDestroy_v2)},
    {"cuStreamSynchronize", 2000, pointer(cuStreamSynchronize)},
    {"cuStreamQuery", 2000, pointer(cuStreamQuery)},
    {"cuStreamWaitEvent", 3020, pointer(cuStreamWaitEvent)},
    {"cuStreamGetPriority", 5050, pointer(cuStreamGetPriority)},
    {"cuStreamGetFlags", 5050, pointer(cuStreamGetFlags)},
    {"cuEventCreate", 2000, pointer(cuEventCreate)},
    {"cuEventRecord", 2000, pointer(cuEventRecord)},
    {"cuEventQuery", 2000, pointer(cuEventQuery)},
    {"cuEventSynchronize", 2000, pointer(cuEventSynchronize)},
    {"cuEventDestroy", 4000, pointer(cuEventDestroy_v2)},
    {"cuEventElapsedTime", 2000, pointer(cuEventElapsedTime)},
    {"cuEventElapsedTime", 12080, pointer(cuEventElapsedTime_v2)},
    {"cuLaunchKernel", 4000, pointer(cuLaunchKernel)},
    {"cuLaunchKernelEx", 11060, pointer(cuLaunchKernelEx)},
    {"cuLaunchCooperativeKernel", 9000, pointer(cuLaunchCooperativeKernel)},
    {"cuOccupancyMaxActiveBlocksPerMultiprocessor", 6050,
     pointer(cuOccupancyMaxActiveBlocksPerMultiprocessor)},
    {"cuGetErrorName", 6000, pointer(cuGetErrorName)},
    {"cuGetErrorString", 6000, pointer(cuGetErrorString)},
    {"cuGetExportTable", 3000, pointer(cuGetExportTable)},
    {"cuGetProcAddress", 11030, pointer(cuGetProcAddress)},
    {"cuGetProcAddress", 12000, pointer(cuGetProcAddress_v2)},
#if CUDA_VERSION >= 12050
    {"cuCtxCreate", 12050, pointer(cuCtxCreate_v4)},
#endif
};

}  // namespace

void* find_entry_point(std::string_view name, int version) {
  const EntryPoint* best = nullptr;
  for (const EntryPoint& entry : kEntryPoints) {
    if (entry.name == name && entry.version <= version &&
        (best == nullptr || entry.version > best->version))
      best = &entry;
  }
  return best == nullptr ? nullptr : best->function;
}

}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuGetProcAddress_v2(const char* symbol, void** function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* status) {
  if (symbol == nullptr || function == nullptr || version > DeviceProperties::driver_version ||
      flags > 2) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  // An unknown name is not an error: the pointer is null, and the status says why.
  *function = find_entry_point(symbol, version);
  if (status != nullptr) {
    *status = *function != nullptr ? CU_GET_PROC_ADDRESS_SUCCESS
              : find_entry_point(symbol, DeviceProperties::driver_version) != nullptr
                  ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                  : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  }
  return CUDA_SUCCESS;
}

CUresult cuGetProcAddress(const char* symbol, void** function, int version, cuuint64_t flags) {
  const CUresult result = cuGetProcAddress_v2(symbol, function, version, flags, nullptr);
  return result == CUDA_SUCCESS && *function == nullptr ? CUDA_ERROR_NOT_FOUND : result;
}

// NVIDIA's runtime library asks for tables that are documented nowhere; it cannot use this driver.
CUresult cuGetExportTable(const void** table, const CUuuid*) {
  if (table != nullptr) *table = nullptr;
  return CUDA_ERROR_NOT_SUPPORTED;
}

}  // extern "C"
