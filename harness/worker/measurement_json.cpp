#include "worker/measurement_json.hpp"

#include <cmath>
#include <stdexcept>
#include <type_traits>

namespace warpmark::protocol {

namespace {

// Refuses numbers and enumerators that none of the members may have.
template <typename T>
void refuse_senseless(const T& value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(value) || value < 0) throw std::runtime_error("a time or rate is no number");
  } else if constexpr (Worded<T>) {
    if (static_cast<size_t>(value) >= words(value).size())
      throw std::runtime_error("a state is unknown");
  } else if constexpr (Listed<T>) {
    each_field(const_cast<T&>(value),
               [](const FieldInfo&, const auto& member) { refuse_senseless(member); });
  } else if constexpr (requires { value.has_value(); }) {
    if (value) refuse_senseless(*value);
  } else if constexpr (requires { value.data(); }) {
    for (const auto& element : value) refuse_senseless(element);
  }
}

}  // namespace

void validate(const TimingOptions& options) {
  refuse_senseless(options);
}

void validate(const Measurement& measurement) {
  refuse_senseless(measurement);
  for (const TimedSeries& one : measurement.series)
    if (one.seconds.empty()) throw std::runtime_error("a series has no samples");
}

void validate(const Ceilings& ceilings) {
  refuse_senseless(ceilings);
}

}  // namespace warpmark::protocol
