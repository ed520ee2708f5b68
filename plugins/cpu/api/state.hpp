// The driver's objects: contexts and what they own; how entry points reach them.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/array.hpp"
#include "api/cuda_api.hpp"
#include "api/jit.hpp"
#include "inspect/fault.hpp"
#include "machine/arena.hpp"
#include "machine/grid.hpp"
#include "machine/heap.hpp"
#include "program/program.hpp"
#include "ptx/link.hpp"
#include "ptx/module.hpp"

namespace warpmark::cpu {

/// Versions and sizes that the device reports; an H200's, with the memory of a modest one.
struct DeviceProperties {
  static constexpr int driver_version = 13000;
  static constexpr std::uint64_t total_memory = std::uint64_t{4} << 30;
  static constexpr std::uint64_t address_span = std::uint64_t{32} << 30;
  static constexpr std::uint32_t max_threads = 1024;
  static constexpr std::uint32_t shared_per_block = 48 << 10;  ///< without asking for more
  static constexpr std::uint32_t shared_per_block_optin = 227 << 10;
  int major = 9, minor = 0;
};

/// A kernel of a loaded module; CUfunction is its address.
struct Kernel {
  struct LoadedModule* module = nullptr;
  const Function* function = nullptr;
  Program checked, contained;  ///< bound to handlers with and without exact bounds
  std::uint32_t max_dynamic_shared = DeviceProperties::shared_per_block;
};

/// A loaded module; CUmodule is its address.
struct LoadedModule {
  struct Context* context = nullptr;
  Module ptx;
  std::unordered_map<std::string_view, std::uint64_t>
      addresses;  ///< of global and constant variables
  std::unordered_map<std::string_view, std::unique_ptr<Kernel>> kernels;
};

struct Stream {
  struct Context* context = nullptr;
  unsigned int flags = 0;
  int priority = 0;
};

/// Texts that wait to be linked; CUlinkState is its address.
struct Link {
  JitLogs logs;
  std::vector<LinkInput> inputs;
  std::string image;  ///< of the finished link; the client reads it until the link is destroyed
};

struct Event {
  struct Context* context = nullptr;
  unsigned int flags = 0;
  bool recorded = false;
  std::chrono::steady_clock::time_point when;
};

struct Limits {
  std::uint64_t instruction_budget = 0, wall_limit_ms = 0;
  bool exact_bounds = true;
  std::uint32_t workers = 1;
};

/// What a launch counted; made into text only if somebody asks.
struct LaunchCounters {
  std::uint64_t number = 0;  ///< of the context's launches, from 1
  std::string kernel;
  std::uint64_t thread_instructions = 0, warp_instructions = 0;
  Counters counters{};
};

/// A context; CUcontext is its address.
struct Context {
  Context() : arena(DeviceProperties::address_span, DeviceProperties::total_memory) {}
  Arena arena;
  unsigned int flags = 0;
  bool primary = false;
  std::map<CUmodule, std::unique_ptr<LoadedModule>> modules;
  std::map<CUfunction, Kernel*> kernels;
  std::map<CUstream, std::unique_ptr<Stream>> streams;
  std::map<CUevent, std::unique_ptr<Event>> events;
  std::map<CUlinkState, std::unique_ptr<Link>> links;
  Images images;
  struct HostRange {
    std::size_t bytes = 0;
    bool owned = false;  ///< allocated here, not registered
  };
  std::map<std::uint64_t, HostRange> host;  ///< pinned host memory by address
  std::map<CUlimit, std::size_t> limits;
  Limits launch_limits;
  std::uint64_t launches = 0;
  std::deque<std::string> reports;      ///< JSON lines not drained yet
  std::deque<LaunchCounters> counters;  ///< not drained yet
  std::unique_ptr<DeviceHeap> heap;     ///< once a kernel needs it
  PrintLog printed, asserted;           ///< not written yet
  /// A launch failed, and no call that waits for it has said so yet. On a GPU the failure would
  /// come about now and then; here it comes exactly with the next call that synchronises.
  CUresult pending = CUDA_SUCCESS;
  /// What every further call returns: an error that destroys a context.
  CUresult sticky = CUDA_SUCCESS;
};

/// The process's one driver. Everything in it is guarded by `mutex`.
class Driver {
 public:
  std::mutex mutex;
  bool initialised = false;
  DeviceProperties properties;
  std::map<CUcontext, std::unique_ptr<Context>> contexts;
  Context* primary = nullptr;
  unsigned int primary_references = 0, primary_flags = 0;
  Limits default_limits;  ///< of contexts that are yet to be made

  [[nodiscard]] Context* find(CUcontext handle) const {
    const auto found = contexts.find(handle);
    return found == contexts.end() ? nullptr : found->second.get();
  }
  Context* create(unsigned int flags);
  void destroy(Context* context);
};

/// The driver lives until the process ends, so that a client's static destructors may still call
/// it.
Driver& driver();

/// The calling thread's stack of current contexts; handles, since they may be destroyed elsewhere.
std::vector<CUcontext>& context_stack();

/// The text that warpmark_device.last_error returns on this thread.
std::string& last_error();
/// Sets it and returns `result`.
CUresult fail(CUresult result, std::string message);

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

/// Reports and counters as JSON lines.
std::string render_fault(const Fault& fault, const Program& program, std::uint64_t launch);
std::string render_counters(const LaunchCounters& launch);

/// The entry point of a base name that a client of CUDA `version` expects; null if there is none.
void* find_entry_point(std::string_view name, int version);

// Reached only through cuGetProcAddress; see context.cpp.
CUresult synchronize_context(CUcontext context);
CUresult device_of_context(CUdevice* device, CUcontext context);

}  // namespace warpmark::cpu
