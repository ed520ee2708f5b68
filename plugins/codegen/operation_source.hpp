// The CUDA C++ of an operation that combines values.
#pragma once

#include <string>

#include "codegen/operation.hpp"
#include "codegen/source.hpp"

namespace warpmark::codegen {

/// The headers that the neutral element needs, as lines.
const char* limit_headers(const ReductionOperation& operation);

/// The suite's expression at `pointer` as what a function returns, converted to `type`, between two
/// texts. Without a pointer it is generated.
void add_returned(SourceText& text, const std::string& type, const std::string& expression,
                  const std::string& pointer, const std::string& before = "",
                  const std::string& after = "");

/// `accumulator`, perhaps `warpmark_combined`, `warpmark_neutral()` and `warpmark_reduce`, a function
/// object. They follow reduction_prelude().
void add_operation(SourceText& text, const ReductionOperation& operation,
                   const plugin::Json& kernel);

/// Words of 4 bytes that hold what is combined.
int64_t slot_words(const ReductionOperation& operation);

}  // namespace warpmark::codegen
