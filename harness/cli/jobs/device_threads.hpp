// The processors of the machine, for devices that run on them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpmark {

/// The threads that each of `processes` processes gives to a device of the host, so that together
/// they use all processors: at least 1. 0, which leaves it to the device, if WARPMARK_CPU_WORKERS is
/// set, and under ctest, which runs other tests meanwhile.
uint64_t device_threads(size_t processes);

}  // namespace warpmark
