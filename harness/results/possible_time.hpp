// Times that the device cannot reach: of a kernel that does not do its work, or of a wrong cost
// model.
#pragma once

#include <cstdint>
#include <optional>

#include "results/measurement_record.hpp"
#include "worker/measurement.hpp"

namespace warpmark {

/// A time and the least that there can be.
struct ImpossibleTime {
  enum class Limit : uint8_t {
    memory,        ///< what the memory moves
    given_peak,    ///< what the suite says that the device computes
    measured_peak  ///< what fused multiply-adds do
  };
  TimingMode mode = TimingMode::cold;
  Limit limit = Limit::memory;
  double seconds = 0, least_s = 0;
  double amount = 0;  ///< bytes or operations of one run
  double rate = 0;    ///< the most of them a second
  double cached = 0;  ///< of the bytes those that a cache may hold
};

/// The first series of the case that is too fast, or nothing. It fails a case, and so says nothing
/// wherever there is doubt:
///
/// - Memory: only cold times. What fits in the last-level cache (`cache_bytes`; 0 for not known, and
///   nothing is said) need not come to the memory, nor what one of `steps` leaves there for the
///   next. The rest moves at what clock and bus of the memory give, or a tenth more than was
///   measured, whichever is more.
/// - Operations: at the peak that the suite gives. Without one, at the most that fused multiply-adds
///   of any type do at the device's greatest clock, and only of kernels without matrix instructions
///   over floating arrays.
///
/// A time is what the upper end of its interval says, and a twentieth less than the least is allowed.
/// Devices that count have no ceilings, and old journals none of some: they are not checked.
std::optional<ImpossibleTime> impossible_time(const TimedCase& timed,
                                              const std::optional<Ceilings>& ceilings,
                                              uint64_t cache_bytes, size_t steps);

}  // namespace warpmark
