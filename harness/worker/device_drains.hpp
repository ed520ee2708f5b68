// The reports, counters and coverage that devices have of their launches, as the front gets them.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "driver/context.hpp"

namespace warpmark {

class DeviceDrains {
 public:
  using Texts = std::vector<nlohmann::ordered_json>;

  /// Adds the reports since the last call, also after a sticky error. Of several steps, each report
  /// gets its `step`, an index.
  void collect_reports(const std::vector<const Context*>& contexts, std::optional<size_t> step);
  Texts take_reports() { return std::exchange(reports_, {}); }

  /// The counters of each launch since the last call (warpmark/device.h), in their order; empty for
  /// devices that do not count. Coverage and the number of schedules are kept apart.
  Texts drain_counters(const std::vector<const Context*>& contexts);
  /// The coverage of each text among them.
  Texts take_coverage() { return std::exchange(coverage_, {}); }
  /// The most schedules of any of these launches (protocol::Verified::schedules).
  uint64_t schedules() const { return schedules_; }

 private:
  Texts reports_, coverage_;
  uint64_t schedules_ = 0;
};

}  // namespace warpmark
