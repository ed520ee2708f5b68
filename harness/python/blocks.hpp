// Large arrays in expressions and large draws of random numbers: by blocks, on all processors.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "python/generator.hpp"
#include "python/objects.hpp"

namespace warpmark::objects {

/// The least number of elements of an array that is taken apart into blocks; smaller ones are not
/// worth the threads. Random numbers depend on it.
inline constexpr int64_t kLeastBlocked = int64_t{1} << 22;

/// A NumPy array in C order as the text of a suite sees it: by blocks if it is large.
py::object seen_array(const py::object& array, Seen seen);

/// A generator in its first state. Arrays of at least kLeastBlocked elements are drawn by blocks of
/// 2^18 elements, block k from the stream behind k + 1 of Philox's jumps (2^128 numbers each).
py::object generator_object(const GeneratorKey& key, Seen seen);

/// True if a value is still in blocks.
bool is_blocked(const py::handle& value);

/// Puts the elements of a value in blocks into `target`, a NumPy array in C order of the same size.
/// Returns false, with `target` in part written, if one is not in the `range` (least and greatest).
bool put_blocks(const py::object& value, const py::object& target,
                const std::optional<std::pair<py::object, py::object>>& range);

}  // namespace warpmark::objects
