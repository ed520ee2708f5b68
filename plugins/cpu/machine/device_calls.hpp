// Implements the calls that launch kernels from kernels.
#pragma once

#include <cstdint>

namespace warpmark::cpu {

struct Lanes;

inline constexpr std::uint32_t kNoFunction = 0xffffffff;

/// The index of the kernel at an address of code; kNoFunction if there is none.
std::uint32_t function_at(const Lanes& w, std::uint64_t address);
/// Accepts a launch whose parameters are in `buffer`. Returns a cudaError.
std::uint32_t launch_device(const Lanes& w, std::uint64_t buffer, std::uint64_t stream);

}  // namespace warpmark::cpu
