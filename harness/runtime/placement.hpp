// Arrays that are not all of their memory: rows with a pitch, and elements in front of the first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "plan/plan.hpp"
#include "python/array.hpp"
#include "suite/position_map.hpp"

namespace warpmark {

/// Where an array's rows (its last axis) lie in its memory; all in bytes.
struct Placement {
  uint64_t lead = 0;   ///< in front of the first row
  uint64_t row = 0;    ///< of a row
  uint64_t pitch = 0;  ///< from one row to the next
  uint64_t rows = 0;

  uint64_t bytes() const { return lead + rows * pitch; }
  /// Where an element lies from the start of the first row.
  uint64_t of_element(uint64_t element, uint64_t element_bytes) const;
};

/// That of a buffer of a resolved plan, whose dtype is known. Throws a verdict error, at the buffer,
/// for a pitch that a row does not fit in, or that is no whole number of elements.
Placement placement_of(const Buffer& buffer, const Shape& shape, const PositionMap& positions);

/// The memory of an array that is not all of it, as a worker gets it and gives it back.
class PlacedArray {
 public:
  PlacedArray(Placement placement, std::optional<Array> initial);

  const Placement& placement() const { return placement_; }
  const Array& initial() const { return initial_.value(); }
  const Array& result() const { return result_; }

  /// Puts the initial elements in their places, and `poison` into every byte around them.
  void spread(std::byte poison) const;
  /// Takes the elements out of the result; false if a byte around them is not `poison` any more.
  bool collect(std::byte poison, const Array& into) const;

 private:
  Placement placement_;
  std::optional<Array> elements_;  ///< before the launch
  std::optional<Array> initial_;   ///< the same, spread
  Array result_;
};

using PlacedArrays = std::map<std::string, PlacedArray>;

}  // namespace warpmark
