#include "worker/device_timing.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

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

// One side: its run with its own inputs, and with others.
class Side {
 public:
  Side(const LoadedSide& side, TimingKernels& kernels, const protocol::TimedSide& request,
       uint8_t poison)
      : loaded_(side.loaded),
        memory_(side.memory),
        kernels_(kernels),
        request_(request),
        poison_(poison),
        stream_(loaded_.context),
        initial_(loaded_.context, find_variables(loaded_.modules)) {
    if (!initial_.complete()) leave_untested("variables of its modules are not put back");
  }

  // Runs with the other inputs, and makes the run with its own ready. Buffers of these names are
  // those of `sharer`, if that is set and puts back what it changes.
  void begin(Side* sharer, const std::vector<std::string>& names, bool in_graphs) {
    if (request_.other) run_other(in_graphs);
    std::optional<DeviceRun::Shared> shared;
    if (sharer != nullptr && sharer->keeps_)
      shared.emplace(DeviceRun::Shared{*sharer->run_, names});
    run_.emplace(loaded_.context, loaded_.kernels, loaded_.main_module, request_.run,
                 shared ? &*shared : nullptr);
    begin(*run_, memory_.run);
    keeps_ = keep_initial();
    state_.emplace(kernels_, *run_, initial_.again(), keeps_, poison_);
    if (!request_.fetch) inputs_.emplace(kernels_, *run_);
    measured_.honest.is_warm = other_.has_value();
  }

  TimedParty party() {
    return {*run_, *state_, memory_.run, request_.restore, other_ ? &*other_ : nullptr};
  }

  void run_first(Sampler& sampler, size_t index) {
    measured_.honest.first_s = sampler.single(index);
  }
  void add(TimedSeries series) {
    if (!series.seconds.empty()) measured_.series.push_back(std::move(series));
  }

  Measurement end(Sampler& sampler, size_t index) {
    HonestRuns& honest = measured_.honest;
    const bool is_long = honest.first_s.value_or(0) > kLongRun;
    for (int i = 0; i < (is_long ? 2 : kLastRuns); ++i) {
      if (!keeps_) begin(*run_, memory_.run);
      if (const auto seconds = sampler.single(index)) honest.last_s.push_back(*seconds);
    }
    run_->run_after_timed(stream_);
    if (request_.fetch) run_->fetch(memory_.run);
    measured_.inputs_differ = inputs_ && inputs_->have_changed();
    measured_.outputs_differ = state_->differs();
    measured_.digest = state_->digest();
    measured_.kernels = run_->kernel_facts();
    return std::move(measured_);
  }

 private:
  void leave_untested(const char* what) { measured_.honest.untested.emplace_back(what); }

  void begin(DeviceRun& run, const std::vector<BufferMemory>& memory) {
    initial_.queue_back(stream_);
    stream_.synchronize();
    run.restore(memory, poison_, memory_.copies);
    run.run_before_timed(stream_);
  }

  // Runs with the other inputs, under the same conditions as every other cold run.
  void run_other(bool in_graphs) {
    other_.emplace(loaded_.context, loaded_.kernels, loaded_.main_module, *request_.other);
    begin(*other_, memory_.other);
    NewState state(kernels_, *other_, initial_.again(), false, poison_);
    state.queue(stream_);
    kernels_.queue_flush(stream_);
    other_->queue(stream_);
    stream_.synchronize();
    other_->run_after_timed(stream_);
    other_->fetch(memory_.other);
    // Keeps the initial contents that a graph copies.
    if (in_graphs) begin(*other_, memory_.other);
  }

  bool keep_initial() {
    if (!run_->changes_inputs()) return true;
    if (!run_->can_keep_initial()) {
      leave_untested("a surface that it changes is not put back");
      return false;
    }
    const bool fits = loaded_.context->memory_info().free > changing_bytes(request_.run) * 9 / 8;
    if (request_.restore == Restore::never && !fits) {
      leave_untested("arrays that it changes are not put back, as there is no room for copies");
      return false;
    }
    run_->keep_initial();
    return true;
  }

  const PreparedDevice& loaded_;
  TimedMemory& memory_;
  TimingKernels& kernels_;
  const protocol::TimedSide& request_;
  uint8_t poison_;
  Stream stream_;
  KeptVariables initial_;  ///< the values right after the modules were loaded
  std::optional<DeviceRun> other_, run_;
  std::optional<NewState> state_;
  std::optional<KeptInputs> inputs_;
  bool keeps_ = false;  ///< what the run changes can be put back
  Measurement measured_;
};

uint64_t timing_bytes(const protocol::TimedSide& side) {
  uint64_t bytes = side.restore != Restore::never ? changing_bytes(side.run) : 0;
  if (!side.other) return bytes;
  for (const protocol::BufferBytes& buffer : side.other->buffers) bytes += buffer.bytes;
  return bytes;
}

}  // namespace

uint64_t timing_bytes(const protocol::Time& request, const TimingKernels& kernels) {
  uint64_t bytes = kernels.flush_bytes() + timing_bytes(request);
  if (!request.against) return bytes;
  for (const protocol::BufferBytes& buffer : request.against->run.buffers) {
    if (std::ranges::count(request.shared, buffer.name) == 0) bytes += buffer.bytes;
  }
  return bytes + timing_bytes(*request.against);
}

std::vector<Measurement> time_on_device(TimingKernels& kernels, const protocol::Time& request,
                                        const std::vector<LoadedSide>& sides) {
  const TimingOptions& options = request.options;
  std::vector<std::unique_ptr<Side>> runs;
  for (const LoadedSide& side : sides) {
    const protocol::TimedSide& asked = runs.empty() ? request : *request.against;
    runs.push_back(std::make_unique<Side>(side, kernels, asked, request.poison));
  }
  const auto& context = sides.front().loaded.context;
  kernels.wake_device(Stream(context));
  std::vector<TimedParty> parties;
  const bool in_graphs = std::ranges::any_of(options.modes, is_graph);
  for (auto& run : runs) {
    run->begin(parties.empty() ? nullptr : runs.front().get(), request.shared, in_graphs);
    parties.push_back(run->party());
  }
  Sampler sampler(context, kernels, parties);
  for (size_t i = 0; i < runs.size(); ++i) runs[i]->run_first(sampler, i);
  for (size_t i = 0; i < options.modes.size(); ++i) {
    // Each mode may use an equal part of the time that is left.
    const double left = std::max(0.0, options.budget_s - sampler.spent_s());
    std::vector<TimedSeries> all = sampler.sample(
        options.modes[i], options, left / static_cast<double>(options.modes.size() - i));
    for (size_t side = 0; side < runs.size(); ++side) runs[side]->add(std::move(all[side]));
  }
  std::vector<Measurement> measured;
  for (size_t i = 0; i < runs.size(); ++i) measured.push_back(runs[i]->end(sampler, i));
  return measured;
}

}  // namespace warpmark
