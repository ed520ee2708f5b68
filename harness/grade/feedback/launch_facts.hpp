// Facts of a plan's first launch: blocks, threads, and the arguments in their order.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.hpp"

namespace warpmark {

struct LaunchFacts {
  struct Argument {
    std::string name;
    bool array = false, output = false;  ///< an output has no values before the launch
    bool written = false;                ///< results belong there
    std::vector<int64_t> shape = {};     ///< of an array; empty if unknown
    std::optional<int64_t> number = {};  ///< of an integer, if known
    std::string type = {};               ///< "float"; "" if unknown
  };

  std::string entry;
  std::array<int64_t, 3> grid{}, block{};  ///< 0 where unknown
  std::vector<Argument> arguments;         ///< in the order of the parameters

  const Argument* find(const std::string& name) const;
};

/// As far as arithmetic over the plan's axes tells.
LaunchFacts launch_facts(const Plan& plan);

}  // namespace warpmark
