// Memory of other processes: handles of allocations, and mapping those of others.
#include "api/ipc.hpp"

#include <memory>
#include <new>
#include <string_view>
#include <vector>

#include "api/owner.hpp"
#include "api/state.hpp"

namespace warpmark::cpu {

bool can_be_shared(const Context& context, const Allocation& allocation) {
  if (allocation.host_visible || allocation.by == nullptr) return false;
  const std::string_view by = allocation.by;
  return (by == "cuMemAlloc_v2" || by == "cuMemAllocPitch_v2") &&
         !context.from_pool.contains(allocation.address);
}

CUresult open_memory(Context& context, const Export& name, const Pool* pool, bool of_own,
                     CUdeviceptr* address) {
  const ExportedRange range = find_export(name);
  if (range.own && !of_own) {
    if (range.file >= 0) (void)PhysicalMemory::part_of(range.file, 0, 0, 0);  // closes it
    return fail(CUDA_ERROR_INVALID_CONTEXT, "the handle is of this process's own memory");
  }
  if (range.file < 0)
    return fail(CUDA_ERROR_INVALID_HANDLE,
                "the handle is that of no live allocation of a process that lives");
  const int device = pool == nullptr ? context.device : pool->place.id;
  const std::shared_ptr<PhysicalMemory> memory =
      PhysicalMemory::part_of(range.file, range.offset, range.bytes, device);
  VirtualMemory& addresses = driver().reservable();
  const char* by = pool == nullptr ? "cuIpcOpenMemHandle" : "cuMemPoolImportPointer";
  const std::uint64_t at = addresses.reserve(range.bytes, 0, 0, by);
  if (at == 0) return CUDA_ERROR_MAP_FAILED;
  try {
    addresses.map(at, range.bytes, 0, memory, by);
  } catch (const std::bad_alloc&) {
    addresses.unreserve(at, range.bytes);
    return CUDA_ERROR_MAP_FAILED;
  }
  addresses.set_access(at, range.bytes, device, VirtualMemory::read_write);
  driver().opened[at] = {range.bytes, &context, name, 1, pool};
  *address = at;
  return CUDA_SUCCESS;
}

CUresult close_memory(CUdeviceptr address) {
  OpenedMemory* found = find_in(driver().opened, address);
  if (found == nullptr)
    return fail(CUDA_ERROR_INVALID_VALUE, "no memory of another process is opened there");
  if (--found->references > 0) return CUDA_SUCCESS;
  driver().virtual_memory->unmap(address, found->bytes);
  driver().virtual_memory->unreserve(address, found->bytes);
  driver().opened.erase(address);
  return CUDA_SUCCESS;
}

void close_memories(const Context& context) {
  std::vector<CUdeviceptr> gone;
  for (auto& [address, opened] : driver().opened) {
    if (opened.context != &context) continue;
    opened.references = 1;
    gone.push_back(address);
  }
  for (const CUdeviceptr address : gone) close_memory(address);
}

}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr address) {
  return with_context_and_owner(
      "cuIpcGetMemHandle", Waits::no, AddressHandle{address}, [&](Context& context) -> CUresult {
        if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
        const Allocation* found = context.arena.find(address, 1);
        if (found == nullptr || !can_be_shared(context, *found))
          return fail(CUDA_ERROR_INVALID_VALUE, "the address is not that of memory of cuMemAlloc");
        Export name;
        if (!context.arena.export_allocation(*found, name)) return CUDA_ERROR_OUT_OF_MEMORY;
        *handle = handle_of<CUipcMemHandle>(name);
        return CUDA_SUCCESS;
      });
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr* address, CUipcMemHandle handle, unsigned int flags) {
  return with_context("cuIpcOpenMemHandle", Waits::no, [&](Context& context) -> CUresult {
    if (address == nullptr || flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)
      return CUDA_ERROR_INVALID_VALUE;
    const Export name = export_of(handle);
    if (name.magic != Export::kMagic)
      return fail(CUDA_ERROR_INVALID_VALUE, "the handle is not one of cuIpcGetMemHandle");
    for (auto& [at, opened] : driver().opened) {
      if (opened.context != &context || opened.pool != nullptr || opened.name.secret != name.secret)
        continue;
      ++opened.references;
      return give(address, at);
    }
    return open_memory(context, name, nullptr, false, address);
  });
}
CUresult cuIpcOpenMemHandle(CUdeviceptr* address, CUipcMemHandle handle, unsigned int flags) {
  return cuIpcOpenMemHandle_v2(address, handle, flags);
}

CUresult cuIpcCloseMemHandle(CUdeviceptr address) {
  return with_context("cuIpcCloseMemHandle", Waits::yes, [&](Context&) -> CUresult {
    const OpenedMemory* found = find_in(driver().opened, address);
    if (found != nullptr && found->pool != nullptr) return CUDA_ERROR_INVALID_VALUE;
    return close_memory(address);
  });
}

}  // extern "C"
