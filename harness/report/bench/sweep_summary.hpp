// The final remarks of a bench on points that are compared with each other.
#pragma once

#include <string>
#include <vector>

#include "results/measurement_record.hpp"

namespace warpmark {

/// A case with the data of its standing.
struct SweptCase {
  std::string id;
  SweepSettings sweep;
  std::vector<BenchSeries> series;      ///< without samples
  std::optional<int64_t> instructions;  ///< count of a device that counts
};

SweptCase swept_case(const std::string& id, const TimedCase& timed);

/// Lines, an empty one before each of the two parts: the best point of each sweep, with those that
/// are as good; and each point's time relative to the point that its suite names.
std::vector<std::string> sweep_summary(const std::vector<SweptCase>& cases);

}  // namespace warpmark
