// Modules and the functions in them: loading, attributes, launching.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/handle.hpp"
#include "driver/launch.hpp"
#include "driver/memory.hpp"
#include "driver/stream.hpp"

namespace warpmark {

struct FunctionAttributes {
  int max_threads_per_block = 0;  ///< limit of this function: registers may lower the device's
                                  ///< number
  int static_shared_bytes = 0;
  int constant_bytes = 0;
  int local_bytes = 0;  ///< bytes of a thread, including spills
  int registers = 0;    ///< registers of a thread
};

class Function;

/// A loaded image. Functions keep it alive.
class Module {
 public:
  /// Loads a cubin (a driver without image_ptx) or PTX text. `name` is for error texts: the file or
  /// kernel of the image. A DriverError has the driver's JIT log in it.
  Module(const std::shared_ptr<const Context>& context, std::string_view image, std::string name);

  /// Throws a verdict error if there is no such entry.
  Function function(const std::string& entry) const;
  /// Address and bytes of a `__constant__` or `__device__` variable; nothing if there is none.
  std::optional<std::pair<CUdeviceptr, size_t>> global(const std::string& variable) const;
  /// The log of the driver's compiler after a success; often "".
  const std::string& log() const { return state_->log; }
  std::string identify() const;

  struct State {
    UniqueHandle<&DriverTable::module_unload> handle;
    std::string name;
    std::string log;
    std::string identify() const;
  };

 private:
  std::shared_ptr<State> state_;
};

/// One kernel; cheap to copy, keeps its module alive.
class Function {
 public:
  const std::string& name() const { return name_; }
  const Context& context() const { return *module_->handle.context(); }
  CUfunction get() const { return handle_; }
  const FunctionAttributes& attributes() const { return attributes_; }

  /// Parameter offsets and sizes, as the driver reports them; nothing if it cannot.
  std::optional<std::vector<ParameterLayout>> parameters() const;

  /// The reason why this launch does not fit the device or the function, with both numbers; nothing
  /// if it fits.
  std::optional<std::string> misfit(const LaunchConfig& config) const;

  /// True if the launch fits no other device, either: even one with the most registers cannot run
  /// it.
  bool fits_nowhere(const LaunchConfig& config) const;

  /// Enables the features of `config` that need it: dynamic shared memory over 48 KiB, and clusters
  /// of more than 8 blocks.
  void prepare(const LaunchConfig& config) const;

  /// Launches without waiting. Checks geometry and, if the driver reports them, parameter sizes
  /// first, and throws a verdict error if they do not fit. Faults appear at the next
  /// synchronisation.
  void launch(const LaunchConfig& config, KernelArguments& arguments, const Stream& stream) const;

  /// The same launch checked once and packed, for timing loops; `arguments` must outlive it.
  class Prepared;
  Prepared prepare(const LaunchConfig& config, KernelArguments& arguments) const;

  /// Blocks of this size that one multiprocessor holds at a time.
  int active_blocks_per_multiprocessor(const LaunchConfig& config) const;
  /// For error texts: "kernel `doublify`, module of doublify.cu, context … on device 0 (NVIDIA
  /// H200)".
  std::string identify() const;

 private:
  friend class Module;
  Function(std::shared_ptr<const Module::State> module, std::string name);
  void set_attribute(CUfunction_attribute attribute, int value) const;

  std::shared_ptr<const Module::State> module_;
  std::string name_;
  CUfunction handle_ = nullptr;
  FunctionAttributes attributes_;
};

/// A checked launch: only the driver's call is left.
class Function::Prepared {
 public:
  /// `launched` becomes true when the driver is asked to launch: before that no kernel of this
  /// launch can be at fault.
  void operator()(const Stream& stream, bool* launched = nullptr);

 private:
  friend class Function;
  Prepared(Function function, const LaunchConfig& config, KernelArguments& arguments)
      : function_(std::move(function)), config_(config), addresses_(arguments.addresses()) {}

  void launch_cluster(const Stream& stream, const std::string& object);

  Function function_;
  LaunchConfig config_;
  std::vector<void*> addresses_;
};

}  // namespace warpmark
