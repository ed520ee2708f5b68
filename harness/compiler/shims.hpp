// Our own C and C++ standard headers for device code, which NVRTC has none of.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace warpmark {

/// Changes whenever a shim's text does; part of the cache key.
inline constexpr int kShimVersion = 4;

/// The text for `<name>`: "cstdint" and "stdint.h" and their like; nothing for any other.
std::optional<std::string_view> find_shim(std::string_view name);

std::vector<std::string_view> shim_names();

}  // namespace warpmark
