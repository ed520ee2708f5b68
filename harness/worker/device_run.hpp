// A case on the device: its buffers, and its steps, ready to run any number of times.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/shared_memory.hpp"
#include "driver/image.hpp"
#include "driver/kernel.hpp"
#include "driver/memory.hpp"
#include "worker/measurement.hpp"
#include "worker/protocol.hpp"

namespace warpmark {

/// The host's memory of one buffer of a run; a result only where it is to be fetched.
struct BufferMemory {
  std::optional<SharedMemory> initial;
  std::optional<SharedMemory> result;
};

/// That a variable of the module is not there, or is too small for what it is given.
class VariableError : public Error {
 public:
  explicit VariableError(protocol::SmallVariable variable);
  const protocol::SmallVariable& variable() const { return variable_; }

 private:
  protocol::SmallVariable variable_;
};

class DeviceRun {
 public:
  /// Allocates and labels the buffers and checks every launch. Launches have their kernels by their
  /// index; `module` has the variables that buffers stand for. Throws DriverError, VariableError,
  /// and a verdict error for what does not fit a kernel.
  DeviceRun(std::shared_ptr<Context> context, const std::vector<Function>& kernels,
            const std::optional<Module>& module, const protocol::Run& run);
  DeviceRun(const DeviceRun&) = delete;
  DeviceRun& operator=(const DeviceRun&) = delete;

  /// Gives every buffer its initial value, or the poison in each byte.
  void restore(const std::vector<BufferMemory>& memory, uint8_t poison);

  /// Runs the steps, each waited for: a fault belongs to the step that made it. `launched` becomes
  /// true as soon as a kernel may have run; `before` gets the index of each step before it runs.
  void run(const Stream& stream, bool& launched, const std::function<void(size_t)>& before = {});
  /// Runs the steps before the one that is timed alone, if there is one, and those after it.
  void run_before_timed(const Stream& stream);
  void run_after_timed(const Stream& stream);
  /// Queues what is timed, all steps or one, without waiting.
  void queue(const Stream& stream);
  void queue(const Stream& stream, bool& launched);
  /// How many calls of the driver that takes.
  size_t queued_steps() const;

  /// Copies results to the host, from where the steps left them.
  void fetch(std::vector<BufferMemory>& memory) const;
  /// Bytes of the inputs that no step may change.
  uint64_t input_bytes() const;
  /// One of them that is not as it was given; "" if there is none.
  std::string changed_input(const std::vector<BufferMemory>& memory) const;

  DeviceMemory& buffer(const std::string& name) { return find(name); }
  const std::shared_ptr<Context>& context() const { return context_; }

  /// The buffers around which, in their pages, something was written.
  std::vector<std::string> trespasses() const;

  /// Where the buffers are.
  std::vector<protocol::BufferPlace> places() const;

  /// Keeps copies of what `inout` buffers hold now, on the device; with one timed step also of those
  /// that the steps before it have filled.
  void keep_initial();
  /// Queues putting them back.
  void queue_restore(const Stream& stream);

  /// The same case with buffers of its own, which hold what these hold now.
  std::unique_ptr<DeviceRun> copy() const;
  /// What a copy takes of the device's memory.
  uint64_t bytes() const;

  /// The buffers that have a value before the steps, and those that the steps may change, each with
  /// its index in the request.
  std::vector<std::pair<DeviceMemory*, size_t>> inputs();
  std::vector<std::pair<DeviceMemory*, size_t>> results();

  /// The buffers that hold nothing before what is timed, each with the request's words on its rows.
  std::vector<std::pair<DeviceMemory*, const protocol::BufferBytes&>> outputs();
  /// The buffers whose bytes are compared after the steps, from where the steps left them.
  std::vector<DeviceMemory*> judged();
  /// Whether a buffer of a run holds something before what is timed, which may change it.
  static bool changes(const protocol::Run& run, const protocol::BufferBytes& buffer);
  /// Whether there is such a buffer, and whether all of them can be put back: images cannot.
  bool changes_inputs() const;
  bool can_keep_initial() const;

  /// What each launch step takes of the device.
  std::vector<KernelFacts> kernel_facts() const;

 private:
  struct Launch {
    Function function;
    LaunchConfig config;
    KernelArguments arguments;
    std::optional<Function::Prepared> prepared;
  };
  struct Copy {
    const DeviceMemory* from;
    DeviceMemory* to;
  };
  struct Fill {
    DeviceMemory* buffer;
    uint8_t byte;
  };
  // Launches are packed once and must not move.
  using Step = std::variant<std::unique_ptr<Launch>, Copy, Fill>;

  Image make_image(const protocol::BufferBytes& wanted) const;
  bool is_kept(const protocol::BufferBytes& buffer) const;
  DeviceMemory make_buffer(const protocol::BufferBytes& wanted);
  void write_pointers();
  DeviceMemory& find(const std::string& name);
  CUdeviceptr address_of(const std::string& name);  ///< of its first element
  void forget_surroundings(const protocol::BufferBytes& placed);
  std::span<Step> timed_steps();
  std::vector<std::pair<DeviceMemory*, size_t>> chosen(
      bool (*wanted)(const protocol::BufferBytes&));
  void queue_step(Step& step, const Stream& stream, bool& launched);

  std::shared_ptr<Context> context_;
  std::vector<Function> kernels_;
  std::optional<Module> module_;
  protocol::Run request_;
  bool guarded_;
  bool protects_;  ///< inputs from writes of kernels
  /// Host memory is registered for fast copies; never while grading: a kernel could reach it.
  bool registers_;
  std::map<std::string, DeviceMemory> memory_;
  std::map<std::string, uint64_t> leads_;  ///< bytes in front of the first element
  std::map<std::string, Image> images_;
  std::vector<std::pair<DeviceMemory*, DeviceMemory>> initial_;  ///< of inout buffers, and copies
  std::vector<Step> steps_;
};

/// The geometry of a launch of a request.
LaunchConfig config_of(const protocol::Launch& launch);

}  // namespace warpmark
