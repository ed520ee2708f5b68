// A kernel's parameters as its suite writes them: "float a, const T *x".
#pragma once

#include <string>
#include <vector>

#include "warpmark/plugin.hpp"

namespace warpmark::codegen {

struct Parameter {
  std::string name;
  std::string text;       ///< the declaration as written, on one line
  std::string element;    ///< type of the value, or of an array's elements, without const
  bool is_array = false;  ///< a pointer
  bool is_const = false;  ///< its elements, if it is an array
  bool is_volatile = false;
  uint32_t bytes = 0;   ///< of the element; 0 if only the compiler knows
  std::string kind;     ///< of the argument: "in", "inout", "out", "scalar"
  std::string pointer;  ///< of the argument in the case
};

/// Reads `kernel.parameters` and matches it with the arguments: count, order, names, arrays and
/// scalars, const. Throws Failures, at the parameters or at an argument. Types that are macros of
/// `kernel.define` are looked up for their size. Names that the generated code has for itself
/// (`reserved`) are refused.
std::vector<Parameter> read_parameters(const plugin::Json& which,
                                       const std::vector<std::string>& reserved);

/// Bytes of a type of CUDA C++ by its spelling, as "unsigned short" or "__half"; 0 if unknown.
uint32_t bytes_of_type(const std::string& spelling);

/// The element type with the macros of `kernel.define` put in.
std::string expanded_type(const std::string& spelling, const plugin::Json& kernel);

}  // namespace warpmark::codegen
