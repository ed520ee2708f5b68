// Times a case by the host's clock: on devices that count, and on several at a time.
#pragma once

#include <functional>

#include "worker/device_group.hpp"
#include "worker/measurement.hpp"

namespace warpmark {

/// Times `run`, which waits for its end, at most so often and for so long; `prepare` comes before
/// each.
TimedSeries series_by_host(uint64_t most, double budget_s, const std::function<void()>& prepare,
                           const std::function<void()>& run);

}  // namespace warpmark
