// Shapes and views of arrays, and how NumPy broadcasts and slices them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmark::array {

using Shape = std::vector<int64_t>;

/// "(3, 4)", as NumPy writes it.
std::string text_of(const Shape& shape);
/// The number of elements. Shapes come from checked numbers, so that it fits.
int64_t elements(const Shape& shape);
/// The shape of an operation on both, if NumPy broadcasts them.
std::optional<Shape> broadcast(const Shape& a, const Shape& b);

/// Elements of an array: that at `offset` plus the sum of index times stride, in elements.
struct View {
  int64_t offset = 0;
  std::vector<int64_t> strides;  ///< one for each extent of its shape
  bool operator==(const View&) const = default;
};

View contiguous(const Shape& shape);
/// The view with `shape` stretched to `to`, which `broadcast` gave.
View stretched(const View& view, const Shape& shape, const Shape& to);

/// One part of an index between brackets.
struct Index {
  enum class Kind : uint8_t { element, slice, new_axis };
  Kind kind = Kind::element;
  int64_t start = 0;  ///< of a slice, the first element; else the element
  int64_t step = 1;
  int64_t count = 0;
};
/// Python's slice of `extent` elements; step is not 0.
Index sliced(std::optional<int64_t> start, std::optional<int64_t> stop, int64_t step,
             int64_t extent);
/// The shape or view that is left after indexing. The index has a part for each extent.
Shape indexed(const std::vector<Index>& index);
View indexed(const View& view, const std::vector<Index>& index);

/// Returns true if bounds and common strides show that no element is in both views.
bool disjoint(const View& a, const Shape& a_shape, const View& b, const Shape& b_shape);

}  // namespace warpmark::array
