#include "worker/fixed_clock.hpp"

#include <atomic>
#include <cstdlib>
#include <ctime>

namespace {

std::atomic<bool> fixed = false;

}  // namespace

// NVRTC has no option for what __DATE__ and __TIME__ are, takes them for no macros to be defined
// anew, and asks libc's time() (seen with 13.0). A library's calls go to the program's function of
// that name first; it must be among those that the program exports (CMakeLists.txt).
extern "C" __attribute__((visibility("default"))) time_t time(time_t* into) noexcept {
  timespec now = {};
  if (!fixed.load(std::memory_order_relaxed)) ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  if (into != nullptr) *into = now.tv_sec;
  return now.tv_sec;
}

namespace warpmark {

void fix_clock() {
  ::setenv("TZ", "UTC0", 1);  // NOLINT(concurrency-mt-unsafe)
  ::tzset();
  fixed = true;
}

}  // namespace warpmark
