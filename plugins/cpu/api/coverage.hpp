// The coverage of a loaded text, over all its launches.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/loaded_text.hpp"
#include "inspect/counters/coverage.hpp"

namespace warpmark::cpu {

/// Counts by statement: the launches of a text are many, and its lines are put together once.
class ModuleCoverage {
 public:
  explicit ModuleCoverage(std::shared_ptr<LoadedText> text) : text_(std::move(text)) {}

  [[nodiscard]] const LoadedText* text() const { return text_.get(); }
  /// Adds a launch of one of the text's kernels.
  void add(const Program& program, const CoverageMap& map, const Profile& profile);
  /// The JSON object that warpmark/device.h describes under drain_counters.
  [[nodiscard]] std::string json() const;

 private:
  /// The counts of one function, of lanes.
  struct Counts {
    std::vector<std::uint64_t> executed;  ///< by statement
    /// By branch and the statement that it leads to.
    std::map<std::uint32_t, std::map<std::uint32_t, std::uint64_t>> sides;
  };
  /// A statement by its function.
  struct Place {
    Counts* counts = nullptr;
    const Function* function = nullptr;
    const Statement* statement = nullptr;
    std::uint32_t index = 0;
  };
  Place place(const Program& program, std::uint32_t number);

  std::shared_ptr<LoadedText> text_;
  std::unordered_map<const Function*, Counts> functions_;
};

}  // namespace warpmark::cpu
