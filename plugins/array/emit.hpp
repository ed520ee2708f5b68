// A step as CUDA C++: the statements for one index, and the parameters that they need.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "codegen/parameters.hpp"
#include "steps.hpp"
#include "tiles.hpp"

namespace warpmark::array {

struct Emitted {
  std::string operation;
  std::set<std::string> helpers;  ///< of the prelude
  std::vector<codegen::Parameter> parameters;
  std::vector<std::string> arguments;  ///< a buffer or scalar of the plan for each parameter
  struct Integer {
    std::string name;
    int64_t value;
  };
  std::vector<Integer> integers;  ///< extents, strides and offsets: scalars of the plan
  int64_t count = 0;              ///< of indices
  std::optional<Tiles> tiles;     ///< where a view is read along the columns of the result
  std::vector<int64_t> sizes;     ///< of the dimensions, for the tiles
};

/// `number` tells the scalars of one step from those of others.
Emitted emit(const Names& names, const Step& step, size_t number);

}  // namespace warpmark::array
