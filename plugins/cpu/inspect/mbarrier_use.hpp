// What threads do with mbarriers, as the checks see it.
#pragma once

#include <cstdint>

namespace warpmark::cpu {

inline constexpr std::uint32_t kMbarrierBytes = 8;

/// Make one, take it back, change it or look at it; or start a copy that will complete on it.
enum class MbarrierUse : std::uint8_t { init, invalidate, change, test, signal };

/// Whether it concerns the object as a whole: nobody else may do anything with it meanwhile.
constexpr bool is_exclusive(MbarrierUse use) {
  return use == MbarrierUse::init || use == MbarrierUse::invalidate;
}

}  // namespace warpmark::cpu
