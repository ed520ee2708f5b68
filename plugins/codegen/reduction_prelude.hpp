// The CUDA C++ that every generated reduction starts with.
#pragma once

#include <string>

namespace warpmark::codegen {

/// `warpmark::maximum` and so on, and the reduction of a block's values to one. Follows
/// vector_prelude().
const std::string& reduction_prelude();

}  // namespace warpmark::codegen
