// The driver's objects: contexts and what they own; how entry points reach them.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/array.hpp"
#include "api/coverage.hpp"
#include "api/cuda_api.hpp"
#include "api/find.hpp"
#include "api/ipc.hpp"
#include "api/jit.hpp"
#include "api/loaded_text.hpp"
#include "api/ptxas.hpp"
#include "inspect/fault.hpp"
#include "machine/grid.hpp"
#include "machine/heap.hpp"
#include "memory/arena.hpp"
#include "memory/multicast.hpp"
#include "memory/virtual_memory.hpp"
#include "program/program.hpp"
#include "ptx/link.hpp"
#include "ptx/module.hpp"

namespace warpmark::cpu {

/// Versions and sizes that the device reports; an H200's, with the memory of a modest one.
struct DeviceProperties {
  static constexpr std::uint32_t max_threads = 1024;
  static constexpr std::uint32_t multiprocessors = kMultiprocessors;
  static constexpr std::uint32_t portable_cluster_blocks = 8;
  static constexpr std::uint32_t max_cluster_blocks = 16;      ///< where a kernel allows it
  static constexpr std::uint32_t shared_per_block = 48 << 10;  ///< without asking for more
  static constexpr std::uint32_t shared_per_block_optin = 227 << 10;
  std::uint64_t memory = std::uint64_t{4} << 30;  ///< bytes
  /// Addresses of a context, more than its memory: accesses to freed ones are found.
  std::uint64_t address_span() const { return spread * memory; }
  std::uint64_t spread = 8;
  int major = 9, minor = 0;
  int driver_version = 13000;    ///< as cuDriverGetVersion has it
  std::uint32_t newest_ptx = 0;  ///< 90 for .version 9.0, which a named driver ends at; 0 for any
};

/// A kernel of a loaded module; CUfunction is its address.
struct Kernel {
  struct LoadedModule* module = nullptr;
  const Function* function = nullptr;
  std::shared_ptr<KernelCode> code;
  /// Registers of a thread, as ptxas would give them out; 0: unknown, and they have no cost.
  std::uint32_t registers = 0;
  std::uint32_t max_dynamic_shared = DeviceProperties::shared_per_block;
  int carveout = -1;                   ///< CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT
  bool non_portable_clusters = false;  ///< CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_…
  int cluster_scheduling = 0;          ///< CUclusterSchedulingPolicy
  std::array<std::uint32_t, 3> set_cluster{};  ///< CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_…; 0 = unset
  /// The blocks of a cluster that its launches must have; 0 = not given.
  const std::array<std::uint32_t, 3>& required_cluster() const {
    return function->cluster[0] != 0 ? function->cluster : set_cluster;
  }
  std::uint32_t most_cluster_blocks() const {
    return non_portable_clusters ? DeviceProperties::max_cluster_blocks
                                 : DeviceProperties::portable_cluster_blocks;
  }
  // Settings for the launches of CUDA 3: cuFuncSetBlockShape, cuParamSet…
  std::array<unsigned int, 3> block_shape{1, 1, 1};
  unsigned int shared_size = 0;
  std::vector<std::byte> parameters;
};

/// A loaded module; CUmodule is its address.
struct LoadedModule {
  struct Context* context = nullptr;
  std::shared_ptr<LoadedText> text;
  std::unordered_map<std::string_view, std::uint64_t>
      addresses;  ///< of global and constant variables
  std::unordered_map<std::string_view, std::unique_ptr<Kernel>> kernels;
  bool of_library = false;  ///< cuModuleUnload does not apply
  std::string source;       ///< the text, until ptxas has told its kernels' registers
  Registers registers;      ///< as ptxas tells
  [[nodiscard]] const Module& ptx() const { return text->module(); }
};

/// A kernel of a library, the same for all contexts; CUkernel is its address.
struct LibraryKernel {
  struct Library* library = nullptr;
  std::string name;
};

/// Code that belongs to no context; CUlibrary is its address. Each context that uses it loads it.
struct Library {
  std::string text;
  std::map<std::string, std::unique_ptr<LibraryKernel>, std::less<>> kernels;
  std::map<struct Context*, LoadedModule*> modules;
};

struct Capture;

struct Stream {
  struct Context* context = nullptr;
  unsigned int flags = 0;
  int priority = 0;
  std::uint64_t id = 0;
  std::shared_ptr<Capture> capture;    ///< capture that it records into, or null
  std::vector<struct Node*> last;      ///< nodes of the capture that the next node depends on
  CUstreamAttrValue attributes[16]{};  ///< by CUstreamAttrID
};

/// Texts that wait to be linked; CUlinkState is its address.
struct Link {
  JitLogs logs;
  std::string errors;    ///< of all calls, a line each, for the log
  std::string left_out;  ///< inputs without PTX for this device, and why
  std::vector<LinkInput> inputs;
  std::string image;  ///< of the finished link; the client reads it until the link is destroyed
};

struct Event {
  struct Context* context = nullptr;
  unsigned int flags = 0;
  bool recorded = false;
  std::chrono::steady_clock::time_point when;
  std::shared_ptr<Capture> capture;           ///< capture in which it was recorded last
  std::vector<struct Node*> nodes;            ///< nodes of the capture that it represents
  std::shared_ptr<class SharedEvent> shared;  ///< set if it is shared with other processes
};

/// The type and the location of a pool's memory, as given to cuMemPoolCreate.
struct PoolPlace {
  unsigned int type = CU_MEM_ALLOCATION_TYPE_PINNED;  ///< or CU_MEM_ALLOCATION_TYPE_MANAGED
  unsigned int location = CU_MEM_LOCATION_TYPE_DEVICE;
  int id = 0;  ///< of the device or the NUMA node; 0 where it is ignored
  bool operator==(const PoolPlace&) const = default;
  bool operator<(const PoolPlace& other) const {
    return std::tie(type, location, id) < std::tie(other.type, other.location, other.id);
  }
  [[nodiscard]] bool is_managed() const { return type != CU_MEM_ALLOCATION_TYPE_PINNED; }
  [[nodiscard]] bool is_device() const {
    return !is_managed() && location == CU_MEM_LOCATION_TYPE_DEVICE;
  }
  [[nodiscard]] bool is_host() const { return !is_managed() && !is_device(); }
};

/// CUmemoryPool is its address. Freed memory goes back to the device at once.
struct Pool {
  PoolPlace place;
  bool shared = false;    ///< a place's default pool, which cannot be destroyed
  bool imported = false;  ///< another process's, `owner`, and there `number`
  Process owner;
  std::uint64_t number = 0;       ///< of the process's pools
  unsigned int handle_types = 0;  ///< by which it can be exported
  std::uint64_t release_threshold = 0, used = 0, most_used = 0;
  std::uint64_t most = 0;                   ///< bytes that it may hold; 0: no limit
  int reuse[3] = {1, 1, 1};                 ///< the three CU_MEMPOOL_ATTR_REUSE_… switches
  std::map<int, CUmemAccess_flags> access;  ///< of other devices
  /// Which devices have access, as Allocation::shared_with counts them; or can only read.
  [[nodiscard]] std::uint16_t devices(CUmemAccess_flags with) const;
  [[nodiscard]] CUmemAccess_flags access_of(int device) const;
};

/// The pools of a place other than a device's own memory.
struct PoolsOfPlace {
  Pool standard;
  Pool* current = nullptr;
};

struct Limits {
  std::uint64_t instruction_budget = 0, wall_limit_ms = 0, schedule_seed = 0;
  bool exact_bounds = true;
  Checks checks;                ///< beyond bounds
  bool strict_proxies = false;  ///< Checks::strict_proxies
  bool leaks = false;           ///< allocations left when a context is destroyed are reported
  std::uint32_t workers = 1;
  bool traffic = false;   ///< memory traffic is counted
  bool lines = false;     ///< traffic is counted for each line
  bool samples = false;   ///< samples of traffic are taken
  bool coverage = false;  ///< what runs of a text is counted
};

/// The counters of a launch; made into text only on request.
struct LaunchCounters {
  std::uint64_t number = 0;  ///< of the context's launches, from 1
  std::string kernel;
  std::uint64_t thread_instructions = 0, warp_instructions = 0;
  Counters counters{};
  std::string more;  ///< further members of the JSON object, if traffic was counted
};

struct GraphMemory;

/// The advice for pages of managed memory, from cuMemAdvise and cuMemPrefetchAsync. Devices are
/// ordinals, CU_DEVICE_CPU or CU_DEVICE_INVALID.
struct PageAdvice {
  bool read_mostly = false;
  int preferred = CU_DEVICE_INVALID, last_prefetch = CU_DEVICE_INVALID;
  std::vector<int> accessed_by;  ///< in the order of the calls
};
/// Advice by the offset of its first page; it applies until the next entry's first page.
using ManagedAdvice = std::map<std::uint64_t, PageAdvice>;

/// A context; CUcontext is its address.
struct Context {
  Context();
  Arena arena;
  int device = 0;
  std::uint64_t id = 0;
  unsigned int version = 3020;  ///< cuCtxGetApiVersion
  unsigned int flags = 0;
  bool primary = false;
  unsigned int attached = 1;  ///< cuCtxAttach and cuCtxDetach count
  int cache_config = 0, shared_config = 1;
  std::set<Context*> peers;  ///< contexts whose memory this context's kernels may use
  std::map<CUmodule, std::unique_ptr<LoadedModule>> modules;
  std::map<CUfunction, Kernel*> kernels;
  std::map<CUstream, std::unique_ptr<Stream>> streams;
  Stream per_thread_stream;  ///< CU_STREAM_PER_THREAD, one for all threads
  std::map<CUevent, std::unique_ptr<Event>> events;
  std::map<CUlinkState, std::unique_ptr<Link>> links;
  Images images;
  std::unique_ptr<InspectionMemory> inspection;  ///< set once checks beyond bounds run
  struct HostRange {
    std::size_t bytes = 0;
    bool owned = false;  ///< allocated here, not registered
    unsigned int flags = 0;
  };
  std::map<std::uint64_t, HostRange> host;  ///< pinned host memory by address
  /// The range of host memory that holds an address, or null.
  [[nodiscard]] const std::pair<const std::uint64_t, HostRange>* host_range_at(
      std::uint64_t address) const;
  std::map<std::uint64_t, Pool*> from_pool;  ///< allocations by address
  /// Allocations made by cuMemAllocManaged, and the advice for their pages.
  std::map<std::uint64_t, ManagedAdvice> managed;
  /// Memory of graphs by address, and the memory that a launch allocated and that is not freed yet.
  std::map<std::uint64_t, std::weak_ptr<GraphMemory>> graph_memory;
  std::map<std::uint64_t, std::shared_ptr<GraphMemory>> graph_live;
  std::map<unsigned int, std::size_t> limits;  ///< by CUlimit
  Limits launch_limits;
  /// Registers of kernels by name, of which configure tells; for kernels that are got from now on.
  std::map<std::string, std::uint32_t, std::less<>> registers;
  std::uint64_t launches = 0;
  std::deque<std::string> reports;  ///< JSON lines not drained yet
  static constexpr std::size_t kMostReports = 1 << 16;
  std::deque<LaunchCounters> counters;  ///< not drained yet
  /// The same of each text that was launched from, in the order of their first launches. A text
  /// stays if its module is unloaded.
  std::deque<ModuleCoverage> coverage;
  std::unique_ptr<DeviceHeap> heap;  ///< once a kernel needs it
  PrintLog printed, asserted;        ///< not written yet
  /// The error of a failed launch that no waiting call has returned yet. On a GPU a call at any
  /// later time may return it; here it is always the next call that synchronises.
  CUresult pending = CUDA_SUCCESS;
  /// The error that destroyed the context, which every further call returns.
  CUresult sticky = CUDA_SUCCESS;
};

struct Graph;
struct Node;
struct GraphExec;
struct UserObject;

/// One of the devices that WARPMARK_CPU_DEVICES asks for.
struct Device {
  Context* primary = nullptr;  ///< null while it is not active
  /// The memory of the primary context: its handle is the same after a reset or a last release.
  alignas(Context) std::byte primary_place[sizeof(Context)]{};
  bool primary_known = false;  ///< active at least once, so a client may have its handle
  unsigned int primary_references = 0, primary_flags = 0;
  Pool default_pool;
  Pool* pool = nullptr;  ///< pool that cuMemAllocAsync allocates from
  std::uint64_t graph_used_most = 0, graph_reserved_most = 0;  ///< bytes of graphs' memory
  std::uint64_t physical_used = 0;                             ///< bytes that cuMemCreate made
};

/// Memory made by cuMemCreate, while a program holds it; mappings hold the memory, too.
struct MemoryHandle {
  std::shared_ptr<PhysicalMemory> memory;  ///< null of a multicast object
  std::uint64_t references = 1;
  const char* by = nullptr;  ///< the driver's function that gave the handle first
  std::shared_ptr<Multicast> multicast{};
};

/// The process's one driver. Everything in it is guarded by `mutex`.
class Driver {
 public:
  std::mutex mutex;
  bool initialised = false;
  DeviceProperties properties;
  std::deque<Device> devices;
  std::map<CUcontext, std::shared_ptr<Context>> contexts;  ///< active contexts
  LoadedTexts texts;
  std::map<CUlibrary, std::unique_ptr<Library>> libraries;
  std::map<CUkernel, LibraryKernel*> library_kernels;
  std::map<CUmemoryPool, std::unique_ptr<Pool>> pools;
  std::map<PoolPlace, PoolsOfPlace> place_pools;  ///< pools that were asked for
  std::map<CUgraph, std::unique_ptr<Graph>> graphs;
  std::set<const Node*> nodes;  ///< of all graphs, those of children and captures included
  std::set<const Graph*> child_graphs;
  std::map<CUgraphExec, std::shared_ptr<GraphExec>> executables;
  std::map<CUuserObject, std::weak_ptr<UserObject>> user_objects;
  OpenedMemories opened;  ///< of other processes
  std::uint64_t next_pool = 1;
  std::map<CUmemGenericAllocationHandle, MemoryHandle> memory_handles;
  std::uint64_t next_memory_handle = 1;
  std::unique_ptr<VirtualMemory> virtual_memory;  ///< set once addresses are reserved
  MulticastMappings multicasts;
  std::uint64_t next_id = 1;               ///< of contexts, streams and captures
  std::uint64_t next_graph = 1;            ///< number in cuGraphDebugDotPrint
  Limits default_limits;                   ///< of new contexts
  std::uint64_t environment_schedule = 0;  ///< WARPMARK_CPU_SCHEDULE_SEED

  Driver();
  ~Driver();
  [[nodiscard]] Context* find(CUcontext handle) const { return find_in(contexts, handle); }
  [[nodiscard]] bool is_device(int ordinal) const {
    return ordinal >= 0 && static_cast<std::size_t>(ordinal) < devices.size();
  }
  [[nodiscard]] Device& device(int ordinal) { return devices[static_cast<std::size_t>(ordinal)]; }
  /// The context whose memory or address range `address` belongs to, or null.
  [[nodiscard]] Context* owner(std::uint64_t address) const;
  /// The arena that holds an address, for work in `context`: a context's, or that of mapped memory
  /// that its device may use; null if it is not a device address.
  [[nodiscard]] Arena* arena_of(const Context& context, std::uint64_t address,
                                std::uint64_t bytes = 1) const;
  [[nodiscard]] bool is_device_address(std::uint64_t address) const {
    return owner(address) != nullptr ||
           (virtual_memory != nullptr && virtual_memory->contains(address));
  }
  /// Lets each context access the memory that others share with its device: managed memory, pinned
  /// memory and memory of pools. Must be called whenever such memory is added.
  void connect_shared();
  /// The address space in which addresses can be reserved; made on first use, and connected to all
  /// contexts.
  VirtualMemory& reservable();
  Context* create(unsigned int flags, int device);
  /// The device's primary context, which must not be active.
  Context* activate_primary(Device& device);
  /// The device of a primary context's handle, also while it is not active; null if it is none.
  [[nodiscard]] Device* primary_of(CUcontext handle);
  void destroy(Context* context);

 private:
  Context* add(const std::shared_ptr<Context>& context, unsigned int flags, int device);
};

/// The driver lives until the process ends, so that a client's static destructors may still call
/// it.
Driver& driver();

/// The calling thread's stack of current contexts; handles, since they may be destroyed elsewhere.
std::vector<CUcontext>& context_stack();

/// The text that warpmark_device.last_error returns on this thread.
std::string& last_error();
/// Sets the last error's text and returns `result`. Inline, so that clang-tidy sees that a failing
/// call does not return success.
inline CUresult fail(CUresult result, std::string message) {
  last_error() = std::move(message);
  return result;
}
/// The result of a call that hands `value` out to `place`, which the client may have left null.
template <typename T, typename Value>
CUresult give(T* place, const Value& value) {
  if (place == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *place = value;
  return CUDA_SUCCESS;
}

/// The same for an attribute, whose type the client knows; `place` is not null.
template <typename T>
CUresult put(void* place, T value) {
  std::memcpy(place, &value, sizeof(T));  // NOLINT(bugprone-sizeof-expression): T may be a pointer
  return CUDA_SUCCESS;
}

/// From now on calls in forked children are refused.
void refuse_forks();
/// Runs an entry point's body under the lock, with no exception leaving it.
CUresult enter(const char* name, CUresult (*body)(void*), void* closure);
template <typename Body>
CUresult enter(const char* name, Body body) {
  return enter(
      name, [](void* closure) -> CUresult { return (*static_cast<Body*>(closure))(); }, &body);
}
/// The same for entry points that need cuInit.
template <typename Body>
CUresult initialised(const char* name, Body body) {
  return enter(name, [&]() -> CUresult {
    if (!driver().initialised) return CUDA_ERROR_NOT_INITIALIZED;
    return body();
  });
}

enum class Waits : std::uint8_t { no, yes };
/// The current context for a call; an error if there is none or it has failed. A call that waits
/// for the device learns of a failed launch.
CUresult current_context(Waits waits, Context*& context);
/// The context that a call names, null standing for the current one.
CUresult named_context(CUcontext given, Context*& context);
/// The result that a call on an object of this context returns first: the context's error, if it
/// has failed.
CUresult state_of(Context& context, Waits waits);
/// An entry point that needs a current context without an error.
template <typename Body>
CUresult with_context(const char* name, Waits waits, Body body) {
  return initialised(name, [&]() -> CUresult {
    Context* context = nullptr;
    const CUresult result = current_context(waits, context);
    return result != CUDA_SUCCESS ? result : body(*context);
  });
}

/// Sets up what the device's own functions (printf, malloc) need for a launch.
void provide_runtime(Context& context, const Program& program, LaunchShape& shape);
/// Writes what kernels have printed to the process's standard output and error.
void flush_output(Context& context);

/// How many threads a wish for `workers` gives: 0 stands for all processors.
std::uint32_t worker_count(std::uint64_t workers);

/// True for the default streams and those of the context.
bool valid_stream(const Context& context, CUstream stream);
/// The object of a stream that has one: null for the legacy default stream.
Stream* find_stream(Context& context, CUstream stream);

/// The kernel of a function of this context, or of a library's kernel that was cast to one; null
/// with an error's text if there is none.
Kernel* find_kernel(Context& context, CUfunction function);
CUresult make_kernel(Context& context, LoadedModule& module, const Function& function,
                     CUfunction* result);
/// A library's kernel in a context; loads the library there if it has to.
CUresult kernel_in(Context& context, LibraryKernel& kernel, CUfunction& function);
/// How many blocks of `threads` with `dynamic` bytes of shared memory a multiprocessor takes.
std::uint64_t active_blocks(const Kernel& kernel, std::uint64_t threads, std::uint64_t dynamic);
/// Warps of the kernel that a multiprocessor has registers for.
std::uint64_t warps_with_registers(const Kernel& kernel);
/// Threads that a block of the kernel can have: what it was compiled for, and has registers for.
std::uint32_t most_threads(const Kernel& kernel);

/// The blocks of a launch's clusters: what the kernel requires, else what the launch asks for; all
/// 0 for none. Fails for a size that cannot be, or that differs from what is required.
CUresult choose_cluster(const Kernel& kernel, const std::array<unsigned int, 3>& asked,
                        std::array<unsigned int, 3>& cluster);
CUresult get_attribute(const Kernel& kernel, unsigned int attribute, int* value);
CUresult set_attribute(Kernel& kernel, unsigned int attribute, int value);
/// Where a parameter is; `size` may be null.
CUresult describe_parameter(const Kernel& kernel, std::size_t index, std::size_t* offset,
                            std::size_t* size);

/// The PTX text of an image as clients hand it over: text that a NUL ends, or a fatbin with an
/// uncompressed PTX text in it. `bytes` is how much may be read, if that is known.
CUresult text_of_image(const void* image, const std::size_t* bytes, std::string& text);
/// The bytes of an image's file, with an error's text if it cannot be opened.
CUresult read_file(const char* path, std::string& bytes);
/// Returns whether a text begins with a directive, after comments, as PTX does. Any other text is
/// not a program at all (CUDA_ERROR_INVALID_IMAGE), as opposed to a program with mistakes.
bool is_ptx(std::string_view text);
/// Loads a text into a context.
CUresult load_text(Context& context, LoadedModule** result, std::string text, const JitLogs& logs);
void unload(Context& context, LoadedModule& module);
/// Finds the address and the size of a module's variable; CUDA_ERROR_NOT_FOUND if there is none.
CUresult find_variable(Context& context, const LoadedModule& module, std::string_view name,
                       CUdeviceptr* address, std::size_t* bytes);

/// Host memory of `bytes` at an address that a call gave; `device` says that it must be the
/// device's. Null with an error's text if there is no such range.
std::byte* host_range(Context& context, std::uint64_t address, std::size_t bytes, bool device);
/// An error if memory at an address that host_range() knows is mapped to be read only.
CUresult refuse_write(const Arena* arena, std::uint64_t address);
/// Returns whether a module's variable begins at an address. Variables are freed with the module.
bool is_variable(const Context& context, CUdeviceptr address);
/// Returns whether other processes may open the allocation by cuIpcOpenMemHandle.
bool can_be_shared(const Context& context, const Allocation& allocation);
inline CUmemoryPool handle_of(Pool& pool) {
  return reinterpret_cast<CUmemoryPool>(&pool);
}
Pool* find_pool(CUmemoryPool pool);
/// An entry point for a pool.
template <typename Body>
CUresult with_pool(const char* name, CUmemoryPool pool, Body body) {
  return initialised(name, [&]() -> CUresult {
    Pool* found = find_pool(pool);
    return found == nullptr ? CUDA_ERROR_INVALID_VALUE : body(*found);
  });
}
/// The context that holds the memory of a device's pools: its primary context, if that is active;
/// null if the device has no context.
Context* context_of(int device);
/// Returns whether the memory at an address was imported from another process's pool.
inline bool is_imported(CUdeviceptr address) {
  const OpenedMemory* found = find_in(driver().opened, address);
  return found != nullptr && found->pool != nullptr;
}
/// Gives the devices that have access to an imported pool access to memory imported from it.
void share_imported(CUdeviceptr address, const Pool& pool);
/// Updates a pool when one of its allocations is freed.
void leave_pool(Context& context, CUdeviceptr address, std::uint64_t bytes);

/// LaunchCounters::more: traffic, classes of instructions, occupancy, and with `lines` each line's.
std::string render_profile(const Kernel& kernel, const LaunchShape& shape,
                           const LaunchResult& result, bool lines);
/// The same: samples of its requests and branches.
std::string render_samples(const Kernel& kernel, const LaunchShape& shape, const Profile& profile,
                           const Arena& arena);
/// Chooses sets of counters by name. Returns the first unknown name, or "".
std::string choose_counters(const std::vector<std::string>& names, Limits& limits);

/// The entry point of a base name that a client of CUDA `version` expects; null if there is none.
void* find_entry_point(std::string_view name, int version, bool per_thread);

}  // namespace warpmark::cpu
