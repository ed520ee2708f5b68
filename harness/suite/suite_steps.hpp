// The steps of a suite whose `launch` is a list: launches, copies, fills, and loops over them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/arithmetic.hpp"
#include "base/error.hpp"
#include "suite/entry_name.hpp"

namespace warpmark {

/// A text of the file (text or NumPy) and where its first character stands.
struct Located {
  std::string text;
  Position where;
};

/// Geometry: one to three numbers each, x first.
struct LaunchGeometry {
  Position where;
  std::vector<Expression> grid;  ///< empty: one block
  std::vector<Expression> block;
  std::optional<Expression> shared;  ///< bytes of dynamic shared memory
  std::vector<Expression> cluster;   ///< blocks; empty: what the kernel itself says
  bool cooperative = false;          ///< all blocks run at a time, so that the grid can be in step
};

/// What a step gives a kernel: an argument of the suite, or a number of the step's own.
struct StepArgument {
  Located name;                       ///< unused if there is a value; "" is a null pointer
  std::optional<Expression> value;    ///< over axes, sizes, the device and the loops' indices
  std::optional<Expression> element;  ///< of the array `name`, likewise: where the pointer points
};

struct StepLaunch {
  std::optional<Located> name;     ///< for messages; default: the entry
  std::optional<Located> file;     ///< relative to the suite's folder; nothing: the suite's kernel
  std::optional<EntryName> entry;  ///< nothing: the suite's
  std::optional<std::vector<StepArgument>> arguments;  ///< nothing: all of the suite's
  LaunchGeometry geometry;
};

struct StepCopy {
  Located from, to;
};

struct StepFill {
  Located array;
  Expression byte;
};

struct SuiteStep;

/// A list of steps that is one, so that a loop can go over it.
struct StepGroup {
  std::vector<SuiteStep> steps;
};

/// Two arrays change their names: `a = b, b = a`.
struct StepSwap {
  Located first, second;
};

/// How often a step runs.
struct Repeat {
  std::optional<Located> index;  ///< its name in arithmetic: 0, 1, 2 …
  Expression count;              ///< over axes and indices further out
};

struct SuiteStep {
  Position where;
  std::variant<StepGroup, StepLaunch, StepCopy, StepFill> what;  ///< an empty group does nothing
  std::optional<Repeat> repeat;
  std::optional<StepSwap> swap;  ///< after each time
};

}  // namespace warpmark
