// Headers and names of std that device code cannot use, and their stand-ins.
#pragma once

#include <optional>
#include <string_view>

namespace warpmark {

/// True for headers of programs on the CPU: <iostream>, <cuda_runtime.h>, those of cuBLAS, PyTorch,
/// pybind11 or GoogleTest. Headers that Warpmark has for device code (shims.hpp) are none.
bool is_host_header(std::string_view name);

/// True for names of std that no device has: `vector`, `cout`, `shared_ptr`.
bool is_host_std(std::string_view name);

/// The header that declares a name of std for device code, "limits" for "numeric_limits"; "" if
/// none is known. Programs get many of them by way of headers for the CPU.
std::string_view header_of_std(std::string_view name);

/// The types and functions of a library for the CPU that kernels take and call: tensors and numbers
/// of PyTorch, pointers of Thrust. `name` is that of any of its headers; nothing for other names.
std::optional<std::string_view> find_stand_in(std::string_view name);

}  // namespace warpmark
