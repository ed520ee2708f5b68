// One job over a large array, shared out among all processors.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace warpmark {

/// Consecutive elements.
struct Range {
  size_t begin = 0, end = 0;
};

/// Splits `count` elements into ranges for as many threads as this process may use, in their order:
/// whole multiples of `grain`, but for the last. One range if there are fewer than two grains.
std::vector<Range> ranges_of(size_t count, size_t grain);

/// Calls `work` for each range, with its number, in threads of their own; returns when all are done.
/// Rethrows the exception of the first range that threw.
void in_parallel(const std::vector<Range>& ranges,
                 const std::function<void(size_t number, Range range)>& work);

/// True if both have the same bytes; large ones are compared on all processors.
bool same_bytes(std::span<const std::byte> one, std::span<const std::byte> other);

}  // namespace warpmark
