// The arithmetic language of suites: sizes, shapes, geometry, bytes, flops.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"

namespace warpmark {

/// A value of arithmetic: bool, int, float, text, or the tuple of `x.shape`. Every accepted
/// expression means what it means in Python; beyond that, an int that leaves int64 and a float that
/// leaves float64 are errors.
using ArithmeticValue = std::variant<bool, int64_t, double, std::string, std::vector<int64_t>>;

/// As Python prints it: "True", "1048576", "0.5", "1e-05", "float32", "(4, 4)".
std::string to_text(const ArithmeticValue& value);

/// The attributes of `device.NAME` that the language knows; code that resolves a plan supplies all
/// of them.
const std::vector<std::string>& device_attributes();

/// Values of names: "n", "a.size", "a.shape", "a.nbytes", "device.multiprocessors". The names of
/// the dtypes are always defined: each has its own text as its value.
class Scope {
 public:
  void set(const std::string& name, ArithmeticValue value);
  /// Sets NAME.shape and NAME.size, and NAME.nbytes if `itemsize` (bytes of an element) is not 0.
  void set_array(const std::string& name, const std::vector<int64_t>& shape, uint32_t itemsize);
  /// Nothing if the name has no value here.
  const ArithmeticValue* find(const std::string& name) const;

 private:
  std::map<std::string, ArithmeticValue> values_;
};

namespace arithmetic {
struct Node;
}

/// The result of putting the known names into an expression: a value, or the names that are
/// missing.
struct Folded {
  std::optional<ArithmeticValue> value;
  std::vector<std::string> unresolved;  ///< empty exactly when there is a value
};

/// One name in an expression, with its place.
struct NameUse {
  std::string name;  ///< "n", "a.size", "device.multiprocessors"
  Position where;
};

/// A parsed expression:
///
///     + - * // % ** unary - +, == != < <= > >= (chained as in Python), parentheses,
///     min max ceil_div log2 ctype itemsize, True False, ints, floats, 'text',
///     NAME, NAME.size, NAME.shape, NAME.shape[i], NAME.nbytes, device.NAME
///
/// `log2` is exact: an argument that is no power of two is an error, because a rounded one would
/// silently change a size. `ctype("float32")` is the CUDA C++ type, `itemsize("float32")` its
/// bytes.
class Expression {
 public:
  /// Throws a usage error at the column of the mistake: `at` is the place of the first character.
  static Expression parse(std::string_view text, const Position& at);

  const std::string& text() const { return text_; }
  const Position& where() const { return where_; }
  /// The used names, each once, in order.
  const std::vector<NameUse>& names() const { return names_; }

  /// Throws a usage error if Python would raise, for overflow and for a name without a value.
  ArithmeticValue evaluate(const Scope& scope) const;
  /// Returns the value if every name has one; else as evaluate.
  Folded fold(const Scope& scope) const;

 private:
  Expression() = default;
  std::string text_;
  Position where_;
  std::vector<NameUse> names_;
  std::shared_ptr<const arithmetic::Node> root_;
};

}  // namespace warpmark
