// The values that a case's kernel gets: dtypes from its signature, arrays and scalars from NumPy.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/signature.hpp"
#include "plan/plan.hpp"
#include "plan/plugin_loader.hpp"
#include "python/array.hpp"
#include "python/expression.hpp"
#include "python/generator.hpp"
#include "python/interpreter.hpp"
#include "python/scope.hpp"
#include "runtime/placement.hpp"

namespace warpmark {

struct ScalarValue {
  DType dtype;
  std::vector<std::byte> bytes;  ///< of one element, or of as many as the parameter has
};

/// What kernels make of a case's arguments.
struct ArgumentTypes {
  std::map<std::string, DType> dtypes;  ///< of every buffer and scalar
  /// What buffers hold to the kernels, where that is known: the bytes of a number or of a built-in
  /// vector, which have a value as a whole, or 0 for records, whose members may have none.
  std::map<std::string, uint64_t> elements;
  std::map<std::string, size_t> counts;        ///< of scalars: how many elements a parameter has
  std::map<std::string, std::string> symbols;  ///< of buffers that are variables of the module
};

struct CaseInputs : ArgumentTypes {
  std::map<std::string, Array> arrays;  ///< of `in` and `inout`, as before the launch
  std::map<std::string, ScalarValue> scalars;
  /// What the baseline kernel leaves, where references or checks use it.
  std::map<std::string, Array> baseline;
};

/// The dtype of every argument: the suite's, else the kernel parameter's type; and the elements of
/// buffers: of several kernels' types records come first, then the greatest. `compiled` has the
/// entry of each of the plan's kernels (Plan::kernels). Throws a verdict error, at the argument, for what does not
/// fit the kernel's parameters: count, sizes, pointers where values are wanted, element types; for a
/// variable that is not there, and for a struct that the compiler lays out otherwise.
ArgumentTypes argument_types(const PlannedCase& planned, const Signatures& compiled);

/// The elements of what a parameter of this type, as a demangler writes it, points to; nothing if
/// it is no pointer to data.
std::optional<uint64_t> pointed_elements(std::string_view type);

/// Evaluates inputs in the plan's order; each sees the axes and those before it. `key` names the
/// generators but for the argument. Throws verdict errors.
CaseInputs evaluate_inputs(Interpreter& python, const PlannedCase& planned, ArgumentTypes types,
                           GeneratorKey key);

/// The shape of a buffer of a resolved plan: that of its initial value, or of its `out`.
Shape buffer_shape(const Buffer& buffer, const CaseInputs& inputs);

/// A case made ready for a launch: all that comes before it.
struct ReadyCase {
  PlannedCase planned;  ///< the plan resolved
  CaseInputs inputs;
  bool guards_front = false;  ///< as of Trial
  PlacedArrays placed = {};   ///< of arrays that are not all of their memory
  double inputs_s = 0;        ///< seconds that evaluating the inputs took
};

/// Adds the scalars that are integers of a resolved plan. Throws a verdict error for one that its
/// dtype does not hold.
void add_integers(const PlannedCase& resolved, CaseInputs& inputs);

/// Memory for the arrays of a resolved case that are not all of theirs. Throws verdict errors.
PlacedArrays placed_arrays(const PlannedCase& ready, const CaseInputs& inputs);

/// Where the field of a struct that is a pointer lies, in bytes; nothing if there is none.
std::optional<uint64_t> offset_of_pointer(const DType& type, std::string_view field);

/// What all buffers of a resolved plan take together. Throws a verdict error, at the buffer, if a
/// number on the way does not fit 63 bits.
uint64_t buffer_bytes(const PlannedCase& ready, const CaseInputs& inputs);

/// What references and tolerances see: axes, scalars as NumPy scalars, inputs as they were before,
/// and `baseline`, a dict of what the baseline kernel leaves.
/// An axis that is a scalar, too, is a Python int, or for a float, and what a float would round,
/// the scalar.
PythonScope reference_scope(const Plan& plan, const CaseInputs& inputs);

/// The value of a NumPy text of a plan, or of the function that it names. Throws verdict errors.
Value evaluate(Interpreter& python, const NumpyText& text, const PositionMap& positions,
               const PythonScope& scope);

}  // namespace warpmark
