// Hints about the toolkit's headers from a compiler's log: one that is missing, one that no kernel
// can include.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpmark {

/// The header that declares a name for kernels, "cuda_fp16.h" for "half"; "" if none is known.
std::string header_of(std::string_view name);

/// The same as a hint, for the first unknown name in the log that has a header.
std::string hint_at_missing_header(const std::string& log);

/// If the log's first error is that a header of the toolkit, which is in one of `folders`, has code
/// for the CPU, the advice for the source; else "".
std::string hint_at_toolkit_header(const std::string& log, const std::vector<std::string>& folders,
                                   std::string_view source);

/// The log up to its first error; a header of the toolkit often has a hundred errors with one
/// cause.
std::string first_error_alone(const std::string& log);

}  // namespace warpmark
