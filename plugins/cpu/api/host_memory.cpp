// The host's memory that devices may use: allocated here (pinned) or registered.
#include <cstdint>

#include "api/capture.hpp"
#include "api/mistake.hpp"
#include "api/owner.hpp"
#include "api/state.hpp"

namespace warpmark::cpu {
namespace {

// Pinned memory lies in the device's range of addresses, at the same place for both sides.
CUresult allocate_host(const char* name, void** pointer, std::size_t bytes, unsigned int flags) {
  return with_context(name, Waits::no, [&](Context& context) -> CUresult {
    constexpr unsigned int known =
        CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
    if (pointer == nullptr || (flags & ~known) != 0) return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = refuse_unsafe(context);
    if (result != CUDA_SUCCESS) return result;
    if (bytes == 0) {
      *pointer = nullptr;  // driver 580 succeeds, whatever its reference states
      return CUDA_SUCCESS;
    }
    const std::uint64_t address = context.arena.allocate(bytes, Arena::Kind::pinned, name);
    if (address == 0) return out_of_memory(context, name, bytes);
    context.host[address] = {bytes, true, flags | CU_MEMHOSTALLOC_DEVICEMAP};
    driver().connect_shared();
    *pointer = reinterpret_cast<void*>(address);
    return CUDA_SUCCESS;
  });
}

// The range that holds an address, of any context: portable memory is everybody's.
const std::pair<const std::uint64_t, Context::HostRange>* find_range(std::uint64_t address) {
  for (const auto& [handle, context] : driver().contexts) {
    if (const auto* found = context->host_range_at(address)) return found;
  }
  return nullptr;
}

}  // namespace
}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuMemHostAlloc(void** pointer, size_t bytes, unsigned int flags) {
  return allocate_host("cuMemHostAlloc", pointer, bytes, flags);
}
CUresult cuMemAllocHost_v2(void** pointer, size_t bytes) {
  return allocate_host("cuMemAllocHost_v2", pointer, bytes, 0);
}

CUresult cuMemFreeHost(void* pointer) {
  return with_owner("cuMemFreeHost", Waits::yes, AddressHandle{number(pointer)},
                    [&](Context& context) -> CUresult {
                      if (pointer == nullptr) return CUDA_SUCCESS;
                      const CUresult result = refuse_unsafe(context);
                      if (result != CUDA_SUCCESS) return result;
                      Context* owner = driver().owner(number(pointer));
                      Context& asked = owner == nullptr ? context : *owner;
                      const auto found = asked.host.find(number(pointer));
                      if (owner == nullptr || found == owner->host.end() || !found->second.owned ||
                          owner->from_pool.contains(found->first)) {
                        report_wrong_free(asked, "cuMemFreeHost", number(pointer));
                        return CUDA_ERROR_INVALID_VALUE;
                      }
                      owner->arena.free(found->first);
                      owner->host.erase(found);
                      return CUDA_SUCCESS;
                    });
}

CUresult cuMemHostRegister_v2(void* pointer, size_t bytes, unsigned int flags) {
  return with_context("cuMemHostRegister", Waits::no, [&](Context& context) -> CUresult {
    constexpr unsigned int known =
        CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP | CU_MEMHOSTREGISTER_READ_ONLY;
    if (pointer == nullptr || bytes == 0 || (flags & ~(known | CU_MEMHOSTREGISTER_IOMEMORY)) != 0 ||
        number(pointer) + bytes < bytes)
      return CUDA_ERROR_INVALID_VALUE;
    if ((flags & CU_MEMHOSTREGISTER_IOMEMORY) != 0) return CUDA_ERROR_NOT_SUPPORTED;
    auto after = context.host.lower_bound(number(pointer));
    if (after != context.host.end() && after->first < number(pointer) + bytes)
      return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    if (after != context.host.begin()) {
      const auto before = std::prev(after);
      if (before->first + before->second.bytes > number(pointer))
        return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    }
    const bool read_only = (flags & CU_MEMHOSTREGISTER_READ_ONLY) != 0;
    if (!context.arena.contains(number(pointer)) &&
        !context.arena.lend(number(pointer), bytes, read_only))
      return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    context.host[number(pointer)] = {bytes, false, flags};
    driver().connect_shared();
    return CUDA_SUCCESS;
  });
}

CUresult cuMemHostUnregister(void* pointer) {
  return with_owner("cuMemHostUnregister", Waits::yes, AddressHandle{number(pointer)},
                    [&](Context& context) -> CUresult {
                      if (pointer == nullptr) return CUDA_ERROR_INVALID_VALUE;
                      const auto found = context.host.find(number(pointer));
                      if (found == context.host.end() || found->second.owned)
                        return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
                      context.arena.take_back(found->first);
                      context.host.erase(found);
                      return CUDA_SUCCESS;
                    });
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* address, void* pointer, unsigned int flags) {
  return with_context("cuMemHostGetDevicePointer", Waits::no, [&](Context&) -> CUresult {
    if (address == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    if (find_range(number(pointer)) == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *address = number(pointer);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemHostGetFlags(unsigned int* flags, void* pointer) {
  return with_context("cuMemHostGetFlags", Waits::no, [&](Context&) -> CUresult {
    const auto* range = find_range(number(pointer));
    if (flags == nullptr || range == nullptr || !range->second.owned)
      return CUDA_ERROR_INVALID_VALUE;
    *flags = range->second.flags;
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
