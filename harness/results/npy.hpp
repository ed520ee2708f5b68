// NumPy's file format for one array, version 1.0 (numpy/lib/format.py).
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "base/dtype.hpp"
#include "python/array.hpp"

namespace warpmark {

/// The bytes before the elements, a multiple of 64 long.
std::string npy_header(const DType& dtype, const Shape& shape);

/// Writes C-contiguous elements of this machine, which is little-endian. Throws an environment
/// error.
void write_npy(const std::filesystem::path& path, const DType& dtype, const Shape& shape,
               std::span<const std::byte> bytes);

}  // namespace warpmark
