// A typed array in shared memory: what NumPy, the harness and a worker see as one.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/dtype.hpp"
#include "base/shared_memory.hpp"

namespace warpmark {

/// Extents, slowest dimension first; empty for a single value.
using Shape = std::vector<int64_t>;

/// The number of elements. Throws a usage error if an extent is negative or the product passes
/// 2^63.
int64_t element_count(const Shape& shape);

/// As NumPy writes it: "()", "(3,)", "(2, 3)".
std::string shape_text(const Shape& shape);

/// C-contiguous elements that begin where the memory begins. A copy is a second handle on the same
/// memory, which lives as long as any handle or NumPy view of it.
class Array {
 public:
  /// A worker maps the memory, or only reads it, which is faster for large arrays.
  enum class Access : uint8_t { mapped, read };

  /// A new one, all zero. Throws a usage error for a shape that cannot be, and an environment error
  /// if there is not enough memory.
  Array(const DType& dtype, Shape shape, Access others = Access::mapped);

  /// Over memory that exists. Throws an internal error if that is too small.
  Array(const DType& dtype, Shape shape, std::shared_ptr<SharedMemory> memory);

  const DType& dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int64_t size() const { return count_; }
  size_t nbytes() const { return static_cast<size_t>(count_) * dtype_.bytes; }
  std::span<std::byte> bytes() const { return memory_->bytes().first(nbytes()); }
  const std::shared_ptr<SharedMemory>& memory() const { return memory_; }

 private:
  DType dtype_;
  Shape shape_;
  int64_t count_;
  std::shared_ptr<SharedMemory> memory_;
};

}  // namespace warpmark
