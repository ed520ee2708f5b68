// Driver version and device properties.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include "api/array.hpp"
#include "api/state.hpp"

namespace warpmark::cpu {
namespace {

constexpr std::string_view kName = "Warpmark CPU device";

struct Attribute {
  CUdevice_attribute which;
  int value;
};

// Attributes of CUDA 12.8 and 12.9: CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED and
// CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED.
constexpr auto kHostNumaPools = static_cast<CUdevice_attribute>(142),
               kHostPools = static_cast<CUdevice_attribute>(144);

// An H200's figures where a kernel or an occupancy computation depends on them; 0 for features that
// this device lacks.
constexpr Attribute kAttributes[] = {
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, DeviceProperties::shared_per_block},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
     DeviceProperties::shared_per_block_optin},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 228 << 10},
    {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 1024},
    {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 64 << 10},
    {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
    {CU_DEVICE_ATTRIBUTE_MAX_PITCH, 2147483647},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
    {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1980000},            // kHz
    {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 3201000},     // kHz
    {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 6144},  // bits
    {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 60 << 20},
    {CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE, 0},
    {CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, 512},
    {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, DeviceProperties::multiprocessors},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32},
    {CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT, 0},
    {CU_DEVICE_ATTRIBUTE_INTEGRATED, 0},
    {CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, CU_COMPUTEMODE_DEFAULT},
    {CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1},
    {CU_DEVICE_ATTRIBUTE_SPARSE_CUDA_ARRAY_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_ECC_ENABLED, 0},
    {CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, 0},
    {CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, 0},
    {CU_DEVICE_ATTRIBUTE_TCC_DRIVER, 0},
    {CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 3},
    {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1},
    {CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 1},
    {CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 1},
    {CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, 0},
    {CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD, 0},
    {CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_GPU_OVERLAP, 1},
    {CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES, 0},
    {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 1},
    {CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID, 0},
    {kHostNumaPools, 1},
    {kHostPools, 1},
    {CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR},
    {CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED, 0},
    {CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED, 0},
    {CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED, 0},
    {CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH, ImageLimits::width_1d},
    {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH, ImageLimits::linear_1d},
    {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH, ImageLimits::layered},
    {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS, ImageLimits::layers},
    {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH, ImageLimits::width_2d},
    {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT, ImageLimits::height_2d},
    {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH, ImageLimits::linear_width},
    {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT, ImageLimits::linear_height},
    {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH, ImageLimits::linear_pitch},
    {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH, ImageLimits::layered},
    {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT, ImageLimits::layered},
    {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS, ImageLimits::layers},
    {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_WIDTH, ImageLimits::gather},
    {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT, ImageLimits::gather},
    {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH, ImageLimits::size_3d},
    {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT, ImageLimits::size_3d},
    {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH, ImageLimits::size_3d},
    {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_WIDTH, ImageLimits::cube},
    {CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH, ImageLimits::surface_1d},
    {CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH, ImageLimits::width_2d},
    {CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT, ImageLimits::height_2d},
    {CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH, ImageLimits::size_3d},
    {CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT, ImageLimits::size_3d},
    {CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH, ImageLimits::size_3d},
    {CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT, ImageLimits::pitch_alignment},
    {CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT, ImageLimits::alignment},
    {CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO, 2},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 1},
};

template <typename Body>
CUresult with_device(const char* name, CUdevice device, Body body) {
  return initialised(name, [&]() -> CUresult {
    return driver().is_device(device) ? body() : CUDA_ERROR_INVALID_DEVICE;
  });
}

CUresult uuid_of(CUuuid* uuid, CUdevice device) {
  constexpr char bytes[17] = "warpmark-cpu-dev";
  std::memcpy(uuid->bytes, bytes, sizeof uuid->bytes);
  uuid->bytes[15] = static_cast<char>(uuid->bytes[15] + device);
  return CUDA_SUCCESS;
}

// Devices of one bus, as 0000:00:00.0 and up; there is no such bus.
std::string bus_id(CUdevice device) {
  char text[16];
  std::snprintf(text, sizeof text, "0000:%02X:00.0", static_cast<unsigned>(device) & 0xff);
  return text;
}

}  // namespace
}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuInit(unsigned int flags) {
  return enter("cuInit", [&]() -> CUresult {
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    if (driver().devices.empty()) return CUDA_ERROR_NO_DEVICE;
    driver().initialised = true;
    refuse_forks();
    return CUDA_SUCCESS;
  });
}

CUresult cuDriverGetVersion(int* version) {
  return give(version, driver().properties.driver_version);
}

CUresult cuDeviceGetCount(int* count) {
  return initialised("cuDeviceGetCount",
                     [&]() { return give(count, static_cast<int>(driver().devices.size())); });
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return with_device("cuDeviceGet", ordinal, [&]() { return give(device, ordinal); });
}

CUresult cuDeviceGetName(char* name, int size, CUdevice device) {
  return with_device("cuDeviceGetName", device, [&]() -> CUresult {
    if (name == nullptr || size <= 0) return CUDA_ERROR_INVALID_VALUE;
    const std::size_t count = std::min(kName.size(), static_cast<std::size_t>(size) - 1);
    std::memcpy(name, kName.data(), count);
    name[count] = '\0';
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  return with_device("cuDeviceGetAttribute", device, [&]() -> CUresult {
    const unsigned int which = number_in(attribute);
    if (value == nullptr || which == 0 || which >= CU_DEVICE_ATTRIBUTE_MAX)
      return CUDA_ERROR_INVALID_VALUE;
    *value = 0;
    if (which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) *value = driver().properties.major;
    if (which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR) *value = driver().properties.minor;
    if (which == CU_DEVICE_ATTRIBUTE_PCI_BUS_ID) *value = device;
    if (which == CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED)
      *value = driver().properties.major >= 9;
    for (const Attribute& row : kAttributes) {
      if (row.which == which) *value = row.value;
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  return with_device("cuDeviceComputeCapability", device, [&]() -> CUresult {
    if (major == nullptr || minor == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *major = driver().properties.major;
    *minor = driver().properties.minor;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice device) {
  return with_device("cuDeviceTotalMem", device,
                     [&]() { return give(bytes, driver().properties.memory); });
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  return with_device("cuDeviceGetUuid", device, [&] {
    return uuid == nullptr ? CUDA_ERROR_INVALID_VALUE : uuid_of(uuid, device);
  });
}
CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
  return cuDeviceGetUuid(uuid, device);
}

CUresult cuDeviceGetPCIBusId(char* text, int size, CUdevice device) {
  return with_device("cuDeviceGetPCIBusId", device, [&]() -> CUresult {
    const std::string id = bus_id(device);
    if (text == nullptr || size <= 0 || static_cast<std::size_t>(size) <= id.size())
      return CUDA_ERROR_INVALID_VALUE;
    std::memcpy(text, id.c_str(), id.size() + 1);
    return CUDA_SUCCESS;
  });
}

// [domain:]bus:device[.function], in hexadecimal.
CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* text) {
  return initialised("cuDeviceGetByPCIBusId", [&]() -> CUresult {
    if (device == nullptr || text == nullptr) return CUDA_ERROR_INVALID_VALUE;
    unsigned int domain = 0, bus = 0, slot = 0, function = 0;
    if (std::sscanf(text, "%x:%x:%x.%x", &domain, &bus, &slot, &function) < 3) {
      domain = function = 0;
      if (std::sscanf(text, "%x:%x.%x", &bus, &slot, &function) < 2)
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (domain != 0 || slot != 0 || function != 0 || bus >= driver().devices.size())
      return CUDA_ERROR_INVALID_DEVICE;
    *device = static_cast<CUdevice>(bus);
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetProperties(CUdevprop* properties, CUdevice device) {
  return with_device("cuDeviceGetProperties", device, [&]() -> CUresult {
    if (properties == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *properties = {};
    properties->maxThreadsPerBlock = 1024;
    const int threads[3] = {1024, 1024, 64}, grid[3] = {2147483647, 65535, 65535};
    std::copy_n(threads, 3, properties->maxThreadsDim);
    std::copy_n(grid, 3, properties->maxGridSize);
    properties->sharedMemPerBlock = DeviceProperties::shared_per_block;
    properties->totalConstantMemory = 64 << 10;
    properties->SIMDWidth = 32;
    properties->memPitch = 2147483647;
    properties->regsPerBlock = 65536;
    properties->clockRate = 1980000;
    properties->textureAlign = 512;
    return CUDA_SUCCESS;
  });
}

// Elements of every size count alike here.
CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t* width, CUarray_format format,
                                            unsigned int channels, CUdevice device) {
  return with_device("cuDeviceGetTexture1DLinearMaxWidth", device, [&]() -> CUresult {
    if (width == nullptr || !texel_format(number_in(format), channels))
      return CUDA_ERROR_INVALID_VALUE;
    *width = ImageLimits::linear_1d;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetExecAffinitySupport(int* supported, CUexecAffinityType type, CUdevice device) {
  return with_device("cuDeviceGetExecAffinitySupport", device, [&]() -> CUresult {
    if (supported == nullptr || number_in(type) != CU_EXEC_AFFINITY_TYPE_SM_COUNT)
      return CUDA_ERROR_INVALID_VALUE;
    *supported = 0;
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
