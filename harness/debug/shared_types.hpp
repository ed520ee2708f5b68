// The types of shared variables, which debug information of NVRTC lacks: as their sources declare them.
#pragma once

#include <string>
#include <vector>

#include "debug/value_type.hpp"

namespace warpmark::debugging {

/// The type in `__shared__ float NAME[32][33];`; where the sources have no such declaration of a
/// plain type that takes so many bytes, an array of bytes. An array without bounds takes all bytes.
TypePointer shared_type(const std::vector<std::string>& sources, const std::string& name,
                        uint64_t bytes);

}  // namespace warpmark::debugging
