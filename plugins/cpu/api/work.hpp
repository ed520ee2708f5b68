// Asynchronous work as data: what a stream executes, a capture records and a graph replays.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "api/cuda_api.hpp"
#include "machine/device_launch.hpp"

namespace warpmark::cpu {

struct Allocation;
struct Context;
struct Graph;

struct EmptyWork {};

struct KernelWork {
  CUfunction function = nullptr;
  std::array<unsigned int, 3> grid{}, block{}, cluster{};  ///< cluster: 0 = none asked for
  unsigned int shared = 0;                                 ///< bytes
  bool cooperative = false;
  std::vector<std::byte> parameters;  ///< by the kernel's layout

  KernelWork() = default;
  KernelWork(CUfunction the_function, const std::array<unsigned int, 3>& the_grid,
             const std::array<unsigned int, 3>& the_block, unsigned int the_shared)
      : function(the_function), grid(the_grid), block(the_block), shared(the_shared) {}
};

/// A copy between linear memories (and arrays, where those are supported).
struct CopyWork {
  CUDA_MEMCPY3D copy{};
};

struct FillWork {
  CUDA_MEMSET_NODE_PARAMS fill{};
};

struct HostWork {
  CUDA_HOST_NODE_PARAMS call{};
};

struct ChildWork {
  std::shared_ptr<Graph> graph;
};

struct RecordWork {
  CUevent event = nullptr;
};

struct WaitWork {
  CUevent event = nullptr;
};

/// cuStreamWriteValue and cuStreamWaitValue.
struct ValueWork {
  CUdeviceptr address = 0;
  std::uint64_t value = 0;
  unsigned int flags = 0;
  bool wide = false;  ///< 64 bits
  bool wait = false;
};

/// Memory that a graph allocates. Its address is the same in all launches and not shared with other
/// memory; the memory can be used from a launch that allocates it on until it is freed.
struct GraphMemory {
  GraphMemory() = default;
  ~GraphMemory();  ///< releases the addresses
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;

  CUcontext context = nullptr;
  std::uint64_t context_id = 0;  ///< a later context may have the same handle
  std::uint64_t address = 0, bytes = 0;
  Allocation* allocation = nullptr;  ///< of the context's arena, which keeps it
};

struct AllocateWork {
  std::shared_ptr<GraphMemory> memory;
  CUDA_MEM_ALLOC_NODE_PARAMS parameters{};
};

struct FreeWork {
  CUdeviceptr address = 0;
};

/// The condition of a graph's conditional node: a number in the device's memory, whose address is
/// the handle that kernels hand to cudaGraphSetConditional.
struct Condition {
  Condition() = default;
  ~Condition();
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;

  CUcontext context = nullptr;
  std::uint64_t context_id = 0;
  CUgraphConditionalHandle address = 0;
  unsigned int initial = 0;
  bool assigned = false;  ///< `initial` is assigned at each launch
};

struct ConditionalWork {
  std::shared_ptr<Condition> condition;
  unsigned int type = CU_GRAPH_COND_TYPE_IF;
  std::vector<std::shared_ptr<Graph>> bodies;
  std::vector<CUgraph> handles;  ///< of the bodies, for the client
};

using Work = std::variant<EmptyWork, KernelWork, CopyWork, FillWork, HostWork, ChildWork,
                          RecordWork, WaitWork, ValueWork, AllocateWork, FreeWork, ConditionalWork>;

/// Returns whether work is of one of these kinds.
template <typename... Kinds>
bool is_any(const Work& work) {
  return (std::holds_alternative<Kinds>(work) || ...);
}

/// Executes work in a context. Not for HostWork, which must run without the driver's lock, and
/// ChildWork and ConditionalWork, whose parts are performed one by one: these do nothing here.
CUresult perform(Context& context, const Work& work);

/// Hands work to a stream: executes it, or records it if the stream is capturing. Work behind a
/// launch that failed is dropped.
CUresult submit(Context& context, CUstream stream, Work work);

/// The same for copies and fills, whose ranges must be allocated, or, if the stream captures, will
/// be.
CUresult submit_checked(Context& context, CUstream stream, Work work);

/// A copy of `bytes` between two addresses.
CopyWork linear_copy(std::uint64_t to, CUmemorytype to_type, std::uint64_t from,
                     CUmemorytype from_type, std::size_t bytes);
/// CUDA_SUCCESS if the ranges of a copy are allocated.
CUresult check_copy(Context& context, const CUDA_MEMCPY3D& copy);
CUresult perform_copy(Context& context, const CUDA_MEMCPY3D& copy);
CUresult check_fill(Context& context, const CUDA_MEMSET_NODE_PARAMS& fill);
CUresult perform_fill(Context& context, const CUDA_MEMSET_NODE_PARAMS& fill);

/// Reserves addresses for memory that a graph will allocate, on the context's device.
CUresult reserve(Context& context, const CUDA_MEM_ALLOC_NODE_PARAMS& parameters,
                 AllocateWork& work);
CUresult perform_allocate(Context& context, const AllocateWork& work);
CUresult perform_free(Context& context, const FreeWork& work);
/// Frees memory of a graph, for calls that free any memory. Returns nothing if the address is not a
/// graph's.
std::optional<CUresult> free_of_graph(Context& context, std::uint64_t address);

/// Fills in `work.parameters` from the two forms of a launch, and checks the configuration.
CUresult prepare_kernel(Context& context, KernelWork& work, void** parameters, void** extra);
CUresult perform_kernel(Context& context, const KernelWork& work);
/// The counts that a launch shares with the launches that its kernels asked for.
struct Nesting {
  std::uint32_t depth = 0;     ///< 0: the program's own launch
  std::uint64_t launches = 0;  ///< launches by kernels
  std::uint64_t executed = 0;  ///< thread-instructions
  std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
};
CUresult run_kernel(Context& context, const KernelWork& work, Nesting& nesting);
/// Runs what a kernel of the module launched, and what that launches, until one fails.
CUresult perform_device_launches(Context& context, LoadedModule& module,
                                 const std::vector<DeviceLaunch>& launches, Nesting& nesting);

}  // namespace warpmark::cpu
