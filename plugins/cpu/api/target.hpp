// Decides which PTX the device accepts, as a GPU of its compute capability and its driver do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/cuda_api.hpp"

namespace warpmark::cpu {

/// The version and target in a text's header; 0 and "" where they are missing.
struct PtxHeader {
  std::uint32_t version = 0;  ///< 78 for 7.8
  std::uint32_t version_line = 0, target_line = 0;
  std::string target;
};
PtxHeader header_of(std::string_view text);

/// Returns whether code for a target runs on the device: `sm_80` on devices as new or newer,
/// `sm_90a` on exactly that, `sm_100f` on that and newer devices of its family (10.x).
bool runs_here(std::string_view target);
/// The number of a target, 90 for sm_90a; 0 if it is not a target.
std::uint32_t architecture_of(std::string_view target);

/// The error of a text whose version or target is beyond the device, which a driver finds before
/// any other mistake in it: CUDA_ERROR_UNSUPPORTED_PTX_VERSION, then CUDA_ERROR_INVALID_PTX.
CUresult refuse_target(std::string_view text);

/// "9.0".
std::string device_capability();

}  // namespace warpmark::cpu
