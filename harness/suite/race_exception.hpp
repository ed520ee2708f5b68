// A suite's exceptions from the rule that a race fails its case.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "suite/yaml_node.hpp"

namespace warpmark {

/// The warning of a race that is seen in order but not put in order, as reports name it.
inline constexpr const char* kOrderByBarrier = "order-by-barrier";

/// One `allow` rule: races that fail nothing and give no notice.
struct RaceException {
  Position where;
  std::string race;  ///< kOrderByBarrier, or the argument or global variable at which they are
  std::string reason;
};

/// One rule or a list of them. Throws a usage error at what is missing or unknown.
std::vector<RaceException> read_race_exceptions(const YamlNode& node);

}  // namespace warpmark
