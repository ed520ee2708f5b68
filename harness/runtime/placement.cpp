#include "runtime/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/error.hpp"

namespace warpmark {

namespace {

Array memory_of(uint64_t bytes) {
  return {*find_dtype("uint8"), {static_cast<int64_t>(bytes)}};
}

uint64_t resolved_or(const std::optional<Size>& size, uint64_t otherwise) {
  return size ? static_cast<uint64_t>(resolved(*size)) : otherwise;
}

}  // namespace

uint64_t Placement::of_element(uint64_t element, uint64_t element_bytes) const {
  const uint64_t width = row / element_bytes;
  return width == 0 ? 0 : element / width * pitch + element % width * element_bytes;
}

Placement placement_of(const Buffer& buffer, const Shape& shape, const PositionMap& positions) {
  const uint64_t element = buffer.dtype.value().bytes;
  Placement placement;
  placement.row = (shape.empty() ? 1 : static_cast<uint64_t>(shape.back())) * element;
  const auto all = static_cast<uint64_t>(element_count(shape)) * element;
  placement.rows = placement.row == 0 ? 0 : all / placement.row;
  placement.pitch = resolved_or(buffer.pitch, placement.row);
  placement.lead = resolved_or(buffer.offset, 0) * element;
  if (placement.pitch >= placement.row && placement.pitch % element == 0) return placement;
  throw verdict_error(
      fmt::format("the pitch of `{}` is {} bytes, and a row has {} elements of {} bytes",
                  buffer.name, placement.pitch, placement.row / element, element),
      positions.find(buffer.at),
      "it is a whole number of elements, and at least as many as a row has");
}

PlacedArray::PlacedArray(Placement placement, std::optional<Array> initial)
    : placement_(placement),
      elements_(std::move(initial)),
      initial_(elements_ ? std::optional(memory_of(placement.bytes())) : std::nullopt),
      result_(memory_of(placement.bytes())) {}

void PlacedArray::spread(std::byte poison) const {
  if (!initial_) return;
  const std::span<std::byte> to = initial_->bytes();
  const std::span<const std::byte> from = elements_->bytes();
  std::ranges::fill(to, poison);
  for (uint64_t row = 0; row < placement_.rows; ++row) {
    std::ranges::copy(from.subspan(row * placement_.row, placement_.row),
                      to.subspan(placement_.lead + row * placement_.pitch).begin());
  }
}

bool PlacedArray::collect(std::byte poison, const Array& into) const {
  const std::span<const std::byte> from = result_.bytes();
  const auto is_poison = [poison](std::byte one) { return one == poison; };
  bool untouched = std::ranges::all_of(from.first(placement_.lead), is_poison);
  for (uint64_t row = 0; row < placement_.rows; ++row) {
    const auto whole = from.subspan(placement_.lead + row * placement_.pitch, placement_.pitch);
    std::ranges::copy(whole.first(placement_.row),
                      into.bytes().subspan(row * placement_.row).begin());
    untouched = untouched && std::ranges::all_of(whole.subspan(placement_.row), is_poison);
  }
  return untouched;
}

}  // namespace warpmark
