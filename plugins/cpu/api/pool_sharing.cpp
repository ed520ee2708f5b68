// Pools whose memory other processes import: a file says whose a pool is, and a pointer is named as
// cuIpcGetMemHandle names one.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "api/ipc.hpp"
#include "api/owner.hpp"
#include "api/state.hpp"

namespace warpmark::cpu {
namespace {

// The content of a pool's file.
struct PoolFile {
  char magic[24] = "warpmark memory pool";
  std::int32_t process = 0, device = 0;
  std::uint64_t start = 0, number = 0;
};

// The content of a pointer's export data: its owner, and the number of its pool.
struct PointerData {
  Export name;
  std::uint64_t number = 0;
};
static_assert(sizeof(PointerData) <= sizeof(CUmemPoolPtrExportData));

CUresult export_pool(const Pool& pool, int& descriptor) {
  PoolFile content;
  const Process own = own_process();
  content.process = own.id;
  content.start = own.start;
  content.device = pool.place.id;
  content.number = pool.number;
  descriptor = memfd_create("warpmark-memory-pool", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) return CUDA_ERROR_OPERATING_SYSTEM;
  if (write(descriptor, &content, sizeof content) == sizeof content &&
      fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) == 0)
    return CUDA_SUCCESS;
  close(descriptor);
  return CUDA_ERROR_OPERATING_SYSTEM;
}

bool read_pool(int descriptor, PoolFile& content) {
  const PoolFile known;
  const int seals = fcntl(descriptor, F_GET_SEALS);
  return seals >= 0 && (seals & F_SEAL_WRITE) != 0 &&
         pread(descriptor, &content, sizeof content, 0) == sizeof content &&
         std::memcmp(content.magic, known.magic, sizeof known.magic) == 0;
}

bool is_file(CUmemAllocationHandleType type) {
  return number_in(type) == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
}

}  // namespace
}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuMemPoolExportToShareableHandle(void* handle, CUmemoryPool pool,
                                          CUmemAllocationHandleType type,
                                          unsigned long long flags) {
  return with_pool("cuMemPoolExportToShareableHandle", pool, [&](const Pool& found) -> CUresult {
    if (handle == nullptr || flags != 0 || !is_file(type) ||
        (found.handle_types & number_in(type)) == 0 || found.imported)
      return fail(CUDA_ERROR_INVALID_VALUE, "the pool was not created with this handle type");
    int descriptor = -1;
    const CUresult result = export_pool(found, descriptor);
    return result != CUDA_SUCCESS ? result : put(handle, descriptor);
  });
}

CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool* pool, void* handle,
                                            CUmemAllocationHandleType type,
                                            unsigned long long flags) {
  return initialised("cuMemPoolImportFromShareableHandle", [&]() -> CUresult {
    if (pool == nullptr || flags != 0 || !is_file(type)) return CUDA_ERROR_INVALID_VALUE;
    PoolFile content;
    if (!read_pool(static_cast<int>(reinterpret_cast<std::intptr_t>(handle)), content))
      return fail(CUDA_ERROR_UNKNOWN, "the descriptor is not one of a memory pool");
    if (!driver().is_device(content.device))
      return fail(CUDA_ERROR_NOT_SUPPORTED,
                  "the pool is of a device that this process does not have");
    auto made = std::make_unique<Pool>();
    made->place.id = content.device;
    made->imported = true;
    made->owner = {content.process, content.start};
    made->number = content.number;
    *pool = reinterpret_cast<CUmemoryPool>(made.get());
    driver().pools.emplace(*pool, std::move(made));
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData* data, CUdeviceptr address) {
  return with_owner(
      "cuMemPoolExportPointer", Waits::no, AddressHandle{address},
      [&](Context& context) -> CUresult {
        if (data == nullptr) return CUDA_ERROR_INVALID_VALUE;
        const Allocation* found = context.arena.find(address, 1);
        const Pool* pool = found == nullptr ? nullptr : find_in(context.from_pool, found->address);
        if (pool == nullptr || (pool->handle_types & CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) == 0)
          return fail(CUDA_ERROR_INVALID_VALUE,
                      "the address is not that of memory of a pool that can be shared");
        PointerData content;
        if (!context.arena.export_allocation(*found, content.name)) return CUDA_ERROR_OUT_OF_MEMORY;
        content.number = pool->number;
        *data = {};
        std::memcpy(data, &content, sizeof content);
        return CUDA_SUCCESS;
      });
}

CUresult cuMemPoolImportPointer(CUdeviceptr* address, CUmemoryPool pool,
                                CUmemPoolPtrExportData* data) {
  return with_pool("cuMemPoolImportPointer", pool, [&](const Pool& found) -> CUresult {
    if (address == nullptr || data == nullptr) return CUDA_ERROR_INVALID_VALUE;
    PointerData content;
    std::memcpy(static_cast<void*>(&content), data, sizeof content);
    const Process of{content.name.process, content.name.start};
    if (!found.imported || !(of == found.owner) || content.number != found.number)
      return fail(CUDA_ERROR_INVALID_VALUE, "the pointer is not of this imported pool");
    // The pool's device may have no context here, if another one uses its memory.
    Context* context = context_of(found.place.id);
    if (context == nullptr) {
      const CUresult current = current_context(Waits::no, context);
      if (current != CUDA_SUCCESS) return current;
    }
    const CUresult result = open_memory(*context, content.name, &found, true, address);
    // An invalid handle is an invalid value here.
    if (result == CUDA_ERROR_INVALID_HANDLE) return CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS) share_imported(*address, found);
    return result;
  });
}

}  // extern "C"
