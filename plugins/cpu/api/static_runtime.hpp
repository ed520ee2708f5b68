// Programs and libraries that bring NVIDIA's runtime library: which one it is, and what can be done.
#pragma once

#include <string>

namespace warpmark::cpu {

/// A sentence about the program or library that holds `caller`, an address in NVIDIA's runtime
/// library, which cannot run on this device.
std::string static_runtime_text(const void* caller);

/// The command that builds a file so that it runs on this device: by the build files in its folder
/// or in those above.
std::string rebuild_command(const std::string& file);

}  // namespace warpmark::cpu
