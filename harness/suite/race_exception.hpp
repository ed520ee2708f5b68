// A suite's exceptions from the rule that a race fails its case.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "suite/yaml_node.hpp"

namespace warpmark {

/// Warnings of races, as reports name them: what is seen in order but not put in order by the memory
/// model, and what only lanes of a warp in step put in order.
const std::vector<std::string>& race_warnings();

/// One `allow` rule: races that fail nothing and give no notice.
struct RaceException {
  Position where;
  std::string
      race;  ///< one of race_warnings(), or the argument or global variable at which they are
  std::string reason;
};

/// One rule or a list of them. Throws a usage error at what is missing or unknown.
std::vector<RaceException> read_race_exceptions(const YamlNode& node);

}  // namespace warpmark
