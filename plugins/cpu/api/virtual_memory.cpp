// Reserving addresses, mapping memory there, and who may use it.
#include <algorithm>
#include <bit>
#include <cstdint>

#include "api/state.hpp"
#include "memory/pages.hpp"

namespace warpmark::cpu {
namespace {

constexpr std::uint64_t kGranule = PhysicalMemory::kGranularity;

bool is_access(unsigned int flags) {
  return flags == CU_MEM_ACCESS_FLAGS_PROT_NONE || flags == CU_MEM_ACCESS_FLAGS_PROT_READ ||
         flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
}

CUresult check_location(const CUmemLocation& location) {
  if (number_in(location.type) != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_INVALID_VALUE;
  return driver().is_device(location.id) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

// Memory of another process is mapped as a whole, and not by these functions.
bool is_of_others(CUdeviceptr address) {
  return driver().opened.contains(address);
}

// Only multimem instructions take its addresses: no other access finds memory there.
CUresult map_multicast(const VirtualMemory& memory, CUdeviceptr address, size_t bytes,
                       size_t offset, const MemoryHandle& handle) {
  const Multicast& object = *handle.multicast;
  if (!object.complete())
    return fail(CUDA_ERROR_INVALID_VALUE, "devices of the multicast object are still to be added");
  if (offset % kGranule != 0 || bytes % kGranule != 0 || offset > object.bytes() ||
      bytes > object.bytes() - offset)
    return fail(CUDA_ERROR_INVALID_VALUE, "the range leaves the multicast object");
  const VirtualMemory::Reservation* range = memory.reservation_at(address);
  const bool reserved = range != nullptr &&
                        address - range->address <= range->bytes - std::min(range->bytes, bytes) &&
                        bytes <= range->bytes;
  for (std::uint64_t at = address; reserved && at < address + bytes; at += kGranule) {
    if (memory.mapping_at(at) != nullptr)
      return fail(CUDA_ERROR_INVALID_VALUE, "something is mapped at the addresses");
  }
  if (reserved && driver().multicasts.map(address, bytes, offset, handle.multicast))
    return CUDA_SUCCESS;
  return fail(CUDA_ERROR_INVALID_VALUE,
              "the addresses are not all reserved, or something is mapped there");
}

// A call on addresses that were reserved.
template <typename Body>
CUresult with_reserved(const char* name, Body body) {
  return initialised(name, [&]() -> CUresult {
    return driver().virtual_memory == nullptr
               ? fail(CUDA_ERROR_INVALID_VALUE, "no address is reserved")
               : body(*driver().virtual_memory);
  });
}

}  // namespace
}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuMemAddressReserve(CUdeviceptr* address, size_t bytes, size_t alignment, CUdeviceptr wish,
                             unsigned long long flags) {
  return initialised("cuMemAddressReserve", [&]() -> CUresult {
    if (address == nullptr || flags != 0 || bytes == 0 || bytes % kHostPage != 0 ||
        wish % kHostPage != 0 || (alignment != 0 && !std::has_single_bit(alignment)))
      return CUDA_ERROR_INVALID_VALUE;
    *address = driver().reservable().reserve(bytes, alignment, wish, "cuMemAddressReserve");
    return *address == 0 ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
  });
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes) {
  return with_reserved("cuMemAddressFree", [&](VirtualMemory& memory) -> CUresult {
    if (!driver().opened.contains(address) && !driver().multicasts.overlaps(address, bytes) &&
        memory.unreserve(address, bytes))
      return CUDA_SUCCESS;
    return fail(CUDA_ERROR_INVALID_VALUE,
                memory.reservation_at(address) == nullptr
                    ? "no address range of cuMemAddressReserve begins there"
                    : "it is not the whole of an address range, or something is mapped in it");
  });
}

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags) {
  return with_reserved("cuMemMap", [&](VirtualMemory& memory) -> CUresult {
    const MemoryHandle* found = find_in(driver().memory_handles, handle);
    if (found == nullptr)
      return fail(CUDA_ERROR_INVALID_VALUE, "the handle is not that of live memory");
    if (flags != 0 || bytes == 0 || address % kGranule != 0) return CUDA_ERROR_INVALID_VALUE;
    if (found->multicast != nullptr) return map_multicast(memory, address, bytes, offset, *found);
    if (found->memory->tile_pool)
      return fail(CUDA_ERROR_INVALID_VALUE,
                  "memory of CU_MEM_CREATE_USAGE_TILE_POOL is for arrays: cuMemMapArrayAsync");
    if (offset != 0 || bytes != found->memory->bytes())
      return fail(CUDA_ERROR_NOT_SUPPORTED, "the handle's memory has " +
                                                std::to_string(found->memory->bytes()) +
                                                " bytes, and is mapped as a whole");
    // Memory may have been created before somebody looked for values.
    if (!found->memory->has_values) memory.track_values();
    if (!driver().multicasts.overlaps(address, bytes) &&
        memory.map(address, bytes, 0, found->memory, "cuMemMap"))
      return CUDA_SUCCESS;
    return fail(CUDA_ERROR_INVALID_VALUE,
                "the addresses are not all reserved, or something is mapped there");
  });
}

CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
  return with_reserved("cuMemUnmap", [&](VirtualMemory& memory) -> CUresult {
    if (driver().multicasts.unmap(address, bytes)) return CUDA_SUCCESS;
    if (!is_of_others(address) && memory.unmap(address, bytes)) return CUDA_SUCCESS;
    return fail(CUDA_ERROR_INVALID_VALUE,
                "the range has a part of a mapping, or begins in no address range");
  });
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc* access,
                        size_t count) {
  return with_reserved("cuMemSetAccess", [&](VirtualMemory& memory) -> CUresult {
    if (access == nullptr || count == 0) return CUDA_ERROR_INVALID_VALUE;
    for (std::size_t i = 0; i < count; ++i) {
      // Not CUDA_ERROR_INVALID_DEVICE, which cuMemGetAccess gives: as driver 580.
      if (check_location(access[i].location) != CUDA_SUCCESS ||
          !is_access(number_in(access[i].flags)))
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (auto* mapping = driver().multicasts.holder(address, bytes);
        mapping != nullptr && mapping->bytes == bytes) {
      for (std::size_t i = 0; i < count; ++i)
        mapping->access.at(static_cast<std::size_t>(access[i].location.id)) =
            static_cast<std::uint8_t>(number_in(access[i].flags));
      return CUDA_SUCCESS;
    }
    if (is_of_others(address) || !memory.whole(address, bytes))
      return fail(CUDA_ERROR_INVALID_VALUE,
                  "the range is not that of one or several whole mappings");
    for (std::size_t i = 0; i < count; ++i) {
      memory.set_access(address, bytes, access[i].location.id,
                        static_cast<VirtualMemory::Access>(number_in(access[i].flags)));
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuMemGetAccess(unsigned long long* flags, const CUmemLocation* location,
                        CUdeviceptr address) {
  return with_reserved("cuMemGetAccess", [&](const VirtualMemory& memory) -> CUresult {
    if (flags == nullptr || location == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = check_location(*location);
    if (result != CUDA_SUCCESS) return result;
    const VirtualMemory::Mapping* mapping = memory.mapping_at(address);
    if (mapping == nullptr) return fail(CUDA_ERROR_INVALID_VALUE, "nothing is mapped there");
    return give(flags, mapping->access[static_cast<std::size_t>(location->id)]);
  });
}

}  // extern "C"
