// The ways in which threads use mbarriers, as the checks distinguish them.
#pragma once

#include <cstdint>

namespace warpmark::cpu {

inline constexpr std::uint32_t kMbarrierBytes = 8;

/// Initialize an mbarrier, invalidate it, change it or test it; or start a copy that will complete
/// on it.
enum class MbarrierUse : std::uint8_t { init, invalidate, change, test, signal };

/// Returns whether a use concerns the whole object, so that no other thread may use it meanwhile.
constexpr bool is_exclusive(MbarrierUse use) {
  return use == MbarrierUse::init || use == MbarrierUse::invalidate;
}

}  // namespace warpmark::cpu
