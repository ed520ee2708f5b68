// The steps of a suite whose `launch` is a list: launches, copies, fills, and loops over them.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/arithmetic.hpp"
#include "base/error.hpp"
#include "suite/entry_name.hpp"

namespace warpmark {

/// A text of the file (text or NumPy) and the place of its first character.
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
  std::vector<Expression> cluster;   ///< blocks; empty: the kernel's own
  bool cooperative = false;          ///< all blocks run at a time, so that the grid can synchronise
};

/// The argument of a step for a kernel: an argument of the suite, or a number that the step
/// computes.
struct StepArgument {
  Located name;                       ///< unused if there is a value; "" is a null pointer
  std::optional<Expression> value;    ///< over axes, sizes, the device and the loops' indices
  std::optional<Expression> element;  ///< index in the array `name`, likewise: the element that the
                                      ///< pointer points to
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

/// A list of steps that counts as one, so that a loop can contain it.
struct StepGroup {
  std::vector<SuiteStep> steps;
};

/// Two arrays exchange their names: `a = b, b = a`.
struct StepSwap {
  Located first, second;
};

/// The number of repetitions of a step.
struct Repeat {
  std::optional<Located> index;  ///< its name in arithmetic: 0, 1, 2 …
  Expression count;              ///< over axes and indices of outer loops
};

struct SuiteStep {
  Position where;
  std::variant<StepGroup, StepLaunch, StepCopy, StepFill> what;  ///< an empty group does nothing
  std::optional<Repeat> repeat;
  std::optional<StepSwap> swap;  ///< done after each repetition
};

}  // namespace warpmark
