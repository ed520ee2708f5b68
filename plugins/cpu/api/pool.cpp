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

CUresult check_stream(Context& context, CUstream stream) {
  return valid_stream(context, stream) ? check_implicit(context, stream)
                                       : CUDA_ERROR_INVALID_HANDLE;
}

// The devices that have access to the pool may use an allocation of it. Managed memory is
// everybody's.
void share(Context& context, CUdeviceptr address, const Pool& pool) {
  if (pool.place.is_managed()) return;
  const std::uint16_t with = pool.devices(CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  const std::uint16_t to_read = pool.devices(CU_MEM_ACCESS_FLAGS_PROT_READ);
  context.arena.share(address, with, to_read);
}

Arena::Kind kind_of(const Pool& pool) {
  return pool.place.is_managed() ? Arena::Kind::managed
         : pool.place.is_host()  ? Arena::Kind::pinned
                                 : Arena::Kind::device;
}

int preferred_of(const PoolPlace& place) {
  return place.location == CU_MEM_LOCATION_TYPE_DEVICE    ? place.id
         : place.location == CU_MEM_LOCATION_TYPE_INVALID ? CU_DEVICE_INVALID
                                                          : CU_DEVICE_CPU;
}

// In a stream that is captured, a node that allocates.
CUresult allocate(Context& context, Pool& pool, CUdeviceptr* address, std::size_t bytes,
                  CUstream stream, const char* by) {
  if (address == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (capturing(context, stream)) {
    if (!pool.place.is_device())
      return fail(CUDA_ERROR_NOT_SUPPORTED, "a graph allocates memory of its device only");
    CUDA_MEM_ALLOC_NODE_PARAMS parameters{};
    parameters.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    parameters.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    parameters.poolProps.location.id = pool.place.id;
    parameters.bytesize = bytes;
    AllocateWork work;
    const CUresult result = reserve(context, parameters, work);
    if (result != CUDA_SUCCESS) return result;
    *address = work.memory->address;
    return submit(context, stream, std::move(work));
  }
  if (pool.most != 0 && bytes > pool.most - std::min(pool.most, pool.used))
    return fail(CUDA_ERROR_OUT_OF_MEMORY, "the pool was created with a smaller maxSize");
  *address = context.arena.allocate(bytes, kind_of(pool), by);
  if (*address == 0) return CUDA_ERROR_OUT_OF_MEMORY;
  context.from_pool[*address] = &pool;
  if (pool.place.is_host())
    context.host[*address] = {bytes, true, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP};
  if (pool.place.is_managed()) context.managed[*address][0].preferred = preferred_of(pool.place);
  share(context, *address, pool);
  driver().connect_shared();
  pool.used += bytes;
  pool.most_used = std::max(pool.most_used, pool.used);
  return CUDA_SUCCESS;
}

bool is_of_device(const CUmemLocation& location) {
  return number_in(location.type) == CU_MEM_LOCATION_TYPE_DEVICE;
}

// Checks that a location can have access to the pool: the host never has access to a device's
// memory.
CUresult check_access_of(const Pool& pool, const CUmemLocation& location) {
  if (is_of_device(location))
    return driver().is_device(location.id) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
  const unsigned int place = number_in(location.type);
  const bool host = place == CU_MEM_LOCATION_TYPE_HOST || place == CU_MEM_LOCATION_TYPE_HOST_NUMA;
  return host && !pool.place.is_device() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult check_access(const Pool& pool, const CUmemAccessDesc& access) {
  const CUresult result = check_access_of(pool, access.location);
  if (result != CUDA_SUCCESS) return result;
  const unsigned int flags = number_in(access.flags);
  if (flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE) return CUDA_SUCCESS;
  // A device can always use its own memory, the host the host's, and all of them managed memory.
  const bool own = pool.place.is_managed() || !is_of_device(access.location) ||
                   (pool.place.is_device() && access.location.id == pool.place.id);
  const bool known =
      flags == CU_MEM_ACCESS_FLAGS_PROT_NONE || flags == CU_MEM_ACCESS_FLAGS_PROT_READ;
  return own || !known ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

// Frees an allocation of the context for a stream's call.
CUresult free_now(Context& context, CUdeviceptr address) {
  if (const auto freed = free_of_graph(context, address)) {
    if (*freed != CUDA_SUCCESS) report_wrong_free(context, "cuMemFreeAsync", address);
    return *freed;
  }
  const Allocation* allocation = context.arena.find(address, 1);
  if (allocation == nullptr || allocation->address != address ||
      (allocation->host_visible && !context.from_pool.contains(address))) {
    report_wrong_free(context, "cuMemFreeAsync", address);
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (is_variable(context, address)) return CUDA_ERROR_INVALID_VALUE;
  leave_pool(context, address, allocation->bytes);
  context.arena.free(address);
  return CUDA_SUCCESS;
}

}  // namespace

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
      const CUresult result = check_access(found, access[i]);
      if (result != CUDA_SUCCESS) return result;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const int device = access[i].location.id;
      if (is_of_device(access[i].location) && !found.place.is_managed() &&
          !(found.place.is_device() && device == found.place.id))
        found.access[device] = access[i].flags;
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
  return with_pool("cuMemPoolGetAccess", pool, [&](const Pool& found) -> CUresult {
    if (flags == nullptr || location == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = check_access_of(found, *location);
    if (result != CUDA_SUCCESS) return result;
    *flags = is_of_device(*location) ? found.access_of(location->id)
                                     : CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
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
        const bool here = !found->place.is_device() || found->place.id == context.device ||
                          capturing(context, stream);
        Context* owner = here ? &context : context_of(found->place.id);
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
