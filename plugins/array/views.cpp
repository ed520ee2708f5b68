#include "views.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace warpmark::array {

std::string text_of(const Shape& shape) {
  std::string text;
  for (const int64_t extent : shape) text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "(" + text + (shape.size() == 1 ? ",)" : ")");
}

int64_t elements(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

std::optional<Shape> broadcast(const Shape& a, const Shape& b) {
  Shape shape(std::max(a.size(), b.size()), 1);
  for (size_t i = 0; i < shape.size(); ++i) {  // from the last extent on
    const int64_t m = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t n = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (m != n && m != 1 && n != 1) return std::nullopt;
    shape[shape.size() - 1 - i] = m == 1 ? n : m;
  }
  return shape;
}

View contiguous(const Shape& shape) {
  View view;
  view.strides.resize(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    view.strides[i] = stride;
    stride *= shape[i];
  }
  return view;
}

View stretched(const View& view, const Shape& shape, const Shape& to) {
  View result;
  result.offset = view.offset;
  result.strides.assign(to.size(), 0);
  const size_t more = to.size() - shape.size();
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == to[more + i]) result.strides[more + i] = view.strides[i];
  }
  return result;
}

Index sliced(std::optional<int64_t> start, std::optional<int64_t> stop, int64_t step,
             int64_t extent) {
  const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? extent : extent - 1;
  const auto clamped = [&](int64_t at) { return std::clamp(at < 0 ? at + extent : at, low, high); };
  const int64_t first = start ? clamped(*start) : step > 0 ? low : high;
  const int64_t last = stop ? clamped(*stop) : step > 0 ? high : low;
  const int64_t span = step > 0 ? last - first : first - last;
  // The step's absolute value without overflow at the smallest one.
  const auto pace = step > 0 ? static_cast<uint64_t>(step) : ~static_cast<uint64_t>(step) + 1;
  const int64_t count =
      span <= 0 ? 0 : static_cast<int64_t>((static_cast<uint64_t>(span) - 1) / pace) + 1;
  // One element needs no step, and one of 2^62 would only overflow in strides.
  return {Index::Kind::slice, first, count <= 1 ? 1 : step, count};
}

Shape indexed(const std::vector<Index>& index) {
  Shape result;
  for (const Index& part : index) {
    if (part.kind == Index::Kind::new_axis) result.push_back(1);
    if (part.kind == Index::Kind::slice) result.push_back(part.count);
  }
  return result;
}

View indexed(const View& view, const std::vector<Index>& index) {
  View result;
  result.offset = view.offset;
  size_t dimension = 0;
  for (const Index& part : index) {
    if (part.kind == Index::Kind::new_axis) {
      result.strides.push_back(0);
      continue;
    }
    const int64_t stride = view.strides[dimension++];
    if (part.kind == Index::Kind::element || part.count > 0) result.offset += part.start * stride;
    if (part.kind == Index::Kind::slice) result.strides.push_back(stride * part.step);
  }
  return result;
}

bool disjoint(const View& a, const Shape& a_shape, const View& b, const Shape& b_shape) {
  if (elements(a_shape) == 0 || elements(b_shape) == 0) return true;
  const auto bounds = [](const View& view, const Shape& shape) {
    std::pair<int64_t, int64_t> range{view.offset, view.offset};
    for (size_t i = 0; i < shape.size(); ++i) {
      const int64_t span = view.strides[i] * (shape[i] - 1);
      (span < 0 ? range.first : range.second) += span;
    }
    return range;
  };
  const auto [a_low, a_high] = bounds(a, a_shape);
  const auto [b_low, b_high] = bounds(b, b_shape);
  if (a_high < b_low || b_high < a_low) return true;
  // All elements of both are apart by multiples of this, plus the offsets' difference.
  int64_t common = 0;
  for (size_t i = 0; i < a_shape.size(); ++i) {
    if (a_shape[i] > 1) common = std::gcd(common, a.strides[i]);
  }
  for (size_t i = 0; i < b_shape.size(); ++i) {
    if (b_shape[i] > 1) common = std::gcd(common, b.strides[i]);
  }
  const int64_t apart = a.offset - b.offset;
  return common == 0 ? apart != 0 : apart % common != 0;
}

}  // namespace warpmark::array
