// A suite's description of a reduction: map, reduce, neutral element and accumulator.
#pragma once

#include <string>
#include <vector>

#include "codegen/parameters.hpp"
#include "codegen/source.hpp"
#include "warpmark/plugin.hpp"

namespace warpmark::codegen {

struct ReductionOperation {
  std::string map;
  std::string reduce;  ///< over `a` and `b`
  bool named = false;  ///< that of a named operator, else the suite's own
  std::string neutral;
  bool neutral_given = true;         ///< else it is that of a named operator
  std::string neutral_line;          ///< on one line, without comments
  std::string accumulator;           ///< a type
  std::string accumulator_at;        ///< JSON Pointer to what said it
  bool integer_accumulator = false;  ///< known to be one
  uint32_t accumulator_bytes = 0;    ///< of what is combined; 0: only the compiler knows
  uint32_t numbers = 1;              ///< of the accumulator's type in what is combined
  bool commutative = true;
  /// The values to combine, if they are structs that a named operator makes of `map`: their type,
  /// and the initialisers around the value of `map`.
  std::string combined, combined_before, combined_after;
  std::string finish;         ///< over `total` and `count`: the result; empty: `total`
  bool finish_given = false;  ///< else it is that of a named operator

  /// A function that combines a total with several values at once, whose indices ascend and come
  /// after that of the total; empty: `reduce` does it.
  std::string take;

  /// The type of what is combined, as the generated code calls it.
  const char* type() const { return combined.empty() ? "accumulator" : "warpmark_combined"; }
};

/// Reads the keys. Throws Failures for what is missing, no expression, or lacks `a` or `b`.
/// `first` is the first input array, whose type some named operators combine.
ReductionOperation read_operation(const plugin::Json& kernel, const Parameter& result,
                                  const Parameter& first);

/// Returns whether a type, by its spelling, is known to be an integer type.
bool is_integer_type(const std::string& type);

/// The one output. Throws Failures for none, several, more than one element, and `inout`.
const Parameter& result_of(const std::vector<Parameter>& parameters, const plugin::Json& which);

}  // namespace warpmark::codegen
