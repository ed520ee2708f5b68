// Devices: their attributes and properties, versions, and how to find one.

#include "api.hpp"
#include "properties.hpp"
#include "runtime.hpp"

namespace warpmark::cudart {
namespace {

template <typename Number>
void get(CUdevice device, CUdevice_attribute attribute, Number& into) {
  int value = 0;
  if (driver().cuDeviceGetAttribute(&value, attribute, device) == CUDA_SUCCESS)
    into = static_cast<Number>(value);
}

// Reads the properties that are not attributes of the driver.
template <typename Properties>
cudaError_t read_names(Properties& all, CUdevice device) {
  CUresult result = driver().cuDeviceGetName(all.name, sizeof all.name, device);
  if (result == CUDA_SUCCESS) result = driver().cuDeviceGetUuid(same<CUuuid>(&all.uuid), device);
  if (result == CUDA_SUCCESS) result = driver().cuDeviceTotalMem(&all.totalGlobalMem, device);
  driver().cuDeviceGetLuid(all.luid, &all.luidDeviceNodeMask, device);
  return error_of(result);
}

template <typename Properties>
void read_common(Properties& all, CUdevice device) {
#define FIELD(field, attribute) get(device, CU_DEVICE_ATTRIBUTE_##attribute, all.field);
#define FIELD12(field, attribute)
#define FIELD13(field, attribute)
#include "properties.def"
}

}  // namespace

cudaError_t read_properties(cudaDeviceProp& properties, int device) {
  cudaDeviceProp all{};
  const cudaError_t result = read_names(all, device);
  if (result != cudaSuccess) return result;
  read_common(all, device);
#define FIELD(field, attribute)
#define FIELD12(field, attribute)
#define FIELD13(field, attribute) get(device, CU_DEVICE_ATTRIBUTE_##attribute, all.field);
#include "properties.def"
  properties = all;
  return cudaSuccess;
}

cudaError_t read_properties(Properties12& properties, int device) {
  Properties12 all{};
  const cudaError_t result = read_names(all, device);
  if (result != cudaSuccess) return result;
  read_common(all, device);
#define FIELD(field, attribute)
#define FIELD12(field, attribute) get(device, CU_DEVICE_ATTRIBUTE_##attribute, all.field);
#define FIELD13(field, attribute)
#include "properties.def"
  properties = all;
  return cudaSuccess;
}

namespace api {

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return properties == nullptr ? cudaErrorInvalidValue : read_properties(*properties, device);
}

// The first whose compute capability is enough: the program says no more in most cases.
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* wanted) {
  if (device == nullptr || wanted == nullptr) return cudaErrorInvalidValue;
  int count = 0;
  const cudaError_t result = api::cudaGetDeviceCount(&count);
  if (result != cudaSuccess) return result;
  *device = 0;
  for (int each = 0; each < count; ++each) {
    int major = 0, minor = 0;
    get(each, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, major);
    get(each, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, minor);
    if (major < wanted->major || (major == wanted->major && minor < wanted->minor)) continue;
    *device = each;
    break;
  }
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  if (version == nullptr) return cudaErrorInvalidValue;
  *version = kRuntimeVersion;
  return cudaSuccess;
}

// The version is one of the driver's interface. Flags of 0 select the stream mode that the program
// was compiled for.
cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function,
                                             unsigned int version, unsigned long long flags,
                                             cudaDriverEntryPointQueryResult* status) {
  if (symbol == nullptr || function == nullptr) return cudaErrorInvalidValue;
  cuuint64_t wanted = flags;
  if (flags == cudaEnableDefault)
    wanted = PerThreadDefault::active() ? CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM
                                        : CU_GET_PROC_ADDRESS_LEGACY_STREAM;
  CUdriverProcAddressQueryResult found{};
  const CUresult result =
      driver().get_proc_address(symbol, function, static_cast<int>(version), wanted, &found);
  if (status != nullptr) *status = static_cast<cudaDriverEntryPointQueryResult>(found);
  // With a status to look at, a name that the driver lacks is no error.
  return result == CUDA_ERROR_NOT_FOUND && status != nullptr ? cudaSuccess : error_of(result);
}

cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* status) {
  return api::cudaGetDriverEntryPointByVersion(
      symbol, function, static_cast<unsigned int>(kRuntimeVersion), flags, status);
}

}  // namespace api
}  // namespace warpmark::cudart
