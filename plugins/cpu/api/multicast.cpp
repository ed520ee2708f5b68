// cuMulticast…: memory of several devices that kernels reach by one address.
#include <cstdint>
#include <memory>
#include <string>

#include "api/state.hpp"
#include "memory/multicast.hpp"

namespace warpmark::cpu {
namespace {

constexpr std::uint64_t kMulticastGranule = PhysicalMemory::kGranularity;

CUresult check_properties(const CUmulticastObjectProp* properties) {
  if (properties == nullptr || properties->size == 0 || properties->flags != 0 ||
      properties->numDevices == 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (properties->numDevices > driver().devices.size())
    return fail(CUDA_ERROR_INVALID_VALUE, "there are " + std::to_string(driver().devices.size()) +
                                              " devices, and the object is to have " +
                                              std::to_string(properties->numDevices));
  if (properties->handleTypes != 0)
    return fail(CUDA_ERROR_NOT_SUPPORTED,
                "multicast objects are not shared with other processes on this device");
  return CUDA_SUCCESS;
}

template <typename Body>
CUresult with_multicast(const char* name, CUmemGenericAllocationHandle handle, Body body) {
  return initialised(name, [&]() -> CUresult {
    MemoryHandle* found = find_in(driver().memory_handles, handle);
    return found == nullptr || found->multicast == nullptr
               ? fail(CUDA_ERROR_INVALID_VALUE, "the handle is not that of a multicast object")
               : body(*found->multicast);
  });
}

bool is_inside(std::uint64_t offset, std::uint64_t bytes, std::uint64_t all) {
  return bytes != 0 && offset % kMulticastGranule == 0 && bytes % kMulticastGranule == 0 &&
         offset <= all && bytes <= all - offset;
}

CUresult bind_memory(Multicast& object, std::uint64_t offset,
                     const std::shared_ptr<PhysicalMemory>& memory, std::uint64_t memory_offset,
                     std::uint64_t bytes, unsigned long long flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  // A driver waits for the devices, whose only thread this may be.
  if (!object.complete())
    return fail(CUDA_ERROR_INVALID_VALUE, "devices of the multicast object are still to be added");
  if (!object.has(memory->device()))
    return fail(CUDA_ERROR_INVALID_VALUE,
                "the memory is of a device that was not added to the multicast object");
  if (!is_inside(offset, bytes, object.bytes()) ||
      !is_inside(memory_offset, bytes, memory->bytes()))
    return fail(
        CUDA_ERROR_INVALID_VALUE,
        "the range leaves the memory or the object, or is no multiple of the granularity, " +
            std::to_string(kMulticastGranule));
  // Writes by this way are not followed, so all bytes count as written.
  if (driver().virtual_memory != nullptr)
    driver().virtual_memory->assume_values(*memory);
  else
    memory->has_values = true;
  return object.bind(offset, memory, memory_offset, bytes)
             ? CUDA_SUCCESS
             : fail(CUDA_ERROR_INVALID_VALUE, "memory of the device is bound there");
}

}  // namespace
}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuMulticastGetGranularity(size_t* granularity, const CUmulticastObjectProp* properties,
                                   CUmulticastGranularity_flags option) {
  return initialised("cuMulticastGetGranularity", [&]() -> CUresult {
    if (granularity == nullptr || number_in(option) > CU_MULTICAST_GRANULARITY_RECOMMENDED)
      return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = check_properties(properties);
    return result != CUDA_SUCCESS ? result : give(granularity, kMulticastGranule);
  });
}

CUresult cuMulticastCreate(CUmemGenericAllocationHandle* handle,
                           const CUmulticastObjectProp* properties) {
  return initialised("cuMulticastCreate", [&]() -> CUresult {
    if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = check_properties(properties);
    if (result != CUDA_SUCCESS) return result;
    if (properties->size % kMulticastGranule != 0)
      return fail(CUDA_ERROR_INVALID_VALUE, std::to_string(properties->size) +
                                                " bytes are not a multiple of the granularity, " +
                                                std::to_string(kMulticastGranule));
    *handle = driver().next_memory_handle++;
    driver().memory_handles[*handle] = {
        nullptr, 1, "cuMulticastCreate",
        std::make_shared<Multicast>(properties->size, properties->numDevices)};
    return CUDA_SUCCESS;
  });
}

CUresult cuMulticastAddDevice(CUmemGenericAllocationHandle handle, CUdevice device) {
  return with_multicast("cuMulticastAddDevice", handle, [&](Multicast& object) -> CUresult {
    if (!driver().is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    if (object.complete() || object.has(device))
      return fail(CUDA_ERROR_INVALID_VALUE, "the object has all its devices, or has this one");
    object.add(device);
    return CUDA_SUCCESS;
  });
}

CUresult cuMulticastBindMem(CUmemGenericAllocationHandle handle, size_t offset,
                            CUmemGenericAllocationHandle memory, size_t memory_offset, size_t bytes,
                            unsigned long long flags) {
  return with_multicast("cuMulticastBindMem", handle, [&](Multicast& object) -> CUresult {
    const MemoryHandle* found = find_in(driver().memory_handles, memory);
    if (found == nullptr || found->memory == nullptr)
      return fail(CUDA_ERROR_INVALID_VALUE, "the handle is not that of live memory");
    return bind_memory(object, offset, found->memory, memory_offset, bytes, flags);
  });
}

CUresult cuMulticastBindAddr(CUmemGenericAllocationHandle handle, size_t offset,
                             CUdeviceptr address, size_t bytes, unsigned long long flags) {
  return with_multicast("cuMulticastBindAddr", handle, [&](Multicast& object) -> CUresult {
    const VirtualMemory::Mapping* mapping =
        driver().virtual_memory == nullptr ? nullptr : driver().virtual_memory->mapping_at(address);
    if (mapping == nullptr)
      return fail(CUDA_ERROR_INVALID_VALUE, "no handle's memory is mapped at the address");
    return bind_memory(object, offset, mapping->memory,
                       mapping->offset + (address - mapping->address), bytes, flags);
  });
}

CUresult cuMulticastUnbind(CUmemGenericAllocationHandle handle, CUdevice device, size_t offset,
                           size_t bytes) {
  return with_multicast("cuMulticastUnbind", handle, [&](Multicast& object) -> CUresult {
    if (!driver().is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    return object.unbind(device, offset, bytes)
               ? CUDA_SUCCESS
               : fail(CUDA_ERROR_INVALID_VALUE,
                      "the range is not that of one or several whole bindings of the device");
  });
}

}  // extern "C"
