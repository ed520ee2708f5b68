// The names that a NumPy expression sees, besides `np` and Python's builtins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "python/array.hpp"
#include "python/generator.hpp"

namespace warpmark {

/// A value of Python's own, as axes have them.
using PythonValue = std::variant<bool, int64_t, double, std::string>;

/// A NumPy scalar, or the few elements of a parameter that is a vector.
struct NumPyScalar {
  DType dtype;
  std::vector<std::byte> bytes;  ///< little-endian; of one element, or of several
};

/// Arrays by name: a dict, which expressions can change, of arrays, which they cannot.
struct ArrayMap {
  std::vector<std::pair<std::string, Array>> arrays;
};

/// Plain data; nothing of Python is made before an expression is evaluated.
class PythonScope {
 public:
  using Entry = std::variant<PythonValue, NumPyScalar, Array, GeneratorKey, ArrayMap>;

  /// A name set twice keeps the later value. Throws a usage error for the name `np`, which is
  /// NumPy.
  void set_value(const std::string& name, PythonValue value);
  /// Throws an internal error for bytes that are no whole number of elements.
  void set_scalar(const std::string& name, const DType& dtype, std::span<const std::byte> bytes);
  /// Expressions see the array's own memory, and cannot write to it.
  void set_array(const std::string& name, Array array);
  void set_arrays(const std::string& name, ArrayMap arrays);
  /// Makes `rng`, a generator in its first state each time that an expression is evaluated.
  void set_generator(GeneratorKey key);

  /// Lets NumPy's text compute as a plain kernel does: each sum from its first element to its last,
  /// and nothing wider than float32, whatever dtype the text asks for (in_order.py).
  void set_in_order() { in_order_ = true; }
  bool in_order() const { return in_order_; }

  const std::vector<std::pair<std::string, Entry>>& entries() const { return entries_; }
  std::vector<std::string> names() const;

 private:
  void set(const std::string& name, Entry entry);

  std::vector<std::pair<std::string, Entry>> entries_;
  bool in_order_ = false;
};

}  // namespace warpmark
