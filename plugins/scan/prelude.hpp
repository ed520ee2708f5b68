// The CUDA C++ that every generated scan has.
#pragma once

#include <string>

namespace warpmark::codegen {

/// Segments, shuffles, and what tiles tell each other. Follows reduction_prelude().
const std::string& scan_prelude();

}  // namespace warpmark::codegen
