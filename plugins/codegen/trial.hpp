// The trial of an operation that combines values: a kernel that does it in several orders.
#pragma once

#include <functional>
#include <string>

#include "codegen/operation.hpp"
#include "codegen/source.hpp"
#include "warpmark/plugin.hpp"

namespace warpmark::codegen {

/// The parts of a trial that each generator provides.
struct OperationTrial {
  /// Types, `map` and the operation, as the generator's own kernel has them.
  SourceText source = {};
  plugin::Json plan = {};       ///< the inputs, and the scalars that the kernel takes after them
  plugin::Json arguments = {};  ///< of the kernel, as far as the plan goes
  std::string parameters = {};  ///< the kernel's, for these arguments
  std::string count = {};       ///< of the elements, as an expression
  std::string mapped = {};      ///< the value of the element `warpmark_place`, as an expression
  /// Which element of its array is told of a value, where only the compiler knows its type; and how
  /// the value becomes one.
  Parameter result = {};
  std::function<std::string(const std::string&)> converted = {};
  bool any_order = true;  ///< values need not keep the order of their elements
};

/// The initial plan of a generator's trials: the inputs alone.
plugin::Json plan_of_inputs(const plugin::Json& which);

/// The trial: that the operation is associative, commutative where it should be, and that the
/// neutral element is neutral. `null` if the suite says neither the operation nor the element.
/// Operands are what `map` gives for elements of the suite's own inputs, as an operation need not
/// take others, and what two such values combine to.
plugin::Json trial_of(const ReductionOperation& operation, const plugin::Json& which,
                      const std::function<OperationTrial()>& parts);

}  // namespace warpmark::codegen
