// The source of a kernel that does an operation for each index, with vectors where arrays allow it.
#pragma once

#include <string>
#include <vector>

#include "codegen/parameters.hpp"
#include "codegen/source.hpp"
#include "codegen/vectors.hpp"

namespace warpmark::codegen {

/// One vector a thread in blocks of 256 was the fastest of those tried on an H200: more in flight
/// gains nothing where each thread ends after one.
constexpr Tuning kElementsTuning{256, 1, 0};

struct ElementsKernel {
  std::string name;
  Tuning tuning;
  std::string operation;      ///< statements over `i` and `n`
  std::string operation_at;   ///< where they stand in the case; "" if they are generated
  std::string parameters_at;  ///< what wrong types are reported at; "" likewise
  std::vector<Parameter> parameters;
  Range range;
  Layout layout;
  std::string operation_parameters = {};  ///< further ones of the operation: ", const int i0"
  std::string body = {};  ///< the kernel's own; empty: vectors, or element by element

  /// Indices that one block takes.
  int64_t elements_of_block() const;
  /// The unit's text; `prelude` goes before the macros of `kernel`.
  SourceText source(const plugin::Json& kernel, const std::string& prelude = {}) const;

 private:
  bool has_vectors() const { return layout.width > 1; }
  std::string plain_body() const;
  std::string vector_body() const;
};

}  // namespace warpmark::codegen
