#include "mutate/killer.hpp"

#include <fmt/format.h>

#include <set>
#include <variant>

#include "base/error.hpp"

namespace warpmark {

namespace {

// Cases of larger sizes take long, and their mutants fail at smaller ones, too.
constexpr int64_t kLargest = int64_t{1} << 22;
// Each costs a compile of the right kernel and one of the mutant.
constexpr size_t kMost = 16;

std::vector<int64_t> near(int64_t value) {
  return {value + 1, value - 1, value + 31, 2 * value + 1, 1, 33, 257, 1025};
}

}  // namespace

std::optional<std::string> find_killer(const std::vector<Case>& cases, const KillsMutant& kills) {
  if (cases.empty()) return std::nullopt;
  std::set<std::string> known;
  for (const Case& one : cases) known.insert(one.id);
  size_t tried = 0;
  for (const Case* base : {&cases.back(), &cases.front()}) {
    for (size_t axis = 0; axis < base->point.size(); ++axis) {
      const auto* value = std::get_if<int64_t>(&base->point[axis].value);
      if (value == nullptr || *value < 1 || *value > kLargest) continue;
      for (const int64_t other : near(*value)) {
        if (other < 1 || tried == kMost) continue;
        std::vector<PointValue> point = base->point;
        point[axis].value = other;
        point[axis].label = fmt::format("{}", other);
        try {
          const Case which = case_at(base->suite, std::move(point));
          if (which.skip || !known.insert(which.id).second) continue;
          ++tried;
          if (kills(which)) return fmt::format("{}={}", base->point[axis].name, other);
        } catch (const Error& error) {
          // No such case can be planned.
          if (error.code() != ExitCode::usage && error.code() != ExitCode::verdict) throw;
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace warpmark
