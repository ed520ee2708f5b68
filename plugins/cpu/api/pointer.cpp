// Attributes of addresses: cuPointerGetAttribute and its like.
#include <cstdint>

#include "api/owner.hpp"
#include "api/state.hpp"

namespace warpmark::cpu {
namespace {

// CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE, of CUDA 12.8
constexpr unsigned int kDecompressible = 21;

struct Place {
  Context* context = nullptr;  // null for addresses that were reserved: these have none
  std::uint64_t begin = 0, bytes = 0;
  bool host = false, owned = false, managed = false, pooled = false;
  bool shareable = false;                           // with other processes, by cuIpcGetMemHandle
  const VirtualMemory::Mapping* mapping = nullptr;  // of reserved addresses, where there is one
};

// Where an address lies, in any context.
bool locate(CUdeviceptr address, Place& place) {
  if (driver().virtual_memory != nullptr) {
    if (const auto* range = driver().virtual_memory->reservation_at(address)) {
      place.begin = range->address;
      place.bytes = range->bytes;
      place.mapping = driver().virtual_memory->mapping_at(address);
      return true;
    }
  }
  for (const auto& [handle, context] : driver().contexts) {
    const auto* found = context->host_range_at(address);
    if (found == nullptr) continue;
    const auto& [begin, range] = *found;
    place = {context.get(),
             begin,
             range.bytes,
             true,
             range.owned,
             false,
             context->from_pool.contains(begin)};
    return true;
  }
  Context* owner = driver().owner(address);
  const Allocation* found = owner == nullptr ? nullptr : owner->arena.find(address, 1);
  if (found == nullptr) return false;
  place = {owner,
           found->address,
           found->bytes,
           false,
           true,
           owner->managed.contains(found->address),
           owner->from_pool.contains(found->address)};
  place.shareable = can_be_shared(*owner, *found);
  return true;
}

// Answers for reserved addresses; the range is the reserved one, the mapping that of cuMemMap.
CUresult answer_reserved(void* data, unsigned int attribute, CUdeviceptr address,
                         const Place& place) {
  const VirtualMemory::Mapping* mapping = place.mapping;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return put(data, place.begin);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return put(data, place.bytes);
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return put(data, mapping != nullptr ? 1 : 0);
    default:
      break;
  }
  if (mapping == nullptr) return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: {
      const OpenedMemory* opened = find_in(driver().opened, place.begin);
      return put<const Context*>(data, opened == nullptr ? nullptr : opened->context);
    }
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return put<unsigned int>(data, CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return put(data, address);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      return CUDA_ERROR_INVALID_VALUE;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return put(data, mapping->memory->device());
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
      return put(data, mapping->address);
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
      return put(data, mapping->bytes);
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
      return put(data, mapping->memory->handle);
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
      return put(data, std::uint64_t{mapping->memory->handle_types()});
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS: {
      Context* current = nullptr;
      const CUresult result = current_context(Waits::no, current);
      if (result != CUDA_SUCCESS) return result;
      return put<unsigned int>(data, mapping->access[static_cast<std::size_t>(current->device)]);
    }
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return put(data, 0);
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case kDecompressible:
      return put(data, false);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: {
      const OpenedMemory* opened = find_in(driver().opened, place.begin);
      return put<const Pool*>(data, opened == nullptr ? nullptr : opened->pool);
    }
    default:
      return attribute > 0 && attribute < 32 ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
  }
}

// The access of the context's device to a place. Only pools of host memory may deny it.
CUmemAccess_flags access_of(const Place& place) {
  const Pool* pool = find_in(place.context->from_pool, place.begin);
  return pool == nullptr || !pool->place.is_host() ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
                                                   : pool->access_of(place.context->device);
}

CUresult answer(void* data, unsigned int attribute, CUdeviceptr address, const Place& place) {
  if (place.context == nullptr) return answer_reserved(data, attribute, address, place);
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return put(data, place.context);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return put<unsigned int>(data, place.host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return put(data, address);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      return place.host || place.managed ? put(data, address) : CUDA_ERROR_INVALID_VALUE;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return put(data, place.context->device);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return put(data, place.managed ? 1 : 0);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
      return put(data, place.begin);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
      return put(data, place.bytes);
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return put(data, 1);
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      return put(data, place.shareable);
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
      return put(data, false);
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: {
      const Pool* pool = find_in(place.context->from_pool, place.begin);
      return put(data, std::uint64_t{pool == nullptr ? 0 : pool->handle_types});
    }
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      return put(data, number_in(access_of(place)));
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return put<const Pool*>(
          data, place.pooled ? find_in(place.context->from_pool, place.begin) : nullptr);
    default:
      return attribute > 0 && attribute < 32 ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
  }
}

// Sets an attribute to the value that cuPointerGetAttributes gives for an unknown address.
void clear(void* data, unsigned int attribute) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      put(data, CU_DEVICE_INVALID);
      return;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      put(data, 0u);
      return;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_MAPPED:
      put(data, 0);
      return;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
      put(data, false);
      return;
    default:
      put(data, std::uint64_t{0});
  }
}

}  // namespace
}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr address) {
  // An unknown address is an error with and without a context.
  return initialised("cuPointerGetAttribute", [&]() -> CUresult {
    Place place;
    if (data == nullptr || !locate(address, place)) return CUDA_ERROR_INVALID_VALUE;
    const CUresult state =
        place.context == nullptr ? CUDA_SUCCESS : state_of(*place.context, Waits::no);
    if (state != CUDA_SUCCESS) return state;
    return answer(data, number_in(attribute), address, place);
  });
}

CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute* attributes, void** data,
                                CUdeviceptr address) {
  return with_owner(
      "cuPointerGetAttributes", Waits::no, AddressHandle{address}, [&](Context&) -> CUresult {
        if (count == 0 || attributes == nullptr || data == nullptr) return CUDA_ERROR_INVALID_VALUE;
        Place place;
        const bool known = locate(address, place);
        for (unsigned int i = 0; i < count; ++i) {
          if (data[i] == nullptr) return CUDA_ERROR_INVALID_VALUE;
          if (!known || answer(data[i], number_in(attributes[i]), address, place) != CUDA_SUCCESS)
            clear(data[i], number_in(attributes[i]));
        }
        return CUDA_SUCCESS;
      });
}

CUresult cuPointerSetAttribute(const void* value, CUpointer_attribute attribute,
                               CUdeviceptr address) {
  return with_owner("cuPointerSetAttribute", Waits::no, AddressHandle{address},
                    [&](Context&) -> CUresult {
                      Place place;
                      // Every copy waits for its end here, which is what the one attribute that can
                      // be set asks for.
                      const bool good = value != nullptr &&
                                        number_in(attribute) == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS &&
                                        locate(address, place) && !place.host;
                      return good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
                    });
}

}  // extern "C"
