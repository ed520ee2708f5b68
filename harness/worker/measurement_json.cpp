#include "worker/measurement_json.hpp"

#include <cmath>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <vector>

namespace warpmark::protocol {

namespace {

void refuse_negative(double number) {
  if (!std::isfinite(number) || number < 0) throw std::runtime_error("a time or rate is no number");
}
void refuse_negative(const std::optional<double>& number) {
  if (number) refuse_negative(*number);
}
void refuse_negative(const std::vector<double>& numbers) {
  for (const double number : numbers) refuse_negative(number);
}

template <Worded Enum>
void refuse_unknown(Enum value) {
  if (static_cast<size_t>(value) >= words(value).size())
    throw std::runtime_error("a state is unknown");
}

void validate(const TimedSeries& series) {
  refuse_unknown(series.mode);
  refuse_unknown(series.stop);
  if (series.seconds.empty()) throw std::runtime_error("a series has no samples");
  for (const auto* times : {&series.seconds, &series.empty_seconds, &series.single_seconds})
    refuse_negative(*times);
  refuse_negative(series.clock_mhz);
  refuse_negative(series.clock_change);
}

}  // namespace

void validate(const TimingOptions& options) {
  for (const TimingMode mode : options.modes) refuse_unknown(mode);
  for (const double number : {options.budget_s, options.precision, options.min_seconds})
    refuse_negative(number);
}

void validate(const Measurement& measurement) {
  for (const TimedSeries& one : measurement.series) validate(one);
  for (const KernelFacts& one : measurement.kernels) refuse_negative(one.occupancy);
  refuse_negative(measurement.seconds);
  refuse_negative(measurement.honest.first_s);
  refuse_negative(measurement.honest.last_s);
}

void validate(const Ceilings& ceilings) {
  for (const double number :
       {ceilings.copy_bytes_per_s, ceilings.read_bytes_per_s, ceilings.launch_s,
        ceilings.memory_bytes_per_s, ceilings.float64_flops_per_s, ceilings.float32_flops_per_s,
        ceilings.float16_flops_per_s, ceilings.clock_headroom})
    refuse_negative(number);
}

}  // namespace warpmark::protocol
