// A driver in memory: counts live objects, fails calls on request, records launches.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "driver/device.hpp"
#include "driver/launch.hpp"

namespace warpmark {

/// A parameter of a fake kernel.
struct FakeKernel {
  std::vector<ParameterLayout> parameters;
  int registers = 16;
  int static_shared_bytes = 0;
  int max_threads_per_block = 1024;
};

struct FakeLaunch {
  std::string kernel;
  LaunchConfig config;
  /// The value of each parameter, as many bytes as the kernel's layout says.
  std::vector<std::vector<std::byte>> arguments;

  template <typename T>
  T argument(size_t index) const {
    T value;
    std::memcpy(&value, arguments.at(index).data(), sizeof(T));
    return value;
  }
};

/// Stands behind a Driver for the life of the object; one at a time in a process (the driver API
/// has no place for a `this`), and only from one thread. Device addresses are host addresses.
class FakeDriver {
 public:
  FakeDriver();
  ~FakeDriver();
  FakeDriver(const FakeDriver&) = delete;
  FakeDriver& operator=(const FakeDriver&) = delete;

  /// The complete table; tests may take functions out of it.
  static DriverTable table();
  /// Exported symbols as dlsym would give them, null if unknown.
  static void* lookup(const char* symbol);
  /// A driver over `table()`, initialised, with `extension` if set.
  std::shared_ptr<Driver> driver();
  Device device() { return {driver(), 0}; }

  /// Adds the kernels of harness/worker/timing_kernels.cpp to `kernels`.
  void add_timing_kernels();

  /// Makes the nth call (from now, counting from 1) of an exported symbol fail with `result`.
  void fail(const std::string& symbol, CUresult result, int nth = 1);

  /// The kernels that any module has.
  std::map<std::string, FakeKernel> kernels;
  /// The variables of every module, by name, with the bytes that each begins with. Those of one
  /// module lie one behind the other.
  std::map<std::string, std::vector<std::byte>> variables;
  /// Where a variable of the module that was loaded last is.
  std::byte* variable(const std::string& name) const;
  /// Acts as the kernel; its result is what the next synchronisation gives (sticky codes stay).
  std::function<CUresult(const FakeLaunch&)> on_launch;
  /// The time that a launch takes on the device, in milliseconds; 1 if it is not set.
  std::function<double(const FakeLaunch&)> kernel_ms;
  double copy_ms = 0;             ///< the time of a copy in a stream
  std::function<void()> on_copy;  ///< called for each copy in a stream
  double graph_ms = 0;            ///< the time of starting a graph
  /// Says if the device has reached an event that is asked for; it has not if this is not set.
  std::function<bool()> event_passed;
  std::map<CUdevice_attribute, int> attributes;
  int devices = 1;
  std::map<CUdevice, int> majors;  ///< of compute capabilities that differ from the attribute's
  int driver_version = 13000;
  std::string jit_error_log;  ///< what a failing module load writes
  const warpmark_device* extension = nullptr;

  std::vector<std::string> calls;   ///< exported symbols in order
  std::vector<std::string> images;  ///< what was loaded
  std::vector<FakeLaunch> launches;
  /// Objects alive, by kind: context, module, memory, stream, event, registration,
  /// graph, executable graph; no zero entries.
  std::map<std::string, int> live() const;
  int current_contexts() const;  ///< depth of the context stack
  /// Mistakes of the caller: an object destroyed twice, used after its context, or without one.
  std::vector<std::string> misuse;

  struct State;
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace warpmark
