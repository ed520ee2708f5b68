#include "worker/measurement.hpp"

namespace warpmark {

std::string_view to_text(CacheState state) {
  return state == CacheState::cold ? "cold" : "hot";
}

std::string_view to_text(StopReason reason) {
  switch (reason) {
    case StopReason::precise:
      return "precise";
    case StopReason::budget:
      return "budget";
    case StopReason::samples:
      break;
  }
  return "samples";
}

}  // namespace warpmark
