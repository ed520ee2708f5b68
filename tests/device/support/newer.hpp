// Gives the CPU device of a program that includes this a newer compute capability than 9.0: it then
// takes texts for later targets, too, which it refuses otherwise as an H200 does.
#pragma once

#include <cstdlib>

namespace warpmark::test {

// Before the first call of the device, which reads it.
[[maybe_unused]] static const int is_newer = setenv("WARPMARK_CPU_CAPABILITY", "12.1", 1);

}  // namespace warpmark::test
