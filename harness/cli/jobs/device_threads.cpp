#include "cli/jobs/device_threads.hpp"

#include <algorithm>
#include <cstdlib>

#include "warpmark/processors.hpp"

namespace warpmark {

uint64_t device_threads(size_t processes) {
  for (const char* variable : {"WARPMARK_CPU_WORKERS", "CTEST_INTERACTIVE_DEBUG_MODE"}) {
    if (std::getenv(variable) != nullptr) return 0;
  }
  return std::max<uint64_t>(1, usable_processors() / std::max<size_t>(1, processes));
}

}  // namespace warpmark
