// Measures with an executor: times, counters where nothing has times, profiles.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "driver/graph.hpp"
#include "driver/stream.hpp"
#include "worker/counters.hpp"
#include "worker/execution.hpp"
#include "worker/host_timing.hpp"
#include "worker/large_buffers.hpp"
#include "worker/sampler.hpp"

namespace warpmark {

protocol::Misfit Executor::misfit(const TimingOptions& options) const {
  if (choice_.device.has(Capability::counters)) return {};
  if (options.profile) return {};
  for (const TimingMode mode : options.modes) {
    if (is_graph(mode) && !Graph::is_there(*context_))
      return {fmt::format("is to be timed in a graph, which {} does not have", facts_.name),
              std::nullopt, false};
  }
  return {};
}

// The work of several devices is timed by the host's clock, which sees when all are done.
protocol::Timed Executor::time_on_several(const protocol::Time& request, TimedMemory& memory) {
  protocol::Timed reply;
  DeviceGroup group(this->group(), request.run);
  group.restore(memory.run, request.poison);
  launched_ = true;
  const bool restores = request.restore != Restore::never;
  if (restores) group.keep_initial();
  const bool counts = choice_.device.has(Capability::counters);
  const uint64_t most = std::min<uint64_t>(counts ? 5 : 50, request.options.max_samples);
  bool ignored = false;
  if (counts) drain_counters();
  group.run(ignored);  // on a GPU, the first run takes longer
  if (counts) reply.measurement.counters = sum_counters(drain_counters());
  const auto start = Clock::now();
  TimedSeries series = series_by_host(
      most, request.options.budget_s,
      [&] {
        if (restores) group.put_back();
      },
      [&] { group.run(ignored); });
  reply.measurement.series.push_back(std::move(series));
  group.restore(memory.run, request.poison);
  group.run(ignored);
  group.fetch(memory.run);
  reply.measurement.seconds = seconds_since(start);
  reply.measurement.kernels = group.first().kernel_facts();
  if (!counts) {
    reply.measurement.honest.untested = {"several devices: runs find what the run before left"};
  }
  return reply;
}

DeviceState Executor::device_state() {
  if (choice_.device.has(Capability::counters)) return {};
  if (!nvml_is_open_) {
    nvml_ = Nvml::open();
    nvml_is_open_ = true;
  }
  return nvml_ ? nvml_->state(choice_.device.pci_bus_id()) : DeviceState{};
}

// True if they can be compiled and loaded, which only timing depends on.
bool Executor::has_timing_kernels() {
  try {
    timing_kernels();
    return true;
  } catch (const DriverError& error) {
    if (error.sticky()) throw;
  } catch (const Error&) {
  }
  return false;
}

// A later case reports what is missing.
void Executor::get_ready_to_time() {
  if (choice_.device.has(Capability::counters)) return;
  has_timing_kernels();
  device_state();
}

TimingKernels& Executor::timing_kernels() {
  // The kernels of a context that was replaced were released with it.
  if (timing_kernels_) return *timing_kernels_;
  if (!timing_image_.empty()) {
    timing_kernels_.emplace(context_, timing_image_, facts_.architecture);
  } else if (compiler_) {
    timing_kernels_.emplace(context_, compiler_->compiler(), facts_.architecture);
  } else {
    throw internal_error("a confined worker that was not started to time was asked to");
  }
  return *timing_kernels_;
}

protocol::Timed Executor::time(const protocol::Time& request, TimedMemory memory,
                               TimedMemory against) {
  launched_ = false;
  restore_modules(request.loads_against_first);
  ran_ = true;
  const bool counts = choice_.device.has(Capability::counters);
  protocol::Timed reply;
  const uint64_t more = counts ? 0 : timing_bytes(request, timing_kernels());
  reply.misfit = misfit(request.run, more);
  if (!reply.misfit.text.empty()) {
    copies_.clear();  // they may have taken the room
    reply.misfit = misfit(request.run, more);
  }
  if (reply.misfit.text.empty()) reply.misfit = misfit(request.options);
  if (!reply.misfit.text.empty()) return reply;
  set_launch_limits(request.run);
  if (request.run.devices > 1) return time_on_several(request, memory);
  if (request.options.profile) {
    DeviceRun run(context_, kernels_, main_module_, request.run);
    run.restore(memory.run, request.poison);
    launched_ = true;
    run.run_before_timed(Stream(context_));
    profile(run);
    run.run_after_timed(Stream(context_));
    run.fetch(memory.run);
    reply.measurement.kernels = run.kernel_facts();
    return reply;
  }
  if (!counts && has_large_buffers(request.run)) {
    memory.copies = against.copies = &copies_;
    open_copies(request, memory.run, context_, timing_kernels(), copies_);
  }
  launched_ = true;
  const DeviceState before = device_state();
  const auto start = Clock::now();
  std::vector<Measurement> measured;
  if (counts) {
    measured.push_back(count_on_device(request, memory));
  } else {
    const PreparedDevice loaded{context_, kernels_, main_module_, modules_};
    std::vector<LoadedSide> sides = {{loaded, memory}};
    if (request.against) {
      if (!beside_) throw internal_error("there is nothing to be timed against");
      sides.push_back({beside_->kernels, against});
    }
    measured = time_on_device(timing_kernels(), request, sides);
  }
  copies_.close_opened();
  for (Measurement& one : measured) {
    one.seconds = seconds_since(start);
    one.before = before;
    one.after = device_state();
  }
  reply.measurement = std::move(measured.front());
  if (measured.size() > 1) reply.against = std::move(measured.back());
  return reply;
}

// Profilers that are told to (ncu --profile-from-start off, nsys --capture-range=cudaProfilerApi)
// look at nothing else.
void Executor::profile(DeviceRun& run) {
  const Driver& driver = context_->driver();
  const ScopedContext current(*context_);
  const auto object = [&] { return context_->identify(); };
  const Stream stream(context_);
  driver.call(context_->table().profiler_start, object);
  run.queue(stream);
  stream.synchronize();
  driver.call(context_->table().profiler_stop, object);
}

// A device that counts has no meaningful times: a few by the host's clock show roughly how long it
// takes, or fewer if that many are not wanted.
Measurement Executor::count_on_device(const protocol::Time& request, TimedMemory& memory) {
  Measurement measured;
  DeviceRun run(context_, kernels_, main_module_, request.run);
  const Stream stream(context_);
  const auto begin = [&] {
    run.restore(memory.run, request.poison);
    run.run_before_timed(stream);
  };
  const auto run_once = [&] {
    run.queue(stream);
    stream.synchronize();
  };
  begin();
  drain_counters();
  run_once();
  measured.counters = sum_counters(drain_counters());
  measured.series.push_back(series_by_host(std::min<uint64_t>(5, request.options.max_samples),
                                           request.options.budget_s, begin, run_once));
  run.run_after_timed(stream);
  run.fetch(memory.run);
  measured.kernels = run.kernel_facts();
  return measured;
}

protocol::Calibrated Executor::calibrate() {
  launched_ = false;
  if (choice_.device.has(Capability::counters)) return {};
  return {measure_ceilings(context_, timing_kernels())};
}

}  // namespace warpmark
