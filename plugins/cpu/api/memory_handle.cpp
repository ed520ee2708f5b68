// Memory without an address: its handles, what they are of, and sharing it with other processes.
#include <cstdint>

#include "api/mistake.hpp"
#include "api/state.hpp"

namespace warpmark::cpu {
namespace {

constexpr unsigned int kKnownHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR |
                                           CU_MEM_HANDLE_TYPE_WIN32 | CU_MEM_HANDLE_TYPE_WIN32_KMT |
                                           CU_MEM_HANDLE_TYPE_FABRIC;

// Checks an allocation's description for cuMemCreate and cuMemGetAllocationGranularity.
CUresult check_properties(const CUmemAllocationProp* properties) {
  if (properties == nullptr || number_in(properties->type) != CU_MEM_ALLOCATION_TYPE_PINNED ||
      properties->win32HandleMetaData != nullptr)
    return CUDA_ERROR_INVALID_VALUE;
  // Unknown types are accepted, as by driver 580.
  const unsigned int types = number_in(properties->requestedHandleTypes) & kKnownHandleTypes;
  const unsigned int place = number_in(properties->location.type);
  if (place == CU_MEM_LOCATION_TYPE_INVALID || place > CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT)
    return CUDA_ERROR_INVALID_VALUE;
  if (place != CU_MEM_LOCATION_TYPE_DEVICE)
    return fail(CUDA_ERROR_NOT_SUPPORTED, "the memory of handles is the device's alone here");
  if (!driver().is_device(properties->location.id)) return CUDA_ERROR_INVALID_DEVICE;
  if ((types & (unsigned{CU_MEM_HANDLE_TYPE_WIN32} | unsigned{CU_MEM_HANDLE_TYPE_WIN32_KMT})) != 0)
    return fail(CUDA_ERROR_INVALID_VALUE, "handles of Windows are not of this system");
  if ((types & ~unsigned{CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR}) != 0)
    return fail(CUDA_ERROR_NOT_SUPPORTED,
                "of the types of shareable handles this device has POSIX file descriptors");
  return CUDA_SUCCESS;
}

template <typename Body>
CUresult with_handle(const char* name, CUmemGenericAllocationHandle handle, Body body) {
  return initialised(name, [&]() -> CUresult {
    MemoryHandle* found = find_in(driver().memory_handles, handle);
    return found == nullptr || found->memory == nullptr
               ? fail(CUDA_ERROR_INVALID_VALUE, "the handle is not that of live memory")
               : body(*found);
  });
}

// Returns whether some context checks for bytes that were never written.
bool tracks_values() {
  if (driver().default_limits.checks.init) return true;
  for (const auto& [handle, context] : driver().contexts) {
    if (context->launch_limits.checks.init) return true;
  }
  return false;
}

// The most that a context of the device holds: each has the capacity for itself.
std::uint64_t used_on(int device) {
  std::uint64_t most = driver().device(device).physical_used;
  for (const auto& [handle, context] : driver().contexts) {
    if (context->device == device) most = std::max(most, context->arena.used());
  }
  return most;
}

CUmemGenericAllocationHandle add_handle(const std::shared_ptr<PhysicalMemory>& memory,
                                        const char* by) {
  memory->handle = driver().next_memory_handle++;
  driver().memory_handles[memory->handle] = {memory, 1, by};
  return memory->handle;
}

}  // namespace
}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuMemGetAllocationGranularity(size_t* granularity, const CUmemAllocationProp* properties,
                                       CUmemAllocationGranularity_flags option) {
  return initialised("cuMemGetAllocationGranularity", [&]() -> CUresult {
    if (granularity == nullptr || number_in(option) > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)
      return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = check_properties(properties);
    return result != CUDA_SUCCESS ? result : give(granularity, PhysicalMemory::kGranularity);
  });
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t bytes,
                     const CUmemAllocationProp* properties, unsigned long long flags) {
  return initialised("cuMemCreate", [&]() -> CUresult {
    if (handle == nullptr || flags != 0 || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = check_properties(properties);
    if (result != CUDA_SUCCESS) return result;
    if (bytes % PhysicalMemory::kGranularity != 0)
      return fail(CUDA_ERROR_INVALID_VALUE, std::to_string(bytes) +
                                                " bytes are not a multiple of the granularity, " +
                                                std::to_string(PhysicalMemory::kGranularity));
    const int device = properties->location.id;
    const std::uint64_t all = driver().properties.memory;
    const std::uint64_t left = all - std::min(all, used_on(device));
    if (bytes > left) return out_of_memory("cuMemCreate", bytes, left);
    const bool tracked = tracks_values();
    if (tracked && driver().virtual_memory != nullptr) driver().virtual_memory->track_values();
    const std::shared_ptr<PhysicalMemory> memory =
        PhysicalMemory::create(device, bytes, number_in(properties->requestedHandleTypes), !tracked,
                               driver().device(device).physical_used);
    if (memory == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    memory->tile_pool = (properties->allocFlags.usage & CU_MEM_CREATE_USAGE_TILE_POOL) != 0;
    *handle = add_handle(memory, "cuMemCreate");
    return CUDA_SUCCESS;
  });
}

// Mapped memory stays until it is unmapped.
CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return initialised("cuMemRelease", [&]() -> CUresult {
    MemoryHandle* found = find_in(driver().memory_handles, handle);
    if (found == nullptr)
      return fail(CUDA_ERROR_INVALID_VALUE, "the handle is not that of live memory");
    if (--found->references == 0) driver().memory_handles.erase(handle);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* address) {
  return initialised("cuMemRetainAllocationHandle", [&]() -> CUresult {
    if (handle == nullptr || driver().virtual_memory == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const VirtualMemory::Mapping* mapping =
        driver().virtual_memory->mapping_at(reinterpret_cast<std::uint64_t>(address));
    if (mapping == nullptr || mapping->memory->handle == 0)
      return fail(CUDA_ERROR_INVALID_VALUE, "no handle's memory is mapped at the address");
    *handle = mapping->memory->handle;
    MemoryHandle& held = driver().memory_handles[*handle];
    if (held.memory == nullptr)
      held = {mapping->memory, 1, "cuMemRetainAllocationHandle"};
    else
      ++held.references;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* properties,
                                                CUmemGenericAllocationHandle handle) {
  return with_handle("cuMemGetAllocationPropertiesFromHandle", handle,
                     [&](const MemoryHandle& found) -> CUresult {
                       if (properties == nullptr) return CUDA_ERROR_INVALID_VALUE;
                       *properties = {};
                       properties->type = CU_MEM_ALLOCATION_TYPE_PINNED;
                       properties->requestedHandleTypes =
                           static_cast<CUmemAllocationHandleType>(found.memory->handle_types());
                       properties->location.type = CU_MEM_LOCATION_TYPE_DEVICE;
                       properties->location.id = found.memory->device();
                       if (found.memory->tile_pool)
                         properties->allocFlags.usage = CU_MEM_CREATE_USAGE_TILE_POOL;
                       return CUDA_SUCCESS;
                     });
}

CUresult cuMemExportToShareableHandle(void* shareable, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type, unsigned long long flags) {
  return with_handle("cuMemExportToShareableHandle", handle, [&](MemoryHandle& found) -> CUresult {
    if (shareable == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    if (number_in(type) != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ||
        (found.memory->handle_types() & number_in(type)) == 0)
      return fail(CUDA_ERROR_INVALID_VALUE,
                  "the memory was created without this type in requestedHandleTypes");
    const int descriptor = found.memory->export_file();
    if (descriptor < 0) return CUDA_ERROR_OPERATING_SYSTEM;
    // Writes by other processes cannot be followed here, so all bytes count as written.
    if (driver().virtual_memory != nullptr)
      driver().virtual_memory->assume_values(*found.memory);
    else
      found.memory->has_values = true;
    return put(shareable, descriptor);
  });
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* shareable,
                                        CUmemAllocationHandleType type) {
  return initialised("cuMemImportFromShareableHandle", [&]() -> CUresult {
    // A descriptor of 0 is a null pointer.
    if (handle == nullptr || shareable == nullptr || number_in(type) == 0 ||
        (number_in(type) & ~kKnownHandleTypes) != 0)
      return CUDA_ERROR_INVALID_VALUE;
    if (number_in(type) != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
      return CUDA_ERROR_NOT_SUPPORTED;
    const auto descriptor = static_cast<int>(reinterpret_cast<std::intptr_t>(shareable));
    const std::shared_ptr<PhysicalMemory> memory = PhysicalMemory::import(descriptor);
    if (memory == nullptr)
      return fail(CUDA_ERROR_UNKNOWN, "the descriptor is not one of cuMemExportToShareableHandle");
    if (!driver().is_device(memory->device()))
      return fail(CUDA_ERROR_NOT_SUPPORTED, "the memory is of device " +
                                                std::to_string(memory->device()) +
                                                ", which this process does not have");
    *handle = add_handle(memory, "cuMemImportFromShareableHandle");
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
