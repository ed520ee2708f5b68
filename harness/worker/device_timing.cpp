#include "worker/device_timing.hpp"

#include <algorithm>
#include <optional>

#include "base/clock.hpp"
#include "driver/stream.hpp"
#include "worker/large_buffers.hpp"
#include "worker/module_variables.hpp"
#include "worker/new_state.hpp"
#include "worker/sampler.hpp"

namespace warpmark {

namespace {

constexpr int kLastRuns = 5;
constexpr double kLongRun = 0.1;  // seconds; two runs of this length are enough

// Bytes of buffers that have a value before the steps and that the steps change.
uint64_t changing_bytes(const protocol::Run& run) {
  uint64_t bytes = 0;
  for (const protocol::BufferBytes& buffer : run.buffers) {
    if (DeviceRun::changes(run, buffer)) bytes += buffer.bytes;
  }
  return bytes;
}

class DeviceTiming {
 public:
  DeviceTiming(const PreparedDevice& loaded, TimingKernels& kernels, const protocol::Time& request,
               TimedMemory& memory)
      : loaded_(loaded),
        kernels_(kernels),
        request_(request),
        memory_(memory),
        stream_(loaded.context),
        initial_(loaded.context, find_variables(loaded.modules)) {
    if (!initial_.complete()) leave_untested("variables of its modules are not put back");
  }

  Measurement measure() {
    kernels_.wake_device(stream_);
    if (request_.other) run_other();
    DeviceRun run(loaded_.context, loaded_.kernels, loaded_.main_module, request_.run);
    begin(run, memory_.run);
    const bool keeps = keep_initial(run);
    NewState state(kernels_, run, initial_.again(), keeps, request_.poison);
    std::optional<KeptInputs> inputs;
    if (!request_.fetch) inputs.emplace(kernels_, run);
    Sampler sampler(loaded_.context, kernels_, run, state, memory_.run, request_.restore,
                    other_ ? &*other_ : nullptr);
    HonestRuns& honest = measured_.honest;
    honest.is_warm = other_.has_value();
    honest.first_s = sampler.single();
    sample(sampler);
    const bool is_long = honest.first_s.value_or(0) > kLongRun;
    for (int i = 0; i < (is_long ? 2 : kLastRuns); ++i) {
      if (!keeps) begin(run, memory_.run);
      if (const auto seconds = sampler.single()) honest.last_s.push_back(*seconds);
    }
    run.run_after_timed(stream_);
    if (request_.fetch) run.fetch(memory_.run);
    measured_.inputs_differ = inputs && inputs->have_changed();
    measured_.outputs_differ = state.differs();
    measured_.digest = state.digest();
    measured_.kernels = run.kernel_facts();
    return std::move(measured_);
  }

 private:
  void leave_untested(const char* what) { measured_.honest.untested.emplace_back(what); }

  void begin(DeviceRun& run, const std::vector<BufferMemory>& memory) {
    initial_.queue_back(stream_);
    stream_.synchronize();
    run.restore(memory, request_.poison, memory_.copies);
    run.run_before_timed(stream_);
  }

  // Runs with the other inputs, under the same conditions as every other cold run.
  void run_other() {
    other_.emplace(loaded_.context, loaded_.kernels, loaded_.main_module, *request_.other);
    begin(*other_, memory_.other);
    NewState state(kernels_, *other_, initial_.again(), false, request_.poison);
    state.queue(stream_);
    kernels_.queue_flush(stream_);
    other_->queue(stream_);
    stream_.synchronize();
    other_->run_after_timed(stream_);
    other_->fetch(memory_.other);
    // Keeps the initial contents that a graph copies.
    if (std::ranges::any_of(request_.options.modes, is_graph)) begin(*other_, memory_.other);
  }

  bool keep_initial(DeviceRun& run) {
    if (!run.changes_inputs()) return true;
    if (!run.can_keep_initial()) {
      leave_untested("a surface that it changes is not put back");
      return false;
    }
    const bool fits = loaded_.context->memory_info().free > changing_bytes(request_.run) * 9 / 8;
    if (request_.restore == Restore::never && !fits) {
      leave_untested("arrays that it changes are not put back, as there is no room for copies");
      return false;
    }
    run.keep_initial();
    return true;
  }

  void sample(Sampler& sampler) {
    const TimingOptions& options = request_.options;
    for (size_t i = 0; i < options.modes.size(); ++i) {
      // Each series may use an equal part of the time that is left.
      const double left = std::max(0.0, options.budget_s - sampler.spent_s());
      TimedSeries series = sampler.sample(options.modes[i], options,
                                          left / static_cast<double>(options.modes.size() - i));
      if (!series.seconds.empty()) measured_.series.push_back(std::move(series));
    }
  }

  const PreparedDevice& loaded_;
  TimingKernels& kernels_;
  const protocol::Time& request_;
  TimedMemory& memory_;
  Stream stream_;
  KeptVariables initial_;  ///< the values right after the modules were loaded
  std::optional<DeviceRun> other_;
  Measurement measured_;
};

}  // namespace

uint64_t timing_bytes(const protocol::Time& request, const TimingKernels& kernels) {
  uint64_t bytes = kernels.flush_bytes();
  if (request.restore != Restore::never) bytes += changing_bytes(request.run);
  if (request.other) {
    for (const protocol::BufferBytes& buffer : request.other->buffers) bytes += buffer.bytes;
  }
  return bytes;
}

Measurement time_on_device(const PreparedDevice& loaded, TimingKernels& kernels,
                           const protocol::Time& request, TimedMemory& memory) {
  return DeviceTiming(loaded, kernels, request, memory).measure();
}

}  // namespace warpmark
