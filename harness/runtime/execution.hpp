// A plan made ready on a device: compiled, loaded, its buffers allocated, run once at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/shared_memory.hpp"
#include "compiler/compiler.hpp"
#include "driver/choose.hpp"
#include "driver/kernel.hpp"
#include "runtime/protocol.hpp"

namespace warpmark {

/// The worker's side of a session: a device, a context on it and the compiler. It sees neither
/// suite nor expected values.
class Executor {
 public:
  /// Starts the device and opens NVRTC. Throws environment errors.
  Executor(const protocol::Hello& request, const DriverOpeners& openers);

  const DeviceFacts& facts() const { return facts_; }

  /// Compiles and loads; what was prepared before is dropped. Throws verdict errors for what does
  /// not compile, has no such kernel or cannot be loaded.
  protocol::Prepared prepare(const protocol::Prepare& request);

  /// The memory of one buffer of a run.
  struct BufferMemory {
    std::optional<SharedMemory> initial;
    SharedMemory result;
  };

  /// Restores, poisons, launches, synchronises, fetches. A fault appears as a sticky DriverError,
  /// with its reports still to be drained.
  protocol::Verified verify(const protocol::Verify& request, std::vector<BufferMemory>& memory);

  /// What the device reported since the last call, also after a sticky error.
  std::vector<nlohmann::ordered_json> drain_reports() const;
  /// What the device counted since the last call, a sum over launches by name
  /// (warpmark/device.h), in the device's order; empty for a device that does not count.
  std::vector<std::pair<std::string, int64_t>> drain_counters() const;
  /// Whether the last request came to launch a kernel; what fails before is not a kernel's doing.
  bool launched() const { return launched_; }

 private:
  struct Buffers;
  struct Compiled;
  std::string set_context(const protocol::ContextLimits& limits);
  void set_launch_limits(const protocol::Verify& request);
  Compiled compile(const protocol::Prepare& request, size_t unit, bool relocatable,
                   protocol::Prepared& reply) const;
  Module load(const protocol::Prepare& request, const std::vector<Compiled>& units, size_t unit);
  std::string memory_misfit(const protocol::Verify& request) const;
  void run_step(const protocol::Step& step, Buffers& buffers);

  DeviceChoice choice_;
  std::shared_ptr<Context> context_;
  Compiler compiler_;
  DeviceFacts facts_;
  std::vector<Function> kernels_;
  bool launched_ = false;
  protocol::ContextLimits context_limits_;  ///< in effect
  std::string launch_limits_;               ///< in effect, as configured
};

}  // namespace warpmark
