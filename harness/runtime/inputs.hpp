// The values of a kernel's arguments: arrays and scalars from NumPy.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.hpp"
#include "plan/plugin_loader.hpp"
#include "python/array.hpp"
#include "python/expression.hpp"
#include "python/generator.hpp"
#include "python/interpreter.hpp"
#include "python/scope.hpp"
#include "runtime/argument_types.hpp"
#include "runtime/placement.hpp"

namespace warpmark {

struct ScalarValue {
  DType dtype;
  std::vector<std::byte> bytes;  ///< bytes of one element, or of as many as the parameter has
};

struct CaseInputs : ArgumentTypes {
  std::map<std::string, Array> arrays;  ///< initial values of `in` and `inout`
  std::map<std::string, ScalarValue> scalars;
  /// The results of the baseline kernel, if references or checks use it.
  std::map<std::string, Array> baseline;
};

/// Evaluates inputs in the plan's order; each sees the axes and those before it. `key` names the
/// generators, except for the argument. Workers have large arrays as `others` says. Throws verdict
/// errors.
CaseInputs evaluate_inputs(Interpreter& python, const PlannedCase& planned, ArgumentTypes types,
                           GeneratorKey key, Array::Access others = Array::Access::mapped);

/// The facts about a plan's arrays, by which it is resolved.
Facts array_facts(const Plan& plan, const CaseInputs& inputs);

/// The shape of a buffer of a resolved plan: that of its initial value, or of its `out`.
Shape buffer_shape(const Buffer& buffer, const CaseInputs& inputs);

/// A case made ready for a launch.
struct ReadyCase {
  PlannedCase planned;  ///< the plan resolved
  CaseInputs inputs;
  bool guards_front = false;  ///< as in Trial
  PlacedArrays placed = {};   ///< arrays that are only a part of their memory
  double inputs_s = 0;        ///< seconds for evaluating the inputs
};

/// Adds the scalars that are integers of a resolved plan. Throws a verdict error for one that its
/// dtype does not hold.
void add_integers(const PlannedCase& resolved, CaseInputs& inputs);

/// Makes the memory of arrays that are only a part of it, for a resolved case. Throws verdict
/// errors.
PlacedArrays placed_arrays(const PlannedCase& ready, const CaseInputs& inputs);

/// The offset of a struct's pointer field, in bytes; nothing if there is no such field.
std::optional<uint64_t> offset_of_pointer(const DType& type, std::string_view field);

/// The total size of all buffers of a resolved plan. Throws a verdict error, at the buffer, if an
/// intermediate number does not fit 63 bits.
uint64_t buffer_bytes(const PlannedCase& ready, const CaseInputs& inputs);

/// The scope of references and tolerances: axes, scalars as NumPy scalars, inputs as they were
/// before, and `baseline`, a dict of the baseline kernel's results. An axis that is a scalar, too,
/// is a Python int; a float, or a number that a float would round, is the scalar.
PythonScope reference_scope(const Plan& plan, const CaseInputs& inputs);

/// The value of a NumPy text of a plan, or of the function that it names. Throws verdict errors.
Value evaluate(Interpreter& python, const NumpyText& text, const PositionMap& positions,
               const PythonScope& scope);

}  // namespace warpmark
