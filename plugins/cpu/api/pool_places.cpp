// Which pools there are: those of each place, and those that programs create and destroy.

#include "api/state.hpp"

namespace warpmark::cpu {
namespace {

constexpr unsigned int kManaged = 2;  // CU_MEM_ALLOCATION_TYPE_MANAGED, of CUDA 13

// A place that pools can have. The host's memory is one node here.
CUresult place_of(const CUmemLocation* location, const CUmemAllocationType& type,
                  PoolPlace& place) {
  if (location == nullptr) return CUDA_ERROR_INVALID_VALUE;
  place = {number_in(type), number_in(location->type), 0};
  if (place.type != CU_MEM_ALLOCATION_TYPE_PINNED && place.type != kManaged)
    return CUDA_ERROR_INVALID_VALUE;
  switch (place.location) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
      place.id = location->id;
      return driver().is_device(place.id) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
    case CU_MEM_LOCATION_TYPE_HOST:
      return CUDA_SUCCESS;
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
      return location->id == 0
                 ? CUDA_SUCCESS
                 : fail(CUDA_ERROR_INVALID_VALUE, "the host's one NUMA node is 0 here");
    case CU_MEM_LOCATION_TYPE_INVALID:  // of managed memory: no preference
      return place.is_managed() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

PoolsOfPlace& pools_of(const PoolPlace& place) {
  const auto [found, added] = driver().place_pools.try_emplace(place);
  PoolsOfPlace& pools = found->second;
  if (added) {
    pools.standard.place = place;
    pools.standard.shared = true;
    pools.current = &pools.standard;
  }
  return pools;
}
Pool& default_pool(const PoolPlace& place) {
  return place.is_device() ? driver().device(place.id).default_pool : pools_of(place).standard;
}
Pool*& current_pool(const PoolPlace& place) {
  return place.is_device() ? driver().device(place.id).pool : pools_of(place).current;
}

// By which handles other processes may import a pool of this place.
CUresult check_handles(const PoolPlace& place, unsigned int types) {
  constexpr unsigned int file = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  if (types == CU_MEM_HANDLE_TYPE_NONE) return CUDA_SUCCESS;
  if (place.is_host() && place.location == CU_MEM_LOCATION_TYPE_HOST)
    return fail(CUDA_ERROR_INVALID_VALUE, "a pool of the host's memory cannot be shared");
  if (!place.is_device())
    return fail(CUDA_ERROR_NOT_SUPPORTED, "of pools those of a device's own memory are shared");
  return (types & ~file) != 0 ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;
}

CUresult set_current(const PoolPlace& place, Pool& pool) {
  if (pool.place != place || pool.imported)
    return fail(CUDA_ERROR_INVALID_VALUE, "the pool is of another place or kind of memory");
  current_pool(place) = &pool;
  return CUDA_SUCCESS;
}

template <typename Choose>
CUresult give_pool(const char* name, CUmemoryPool* pool, const CUmemLocation* location,
                   const CUmemAllocationType& type, Choose choose) {
  return initialised(name, [&]() -> CUresult {
    PoolPlace place;
    const CUresult result = place_of(location, type, place);
    return result != CUDA_SUCCESS ? result : give(pool, handle_of(choose(place)));
  });
}

}  // namespace

Pool* find_pool(CUmemoryPool pool) {
  for (Device& device : driver().devices) {
    if (handle_of(device.default_pool) == pool) return &device.default_pool;
  }
  for (auto& [place, pools] : driver().place_pools) {
    if (handle_of(pools.standard) == pool) return &pools.standard;
  }
  return find_in(driver().pools, pool);
}

}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
  return initialised("cuDeviceGetDefaultMemPool", [&]() -> CUresult {
    if (!driver().is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    return give(pool, handle_of(driver().device(device).default_pool));
  });
}

CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device) {
  return initialised("cuDeviceGetMemPool", [&]() -> CUresult {
    if (!driver().is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    return give(pool, handle_of(*driver().device(device).pool));
  });
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  return with_pool("cuDeviceSetMemPool", pool, [&](Pool& found) -> CUresult {
    if (!driver().is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    PoolPlace place;
    place.id = device;
    return set_current(place, found);
  });
}

CUresult cuMemGetDefaultMemPool(CUmemoryPool* pool, CUmemLocation* location,
                                CUmemAllocationType type) {
  return give_pool("cuMemGetDefaultMemPool", pool, location, type,
                   [](const PoolPlace& place) -> Pool& { return default_pool(place); });
}

CUresult cuMemGetMemPool(CUmemoryPool* pool, CUmemLocation* location, CUmemAllocationType type) {
  return give_pool("cuMemGetMemPool", pool, location, type,
                   [](const PoolPlace& place) -> Pool& { return *current_pool(place); });
}

CUresult cuMemSetMemPool(CUmemLocation* location, CUmemAllocationType type, CUmemoryPool pool) {
  return initialised("cuMemSetMemPool", [&]() -> CUresult {
    PoolPlace place;
    const CUresult result = place_of(location, type, place);
    if (result != CUDA_SUCCESS) return result;
    Pool* found = find_pool(pool);
    return found == nullptr ? CUDA_ERROR_INVALID_VALUE : set_current(place, *found);
  });
}

CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties) {
  return initialised("cuMemPoolCreate", [&]() -> CUresult {
    if (pool == nullptr || properties == nullptr) return CUDA_ERROR_INVALID_VALUE;
    PoolPlace place;
    CUresult result = place_of(&properties->location, properties->allocType, place);
    const unsigned int types = number_in(properties->handleTypes);
    if (result == CUDA_SUCCESS) result = check_handles(place, types);
    if (result != CUDA_SUCCESS) return result;
    auto made = std::make_unique<Pool>();
    made->place = place;
    made->handle_types = types;
    made->most = properties->maxSize;
    made->number = driver().next_pool++;
    *pool = handle_of(*made);
    driver().pools.emplace(*pool, std::move(made));
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  return with_pool("cuMemPoolDestroy", pool, [&](Pool& found) -> CUresult {
    if (found.shared) return CUDA_ERROR_INVALID_VALUE;
    Pool& heir = default_pool(found.place);
    Pool*& current = current_pool(found.place);
    if (current == &found) current = &heir;
    // Allocations from the pool stay until they are freed; the default pool takes them over.
    for (const auto& [handle, context] : driver().contexts) {
      for (auto& [address, from] : context->from_pool) {
        if (from == &found) from = &heir;
      }
    }
    for (auto& [address, opened] : driver().opened) {
      if (opened.pool == &found) opened.pool = &heir;
    }
    heir.used += found.used;
    driver().pools.erase(pool);
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
