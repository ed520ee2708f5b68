// Memory of other processes, mapped here.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>

#include "api/cuda_api.hpp"
#include "memory/exports.hpp"

namespace warpmark::cpu {

struct Context;
struct Pool;

/// Makes the client's handle of 64 bytes: an Export, padded with zeros.
template <typename Handle>
Handle handle_of(const Export& name) {
  static_assert(sizeof(Handle) >= sizeof(Export));
  Handle handle{};
  std::memcpy(&handle, &name, sizeof name);
  return handle;
}
template <typename Handle>
Export export_of(const Handle& handle) {
  Export name;
  std::memcpy(static_cast<void*>(&name), &handle, sizeof name);
  return name;
}

/// Another process's memory that is mapped, by its address here.
struct OpenedMemory {
  std::uint64_t bytes = 0;
  const Context* context = nullptr;  ///< in which it was opened
  Export name;
  std::uint64_t references = 1;
  const Pool* pool = nullptr;  ///< the imported pool that it was imported from, if it was
};
using OpenedMemories = std::map<CUdeviceptr, OpenedMemory>;

/// Maps the memory that `name` names, for the pool's device or the context's; it is unmapped with
/// the context. `of_own` tells that it may be this process's own memory.
CUresult open_memory(Context& context, const Export& name, const Pool* pool, bool of_own,
                     CUdeviceptr* address);
/// Unmaps memory once it was closed as often as it was opened. An error if no memory was opened
/// there.
CUresult close_memory(CUdeviceptr address);
/// Unmaps all memory that a context, which is about to be destroyed, has opened.
void close_memories(const Context& context);

}  // namespace warpmark::cpu
