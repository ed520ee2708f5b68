// Memory that graphs allocate and free.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "api/state.hpp"
#include "api/work.hpp"

namespace warpmark::cpu {
namespace {

struct Bytes {
  std::uint64_t used = 0, reserved = 0;
};

// The bytes of graphs' memory in all contexts of a device.
Bytes bytes_of_graphs(int device) {
  Bytes bytes;
  for (const auto& [handle, context] : driver().contexts) {
    if (context->device != device) continue;
    for (const auto& [address, memory] : context->graph_memory) {
      const auto held = memory.lock();
      bytes.reserved += held == nullptr ? 0 : held->bytes;
    }
    for (const auto& [address, memory] : context->graph_live) bytes.used += memory->bytes;
  }
  return bytes;
}

void mark_most(int device) {
  Device& of = driver().device(device);
  const Bytes bytes = bytes_of_graphs(device);
  of.graph_used_most = std::max(of.graph_used_most, bytes.used);
  of.graph_reserved_most = std::max(of.graph_reserved_most, bytes.reserved);
}

}  // namespace

GraphMemory::~GraphMemory() {
  Context* owner = driver().find(context);
  if (owner == nullptr || owner->id != context_id) return;  // its memory went with it
  owner->graph_memory.erase(address);
  allocation->live = true;
  owner->arena.free(address);
}

CUresult reserve(Context& context, const CUDA_MEM_ALLOC_NODE_PARAMS& parameters,
                 AllocateWork& work) {
  const CUmemPoolProps& pool = parameters.poolProps;
  if (parameters.bytesize == 0 || number_in(pool.allocType) != CU_MEM_ALLOCATION_TYPE_PINNED ||
      (parameters.accessDescCount != 0 && parameters.accessDescs == nullptr))
    return CUDA_ERROR_INVALID_VALUE;
  if (number_in(pool.handleTypes) != CU_MEM_HANDLE_TYPE_NONE ||
      number_in(pool.location.type) != CU_MEM_LOCATION_TYPE_DEVICE)
    return CUDA_ERROR_NOT_SUPPORTED;
  if (!driver().is_device(pool.location.id)) return CUDA_ERROR_INVALID_VALUE;
  if (pool.location.id != context.device)
    return fail(CUDA_ERROR_NOT_SUPPORTED, "a graph allocates memory of its context's device only");
  const std::uint64_t address =
      context.arena.allocate(parameters.bytesize, Arena::Kind::device, "cuGraphAddMemAllocNode");
  if (address == 0) return CUDA_ERROR_OUT_OF_MEMORY;
  auto memory = std::make_shared<GraphMemory>();
  memory->context = reinterpret_cast<CUcontext>(&context);
  memory->context_id = context.id;
  memory->address = address;
  memory->bytes = parameters.bytesize;
  memory->allocation = context.arena.find(address);
  memory->allocation->live = false;  // until a launch comes to the node
  context.graph_memory[address] = memory;
  work.memory = std::move(memory);
  work.parameters = parameters;
  work.parameters.accessDescs = nullptr;  // the caller's array
  work.parameters.accessDescCount = 0;
  work.parameters.dptr = address;
  mark_most(context.device);
  return CUDA_SUCCESS;
}

CUresult perform_allocate(Context& context, const AllocateWork& work) {
  GraphMemory& memory = *work.memory;
  if (!context.graph_live.emplace(memory.address, work.memory).second)
    return CUDA_ERROR_INVALID_VALUE;
  memory.allocation->live = true;
  if (context.launch_limits.checks.init)
    context.arena.set_values(memory.address, memory.bytes, false);
  mark_most(context.device);
  return CUDA_SUCCESS;
}

CUresult perform_free(Context& context, const FreeWork& work) {
  return free_of_graph(context, work.address).value_or(CUDA_ERROR_INVALID_VALUE);
}

std::optional<CUresult> free_of_graph(Context& context, std::uint64_t address) {
  if (!context.graph_memory.contains(address)) return std::nullopt;
  const auto found = context.graph_live.find(address);
  if (found == context.graph_live.end()) return CUDA_ERROR_INVALID_VALUE;
  found->second->allocation->live = false;
  const auto last = std::move(found->second);  // perhaps nobody else has it
  context.graph_live.erase(found);
  return CUDA_SUCCESS;
}

}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute,
                                      void* value) {
  return initialised("cuDeviceGetGraphMemAttribute", [&]() -> CUresult {
    if (!driver().is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const Device& of = driver().device(device);
    const Bytes bytes = bytes_of_graphs(device);
    switch (number_in(attribute)) {
      case CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT:
        return put(value, bytes.used);
      case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH:
        return put(value, of.graph_used_most);
      case CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT:
        return put(value, bytes.reserved);
      case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH:
        return put(value, of.graph_reserved_most);
      default:
        return CUDA_ERROR_INVALID_VALUE;
    }
  });
}

CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute,
                                      void* value) {
  return initialised("cuDeviceSetGraphMemAttribute", [&]() -> CUresult {
    if (!driver().is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    std::uint64_t number = 1;
    if (value != nullptr) std::memcpy(&number, value, sizeof number);
    if (number != 0) return CUDA_ERROR_INVALID_VALUE;  // high marks can only be reset
    Device& of = driver().device(device);
    const unsigned int which = number_in(attribute);
    if (which == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH)
      of.graph_used_most = bytes_of_graphs(device).used;
    else if (which == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH)
      of.graph_reserved_most = bytes_of_graphs(device).reserved;
    else
      return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
  });
}

// There is nothing to trim: what graphs do not name any more went back at once.
CUresult cuDeviceGraphMemTrim(CUdevice device) {
  return initialised("cuDeviceGraphMemTrim", [&]() -> CUresult {
    return driver().is_device(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
  });
}

}  // extern "C"
