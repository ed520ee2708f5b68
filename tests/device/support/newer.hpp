// Makes the CPU device tell a newer compute capability than 9.0, whoever includes this: so that it
// takes texts for later targets, too, which it refuses otherwise as an H200 does.
#pragma once

#include <cstdlib>

namespace warpmark::test {

// Before the first call of the device, which reads it.
[[maybe_unused]] static const int is_newer = setenv("WARPMARK_CPU_CAPABILITY", "12.1", 1);

}  // namespace warpmark::test
