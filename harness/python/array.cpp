#include "python/array.hpp"

#include <cstdint>

#include "base/error.hpp"

namespace warpmark {

int64_t element_count(const Shape& shape) {
  int64_t count = 1;
  bool overflows = false;
  bool empty = false;
  for (const int64_t extent : shape) {
    if (extent < 0) throw usage_error("a shape cannot be negative: " + shape_text(shape));
    if (extent == 0)
      empty = true;
    else
      overflows |= __builtin_mul_overflow(count, extent, &count);
  }
  if (overflows) throw usage_error("a shape is too large: " + shape_text(shape));
  return empty ? 0 : count;
}

std::string shape_text(const Shape& shape) {
  std::string out = "(";
  for (size_t i = 0; i < shape.size(); ++i) out += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return out + (shape.size() == 1 ? ",)" : ")");
}

namespace {

// Memory to be read only pays off with many huge pages.
constexpr size_t kReadFrom = size_t{32} << 20;

std::shared_ptr<SharedMemory> memory_for(const DType& dtype, const Shape& shape,
                                         Array::Access others) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(element_count(shape), dtype.bytes, &bytes)) {
    throw usage_error("a shape is too large: " + shape_text(shape));
  }
  const bool read = others == Array::Access::read && bytes >= kReadFrom;
  return std::make_shared<SharedMemory>(read ? SharedMemory::create_readable(bytes)
                                             : SharedMemory::create(bytes));
}

}  // namespace

Array::Array(const DType& dtype, Shape shape, Access others)
    : dtype_(dtype),
      shape_(std::move(shape)),
      count_(element_count(shape_)),
      memory_(memory_for(dtype_, shape_, others)) {}

Array::Array(const DType& dtype, Shape shape, std::shared_ptr<SharedMemory> memory)
    : dtype_(dtype),
      shape_(std::move(shape)),
      count_(element_count(shape_)),
      memory_(std::move(memory)) {
  size_t needed = 0;
  if (__builtin_mul_overflow(count_, dtype_.bytes, &needed) || needed > memory_->size()) {
    throw internal_error(shape_text(shape_) + " of " + std::string(dtype_.name) +
                         " does not fit into " + std::to_string(memory_->size()) + " bytes");
  }
}

}  // namespace warpmark
