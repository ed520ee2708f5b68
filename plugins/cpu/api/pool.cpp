// Memory pools and allocation by stream order. Memory is there at once and goes back at once.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "api/capture.hpp"
#include "api/mistake.hpp"
#include "api/owner.hpp"
#include "api/state.hpp"

namespace warpmark::cpu {
namespace {

CUmemoryPool handle(Pool* pool) {
  return reinterpret_cast<CUmemoryPool>(pool);
}

CUresult check_stream(Context& context, CUstream stream) {
  return valid_stream(context, stream) ? check_implicit(context, stream)
                                       : CUDA_ERROR_INVALID_HANDLE;
}

// The devices that have access to the pool may use an allocation of it.
void share(Context& context, CUdeviceptr address, const Pool& pool) {
  const std::uint16_t with = pool.devices(CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  const std::uint16_t to_read = pool.devices(CU_MEM_ACCESS_FLAGS_PROT_READ);
  context.arena.share(address, with, to_read);
}

// A location of a kind of memory that this device has pools of.
CUresult check_place(const CUmemLocation* location, CUmemAllocationType type) {
  constexpr unsigned int managed = 2;  // CU_MEM_ALLOCATION_TYPE_MANAGED, of CUDA 13
  if (location == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const unsigned int place = number_in(location->type), kind = number_in(type);
  const bool host = place == CU_MEM_LOCATION_TYPE_HOST || place == CU_MEM_LOCATION_TYPE_HOST_NUMA;
  if ((kind != CU_MEM_ALLOCATION_TYPE_PINNED && kind != managed) ||
      (place != CU_MEM_LOCATION_TYPE_DEVICE && !host && (kind != managed || place != 0)))
    return CUDA_ERROR_INVALID_VALUE;
  if (kind == managed || host)
    return fail(CUDA_ERROR_NOT_SUPPORTED, "pools are of the device's memory alone here");
  return driver().is_device(location->id) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

// In a stream that is captured, a node that allocates.
CUresult allocate(Context& context, Pool& pool, CUdeviceptr* address, std::size_t bytes,
                  CUstream stream, const char* by) {
  if (address == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (capturing(context, stream)) {
    CUDA_MEM_ALLOC_NODE_PARAMS parameters{};
    parameters.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    parameters.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    parameters.poolProps.location.id = pool.device;
    parameters.bytesize = bytes;
    AllocateWork work;
    const CUresult result = reserve(context, parameters, work);
    if (result != CUDA_SUCCESS) return result;
    *address = work.memory->address;
    return submit(context, stream, std::move(work));
  }
  *address = context.arena.allocate(bytes, Arena::Kind::device, by);
  if (*address == 0) return CUDA_ERROR_OUT_OF_MEMORY;
  context.from_pool[*address] = &pool;
  share(context, *address, pool);
  driver().connect_shared();
  pool.used += bytes;
  pool.most_used = std::max(pool.most_used, pool.used);
  return CUDA_SUCCESS;
}

// Frees an allocation of the context for a stream's call.
CUresult free_now(Context& context, CUdeviceptr address) {
  if (const auto freed = free_of_graph(context, address)) {
    if (*freed != CUDA_SUCCESS) report_wrong_free(context, "cuMemFreeAsync", address);
    return *freed;
  }
  const Allocation* allocation = context.arena.find(address, 1);
  if (allocation == nullptr || allocation->address != address || allocation->host_visible) {
    report_wrong_free(context, "cuMemFreeAsync", address);
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (is_variable(context, address)) return CUDA_ERROR_INVALID_VALUE;
  leave_pool(context, address, allocation->bytes);
  context.arena.free(address);
  return CUDA_SUCCESS;
}

}  // namespace

Pool* find_pool(CUmemoryPool pool) {
  for (Device& device : driver().devices) {
    if (handle(&device.default_pool) == pool) return &device.default_pool;
  }
  return find_in(driver().pools, pool);
}

Context* context_of(int device) {
  if (driver().device(device).primary != nullptr) return driver().device(device).primary;
  for (const auto& [handle, context] : driver().contexts) {
    if (context->device == device) return context.get();
  }
  return nullptr;
}

void share_imported(CUdeviceptr address, const Pool& pool) {
  for (const auto& [device, flags] : pool.access) {
    driver().virtual_memory->set_access(address, driver().opened.at(address).bytes, device,
                                        static_cast<VirtualMemory::Access>(number_in(flags)));
  }
}

}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
  return initialised("cuDeviceGetDefaultMemPool", [&]() -> CUresult {
    if (!driver().is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    return give(pool, handle(&driver().device(device).default_pool));
  });
}

CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device) {
  return initialised("cuDeviceGetMemPool", [&]() -> CUresult {
    if (!driver().is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    return give(pool, handle(driver().device(device).pool));
  });
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  return with_pool("cuDeviceSetMemPool", pool, [&](Pool& found) -> CUresult {
    if (!driver().is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    if (found.device != device || found.imported) return CUDA_ERROR_INVALID_VALUE;
    driver().device(device).pool = &found;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemGetDefaultMemPool(CUmemoryPool* pool, CUmemLocation* location,
                                CUmemAllocationType type) {
  return initialised("cuMemGetDefaultMemPool", [&]() -> CUresult {
    const CUresult result = check_place(location, type);
    if (result != CUDA_SUCCESS) return result;
    return give(pool, handle(&driver().device(location->id).default_pool));
  });
}

CUresult cuMemGetMemPool(CUmemoryPool* pool, CUmemLocation* location, CUmemAllocationType type) {
  return initialised("cuMemGetMemPool", [&]() -> CUresult {
    const CUresult result = check_place(location, type);
    return result != CUDA_SUCCESS ? result : give(pool, handle(driver().device(location->id).pool));
  });
}

CUresult cuMemSetMemPool(CUmemLocation* location, CUmemAllocationType type, CUmemoryPool pool) {
  const CUresult result =
      initialised("cuMemSetMemPool", [&] { return check_place(location, type); });
  return result != CUDA_SUCCESS ? result : cuDeviceSetMemPool(location->id, pool);
}

CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties) {
  return initialised("cuMemPoolCreate", [&]() -> CUresult {
    if (pool == nullptr || properties == nullptr ||
        number_in(properties->allocType) != CU_MEM_ALLOCATION_TYPE_PINNED)
      return CUDA_ERROR_INVALID_VALUE;
    constexpr unsigned int file = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    const unsigned int types = number_in(properties->handleTypes);
    if ((types & ~file) != 0 || number_in(properties->location.type) != CU_MEM_LOCATION_TYPE_DEVICE)
      return CUDA_ERROR_NOT_SUPPORTED;
    if (!driver().is_device(properties->location.id)) return CUDA_ERROR_INVALID_DEVICE;
    auto made = std::make_unique<Pool>();
    made->device = properties->location.id;
    made->handle_types = types;
    made->number = driver().next_pool++;
    *pool = handle(made.get());
    driver().pools.emplace(*pool, std::move(made));
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  return with_pool("cuMemPoolDestroy", pool, [&](Pool& found) -> CUresult {
    if (found.shared) return CUDA_ERROR_INVALID_VALUE;
    Device& device = driver().device(found.device);
    if (device.pool == &found) device.pool = &device.default_pool;
    // What was allocated from it stays until it is freed; the default pool takes it over.
    for (const auto& [handle, context] : driver().contexts) {
      for (auto& [address, from] : context->from_pool) {
        if (from == &found) from = &device.default_pool;
      }
    }
    for (auto& [address, opened] : driver().opened) {
      if (opened.pool == &found) opened.pool = &device.default_pool;
    }
    device.default_pool.used += found.used;
    driver().pools.erase(pool);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t) {
  return with_pool("cuMemPoolTrimTo", pool, [](Pool&) { return CUDA_SUCCESS; });
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  return with_pool("cuMemPoolGetAttribute", pool, [&](Pool& found) -> CUresult {
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    switch (number_in(attribute)) {
      case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
      case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
      case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        return put(value, found.reuse[number_in(attribute) - 1]);
      case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        return put(value, found.release_threshold);
      case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
      case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
        return put(value, found.used);
      case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        return put(value, found.most_used);
      default:
        return CUDA_ERROR_INVALID_VALUE;
    }
  });
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  return with_pool("cuMemPoolSetAttribute", pool, [&](Pool& found) -> CUresult {
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    switch (number_in(attribute)) {
      case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
      case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
      case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        std::memcpy(&found.reuse[number_in(attribute) - 1], value, sizeof(int));
        return CUDA_SUCCESS;
      case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        std::memcpy(&found.release_threshold, value, sizeof found.release_threshold);
        return CUDA_SUCCESS;
      case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      case CU_MEMPOOL_ATTR_USED_MEM_HIGH: {
        std::uint64_t number = 0;
        std::memcpy(&number, value, sizeof number);
        if (number != 0) return CUDA_ERROR_INVALID_VALUE;  // high marks can only be reset
        found.most_used = found.used;
        return CUDA_SUCCESS;
      }
      default:
        return CUDA_ERROR_INVALID_VALUE;
    }
  });
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* access, size_t count) {
  return with_pool("cuMemPoolSetAccess", pool, [&](Pool& found) -> CUresult {
    if (access == nullptr && count != 0) return CUDA_ERROR_INVALID_VALUE;
    for (std::size_t i = 0; i < count; ++i) {
      if (number_in(access[i].location.type) != CU_MEM_LOCATION_TYPE_DEVICE)
        return CUDA_ERROR_INVALID_VALUE;
      if (!driver().is_device(access[i].location.id)) return CUDA_ERROR_INVALID_DEVICE;
      // A device can always use its own memory.
      if (access[i].location.id == found.device &&
          number_in(access[i].flags) != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (access[i].location.id != found.device)
        found.access[access[i].location.id] = access[i].flags;
    }
    for (const auto& [handle, context] : driver().contexts) {
      for (const auto& [address, pool_of] : context->from_pool) {
        if (pool_of == &found) share(*context, address, found);
      }
    }
    for (const auto& [address, opened] : driver().opened) {
      if (opened.pool == &found) share_imported(address, found);
    }
    driver().connect_shared();
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool pool, CUmemLocation* location) {
  return with_pool("cuMemPoolGetAccess", pool, [&](Pool& found) -> CUresult {
    if (flags == nullptr || location == nullptr ||
        number_in(location->type) != CU_MEM_LOCATION_TYPE_DEVICE)
      return CUDA_ERROR_INVALID_VALUE;
    if (!driver().is_device(location->id)) return CUDA_ERROR_INVALID_DEVICE;
    const auto set = found.access.find(location->id);
    *flags = location->id == found.device ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
             : set == found.access.end()  ? CU_MEM_ACCESS_FLAGS_PROT_NONE
                                          : set->second;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemAllocAsync(CUdeviceptr* address, size_t bytes, CUstream stream) {
  return with_owner("cuMemAllocAsync", Waits::no, stream, [&](Context& context) -> CUresult {
    const CUresult result = check_stream(context, stream);
    if (result != CUDA_SUCCESS) return result;
    Pool& pool = *driver().device(context.device).pool;
    return allocate(context, pool, address, bytes, stream, "cuMemAllocAsync");
  });
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr* address, size_t bytes, CUmemoryPool pool,
                                 CUstream stream) {
  return with_owner(
      "cuMemAllocFromPoolAsync", Waits::no, stream, [&](Context& context) -> CUresult {
        const CUresult result = check_stream(context, stream);
        if (result != CUDA_SUCCESS) return result;
        Pool* found = find_pool(pool);
        if (found == nullptr || found->imported) return CUDA_ERROR_INVALID_VALUE;
        Context* owner = found->device == context.device || capturing(context, stream)
                             ? &context
                             : context_of(found->device);
        if (owner == nullptr)
          return fail(CUDA_ERROR_NOT_SUPPORTED, "the pool's device has no context yet");
        return allocate(*owner, *found, address, bytes, owner == &context ? stream : nullptr,
                        "cuMemAllocFromPoolAsync");
      });
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  return with_owner("cuMemFreeAsync", Waits::no, stream, [&](Context& context) -> CUresult {
    const CUresult result = check_stream(context, stream);
    if (result != CUDA_SUCCESS) return result;
    if (address == 0) return CUDA_SUCCESS;
    if (is_imported(address)) return close_memory(address);
    if (capturing(context, stream)) return submit(context, stream, FreeWork{address});
    Context* owner = owner_of(AddressHandle{address});
    return free_now(owner == nullptr ? context : *owner, address);
  });
}
}  // extern "C"
