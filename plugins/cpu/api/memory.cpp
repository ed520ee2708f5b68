// Device memory: allocation, managed memory, and where an address belongs.
#include <algorithm>
#include <cstdint>

#include "api/capture.hpp"
#include "api/mistake.hpp"
#include "api/owner.hpp"
#include "api/state.hpp"

namespace warpmark::cpu {
namespace {

std::byte* inside(const Arena& arena, std::uint64_t address, std::size_t bytes) {
  if (arena.find(address, bytes) != nullptr) return arena.host(address);
  refused_range() = {&arena, address, bytes, false};
  const Nearest nearest = arena.nearest(address, bytes);
  std::string text =
      "the range of " + std::to_string(bytes) + " bytes is not inside one allocation";
  if (nearest.allocation != nullptr) {
    text += "; the nearest has " + std::to_string(nearest.allocation->bytes) + " bytes";
    if (nearest.allocation->absent != nullptr)
      text += std::string(" and is ") + nearest.allocation->absent;
    else if (!nearest.allocation->live)
      text += " and was freed";
  }
  last_error() = text;
  return nullptr;
}

bool registered(const Context& context, std::uint64_t address, std::size_t bytes) {
  const auto* range = context.host_range_at(address);
  return range != nullptr && bytes <= range->second.bytes - (address - range->first);
}

}  // namespace

bool is_variable(const Context& context, CUdeviceptr address) {
  for (const auto& [handle, module] : context.modules) {
    for (const auto& [name, variable] : module->addresses) {
      if (variable == address) return true;
    }
  }
  return false;
}

void leave_pool(Context& context, CUdeviceptr address, std::uint64_t bytes) {
  const auto found = context.from_pool.find(address);
  if (found == context.from_pool.end()) return;
  found->second->used -= bytes;
  if (found->second->place.is_host()) context.host.erase(address);
  if (found->second->place.is_managed()) context.managed.erase(address);
  context.from_pool.erase(found);
}

// Copies are checked to the byte, as kernels are.
std::byte* host_range(Context& context, std::uint64_t address, std::size_t bytes, bool device) {
  const Arena* arena =
      context.arena.contains(address) ? &context.arena : driver().arena_of(context, address, bytes);
  if (device) {
    if (arena != nullptr) return inside(*arena, address, bytes);
    if (registered(context, address, bytes)) return reinterpret_cast<std::byte*>(address);
    last_error() = "the address is not one of the device's";
    return nullptr;
  }
  if (address == 0) {
    last_error() = "the host's address is null";
    return nullptr;
  }
  if (arena == nullptr) return reinterpret_cast<std::byte*>(address);
  const Allocation* allocation = arena->find(address, 1);
  if (allocation == nullptr || !allocation->host_visible) {
    last_error() = "expected an address of the host, and this is one of the device";
    return nullptr;
  }
  return inside(*arena, address, bytes);
}

CUresult refuse_write(const Arena* arena, std::uint64_t address) {
  const Allocation* allocation = arena == nullptr ? nullptr : arena->find(address, 1);
  if (allocation == nullptr || !allocation->mapped || !allocation->read_only) return CUDA_SUCCESS;
  return fail(CUDA_ERROR_INVALID_VALUE,
              "the memory is mapped to be read only (CU_MEM_ACCESS_FLAGS_PROT_READ)");
}

}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuMemGetInfo_v2(size_t* free, size_t* total) {
  return with_context("cuMemGetInfo", Waits::no, [&](Context& context) -> CUresult {
    if (free != nullptr) *free = context.arena.capacity() - context.arena.used();
    if (total != nullptr) *total = context.arena.capacity();
    return CUDA_SUCCESS;
  });
}

CUresult cuMemAlloc_v2(CUdeviceptr* address, size_t bytes) {
  return with_context("cuMemAlloc", Waits::no, [&](Context& context) -> CUresult {
    if (address == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = refuse_unsafe(context);
    if (result != CUDA_SUCCESS) return result;
    *address = context.arena.allocate(bytes, Arena::Kind::device, "cuMemAlloc_v2");
    return *address == 0 ? out_of_memory(context, "cuMemAlloc_v2", bytes) : CUDA_SUCCESS;
  });
}

CUresult cuMemAllocPitch_v2(CUdeviceptr* address, size_t* pitch, size_t width, size_t height,
                            unsigned int element) {
  return with_context("cuMemAllocPitch", Waits::no, [&](Context& context) -> CUresult {
    if (address == nullptr || pitch == nullptr || width == 0 || height == 0)
      return CUDA_ERROR_INVALID_VALUE;
    if (element != 4 && element != 8 && element != 16) return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = refuse_unsafe(context);
    if (result != CUDA_SUCCESS) return result;
    constexpr const char* kCall = "cuMemAllocPitch_v2";
    const std::uint64_t all = driver().properties.memory;
    if (width > all || height > all) return out_of_memory(context, kCall, std::max(width, height));
    *pitch = (width + 511) / 512 * 512;
    if (height > all / *pitch) return out_of_memory(context, kCall, *pitch * height);
    *address = context.arena.allocate(*pitch * height, Arena::Kind::device, kCall);
    return *address == 0 ? out_of_memory(context, kCall, *pitch * height) : CUDA_SUCCESS;
  });
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  // Null needs no context, as programs free what they never got after the context is gone.
  if (address == 0) return initialised("cuMemFree", [] { return CUDA_SUCCESS; });
  const CUresult known = initialised("cuMemFree", [&]() -> CUresult {
    Context* context = owner_of(AddressHandle{address});
    if (context != nullptr || current_context(Waits::no, context) != CUDA_ERROR_INVALID_CONTEXT) {
      return CUDA_SUCCESS;
    }
    return fail(CUDA_ERROR_INVALID_VALUE, "the address is not that of a live allocation");
  });
  if (known != CUDA_SUCCESS) return known;
  const bool imported =
      initialised("cuMemFree", [&]() -> CUresult {
        return is_imported(address) ? close_memory(address) : CUDA_ERROR_INVALID_VALUE;
      }) == CUDA_SUCCESS;
  if (imported) return CUDA_SUCCESS;
  return with_owner(
      "cuMemFree", Waits::yes, AddressHandle{address}, [&](Context& context) -> CUresult {
        const CUresult result = refuse_unsafe(context);
        if (result != CUDA_SUCCESS) return result;
        if (const auto freed = free_of_graph(context, address)) {
          if (*freed != CUDA_SUCCESS) report_wrong_free(context, "cuMemFree_v2", address);
          return *freed;
        }
        const Allocation* allocation = context.arena.find(address, 1);
        const std::uint64_t bytes = allocation == nullptr ? 0 : allocation->bytes;
        const bool pinned =
            allocation != nullptr && allocation->pinned && !context.from_pool.contains(address);
        if (!pinned && !is_variable(context, address) && context.arena.free(address)) {
          context.managed.erase(address);
          leave_pool(context, address, bytes);
          return CUDA_SUCCESS;
        }
        report_wrong_free(context, "cuMemFree_v2", address);
        return fail(
            CUDA_ERROR_INVALID_VALUE,
            "the address is not that of a live allocation (freed twice, or never allocated)");
      });
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, size_t* bytes, CUdeviceptr address) {
  return with_context_and_owner(
      "cuMemGetAddressRange", Waits::no, AddressHandle{address}, [&](Context& context) -> CUresult {
        const auto is = [&](std::uint64_t begin, std::uint64_t size) {
          if (base != nullptr) *base = begin;
          if (bytes != nullptr) *bytes = size;
          return CUDA_SUCCESS;
        };
        if (const auto* range = context.host_range_at(address))
          return is(range->first, range->second.bytes);
        if (const Allocation* allocation = context.arena.find(address, 1))
          return is(allocation->address, allocation->bytes);
        // For mapped memory the range is that of the mapping, not the reserved one.
        const auto* mapping = driver().virtual_memory == nullptr
                                  ? nullptr
                                  : driver().virtual_memory->mapping_at(address);
        return mapping == nullptr ? CUDA_ERROR_NOT_FOUND : is(mapping->address, mapping->bytes);
      });
}

CUresult cuMemAllocManaged(CUdeviceptr* address, size_t bytes, unsigned int flags) {
  return with_context("cuMemAllocManaged", Waits::no, [&](Context& context) -> CUresult {
    if (address == nullptr || bytes == 0 ||
        (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST))
      return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = refuse_unsafe(context);
    if (result != CUDA_SUCCESS) return result;
    *address = context.arena.allocate(bytes, Arena::Kind::managed, "cuMemAllocManaged");
    if (*address == 0) return out_of_memory(context, "cuMemAllocManaged", bytes);
    context.managed[*address][0] = {};
    driver().connect_shared();
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
