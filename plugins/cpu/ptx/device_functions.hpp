// Functions that the device has in PTX: those of a grid group, and streams, events and memory of
// kernels that launch kernels.
#pragma once

#include <string>
#include <string_view>

#include "ptx/module.hpp"

namespace warpmark::cpu {

/// The name that CUDA 11 has for a function of the runtime on the device: cudaLaunchDeviceV2 for
/// __cudaCDP2LaunchDeviceV2. Empty if `name` is none.
std::string device_runtime_name(std::string_view name);
/// Returns whether programs may call the function without defining it. The device refuses kernels
/// that call some of these functions.
bool is_device_function(std::string_view name);
/// parse_ptx() of a text to which, if it declares some of the device's functions in PTX that it
/// does not define, their definitions are added.
Module parse_with_device_functions(std::string text);

}  // namespace warpmark::cpu
