// Compares a device's counts of a run with the suite's cost model.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "worker/measurement.hpp"

namespace warpmark {

/// The work of a kernel that a bench does not count: these amounts are not compared.
struct UncountedWork {
  bool flops = false;  ///< flops of the matrix units
  bool bytes = false;  ///< bytes of asynchronous copies, textures and surfaces
};
/// Finds the uncounted work in a PTX text.
UncountedWork uncounted_work(std::string_view ptx);

/// A sentence for each of `bench.bytes` and `bench.flops` if the device counted less than half of
/// it: the formula is wrong, or the kernel does not do the work. The limit is half because a
/// formula may count bytes of whole sectors, and operations that PTX has no instruction for.
std::vector<std::string> missing_work(const Measurement& measurement,
                                      const UncountedWork& uncounted);

}  // namespace warpmark
