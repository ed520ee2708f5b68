// Pages of the host's memory.
#pragma once

#include <cstdint>

namespace warpmark::cpu {

inline constexpr std::uint64_t kHostPage = 4096;
constexpr std::uint64_t whole_pages(std::uint64_t bytes) {
  return (bytes + kHostPage - 1) / kHostPage * kHostPage;
}

}  // namespace warpmark::cpu
