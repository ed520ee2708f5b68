// A case on the device: its buffers, and its steps, ready to run any number of times.
#pragma once

#include <functional>
#include <future>
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
#include "worker/initial_copies.hpp"
#include "worker/initial_value.hpp"
#include "worker/measurement.hpp"
#include "worker/protocol.hpp"

namespace warpmark {

/// The host's memory of one buffer of a run; the result is set only if it is to be fetched.
struct BufferMemory {
  std::optional<InitialValue> initial;
  std::optional<SharedMemory> result;
};

/// A variable of the module is missing, or is too small for its value.
class VariableError : public Error {
 public:
  explicit VariableError(protocol::SmallVariable variable);
  const protocol::SmallVariable& variable() const { return variable_; }

 private:
  protocol::SmallVariable variable_;
};

class DeviceRun {
 public:
  /// Buffers of another run that this one uses, by their names; the other run outlives it.
  struct Shared {
    DeviceRun& of;
    const std::vector<std::string>& names;
  };
  /// Allocates and labels the buffers and checks every launch. Launches name their kernels by
  /// index; `module` has the variables for buffers. Throws DriverError, VariableError, and a
  /// verdict error for a launch that does not fit its kernel.
  DeviceRun(std::shared_ptr<Context> context, const std::vector<Function>& kernels,
            const std::optional<Module>& module, const protocol::Run& run,
            const Shared* shared = nullptr);
  DeviceRun(const DeviceRun&) = delete;
  DeviceRun& operator=(const DeviceRun&) = delete;

  /// Gives every buffer its initial value, or the poison in each byte. Large values come from
  /// `copies`, where one is kept, and are kept there else; null if nothing is to be kept.
  void restore(const std::vector<BufferMemory>& memory, uint8_t poison,
               InitialCopies* copies = nullptr);

  /// Runs the steps and waits for each: a fault belongs to the step that caused it. `launched`
  /// becomes true as soon as a kernel may have run; `before` gets the index of each step before it
  /// runs.
  void run(const Stream& stream, bool& launched, const std::function<void(size_t)>& before = {});
  /// Runs the steps before and after the step that is timed alone, if there is one.
  void run_before_timed(const Stream& stream);
  void run_after_timed(const Stream& stream);
  /// Queues the timed steps, all or one, without waiting.
  void queue(const Stream& stream);
  void queue(const Stream& stream, bool& launched);
  /// The number of driver calls that queueing takes.
  size_t queued_steps() const;

  /// Maps the pages of large results in a thread, which takes a tenth of a second for each gigabyte:
  /// fetch() finds them mapped. Nothing without such results; `memory` must outlive the future.
  std::future<void> map_results(const std::vector<BufferMemory>& memory) const;
  /// Copies results to the host, from the buffers that hold them after the steps, but for those
  /// that are named.
  void fetch(std::vector<BufferMemory>& memory, const std::vector<std::string>& without = {}) const;
  /// True if no step may change the buffer of that index.
  bool keeps(size_t index) const { return is_kept(request_.buffers[index]); }
  /// Bytes of the inputs that no step may change.
  uint64_t input_bytes() const;
  /// The name of an input that differs from its initial value; "" if there is none.
  std::string changed_input(const std::vector<BufferMemory>& memory) const;

  DeviceMemory& buffer(const std::string& name) { return find(name); }
  const std::shared_ptr<Context>& context() const { return context_; }

  /// The buffers around which bytes in their pages were written.
  std::vector<std::string> trespasses() const;

  /// The places of the buffers.
  std::vector<protocol::BufferPlace> places() const;

  /// Keeps copies of the present contents of `inout` buffers, on the device; with one timed step
  /// also of buffers that the steps before it have filled.
  void keep_initial();
  /// Queues restoring these contents.
  void queue_restore(const Stream& stream);

  /// A copy of the case with separate buffers of the same contents.
  std::unique_ptr<DeviceRun> copy() const;
  /// The device memory that a copy needs.
  uint64_t bytes() const;

  /// The buffers that have a value before the steps, and those that the steps may change, each with
  /// its index in the request.
  std::vector<std::pair<DeviceMemory*, size_t>> inputs();
  std::vector<std::pair<DeviceMemory*, size_t>> results();

  /// The buffers without a value before the timed steps, each with the request's data on its rows.
  std::vector<std::pair<DeviceMemory*, const protocol::BufferBytes&>> outputs();
  /// The buffers whose bytes are compared after the steps, as the steps left them.
  std::vector<DeviceMemory*> judged();
  /// True if a buffer of a run has a value before the timed steps, which may change it.
  static bool changes(const protocol::Run& run, const protocol::BufferBytes& buffer);
  /// changes_inputs() returns true if there is such a buffer, can_keep_initial() if all of them can
  /// be restored: images cannot.
  bool changes_inputs() const;
  bool can_keep_initial() const;

  /// The resources that each launch step takes of the device.
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
  DeviceMemory make_buffer(const protocol::BufferBytes& wanted, const Shared* shared);
  void restore(DeviceMemory& buffer, const protocol::BufferBytes& wanted,
               const InitialValue& initial, InitialCopies* copies);
  void write_pointers();
  DeviceMemory& find(const std::string& name);
  CUdeviceptr address_of(const std::string& name);  ///< address of its first element
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
  bool protects_;  ///< protects inputs from writes of kernels
  /// Host memory is registered for fast copies; never while grading: a kernel could reach it.
  bool registers_;
  std::map<std::string, DeviceMemory> memory_;
  std::map<std::string, uint64_t> leads_;  ///< bytes before the first element
  std::map<std::string, Image> images_;
  std::vector<std::pair<DeviceMemory*, DeviceMemory>> initial_;  ///< inout buffers, with copies
  std::vector<Step> steps_;
};

/// The geometry of a launch of a request.
LaunchConfig config_of(const protocol::Launch& launch);

}  // namespace warpmark
