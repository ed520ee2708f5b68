// Compares what a device counted of a run with the suite's cost model.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "worker/measurement.hpp"

namespace warpmark {

/// What a kernel does that a bench does not count: of those amounts nothing is said.
struct UncountedWork {
  bool flops = false;  ///< of the matrix units
  bool bytes = false;  ///< by asynchronous copies, textures and surfaces
};
/// Finds it in a PTX text.
UncountedWork uncounted_work(std::string_view ptx);

/// A sentence for each of `bench.bytes` and `bench.flops` of which the device counted less than
/// half: the formula is wrong, or the kernel does not do the work. Half, as a formula may count bytes
/// of whole sectors, and operations that PTX has no instruction for.
std::vector<std::string> missing_work(const Measurement& measurement,
                                      const UncountedWork& uncounted);

}  // namespace warpmark
