// Measurements for tests of records, reports and the bench front.
#pragma once

#include <vector>

#include "results/measurement_record.hpp"
#include "unit/results/example_outcome.hpp"

namespace warpmark::testing_results {

/// `count` samples around `seconds`, the outermost `spread` (a share of it) away.
inline std::vector<double> samples(double seconds, double spread, int count) {
  std::vector<double> list;
  for (int i = 0; i < count; ++i) {
    const double place = count == 1 ? 0 : 2.0 * (i * 7 % count) / (count - 1) - 1;
    list.push_back(seconds * (1 + spread * place));
  }
  return list;
}

inline TimedSeries series(TimingMode mode, double seconds, double spread, int count) {
  TimedSeries one;
  one.mode = mode;
  one.seconds = samples(seconds, spread, count);
  return one;
}

/// 4 ms cold and 3.2 ms hot for 16 GB and 1 Gflop, on a device whose clocks are known.
inline Measurement measurement() {
  Measurement result;
  result.series = {series(TimingMode::cold, 4e-3, 0.004, 41),
                   series(TimingMode::hot, 3.2e-3, 0.002, 41)};
  result.series[1].batch = 8;
  KernelFacts kernel;
  kernel.entry = "doublify";
  kernel.grid = {8192, 1, 1};
  kernel.block = {128, 1, 1};
  kernel.registers = 18;
  kernel.shared_bytes = 1024;
  kernel.active_blocks = 16;
  kernel.occupancy = 1;
  result.kernels = {kernel};
  result.before.sm_clock_mhz = 1980;
  result.before.max_sm_clock_mhz = 1980;
  result.before.power_w = 120.5;
  result.before.ecc = true;
  result.after = result.before;
  result.after.throttle_reasons = {"gpu_idle"};
  result.seconds = 0.5;
  result.bytes = 16e9;
  result.flops = 1e9;
  return result;
}

inline Ceilings ceilings() {
  return {4.1e12, 4.4e12, 1ULL << 30, 1.4e-6};
}

inline PlannedCase planned() {
  PlannedCase result;
  result.plan.suite = "doublify";
  result.plan.case_id = "doublify.dtype=float32,n=1048576";
  result.plan.point = {{"dtype", std::string("float32")}, {"n", int64_t{1048576}}};
  result.plan.bytes = int64_t{8388608};
  result.plan.restore = Restore::batch;
  return result;
}

inline TimedCase timed(Measurement from = measurement()) {
  TimingOptions options;
  return *timed_case(planned(), std::string(64, 'a'), options, {std::move(from)}, ceilings());
}

inline RunContext bench_context() {
  RunContext run = context();
  run.verb = "bench";
  run.command = "warpmark bench suites";
  run.device.uuid = "GPU-1";
  run.bench = BenchContext{{"Linux 6.1.0", "A Processor", 16, int64_t{1} << 37},
                           GitState{std::string(40, 'b'), true},
                           ceilings(),
                           13000};
  return run;
}

}  // namespace warpmark::testing_results
