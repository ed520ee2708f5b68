// The evaluator of arithmetic: Python's results, in int64 and float64.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <compare>
#include <cstdint>

#include "base/arithmetic_node.hpp"
#include "base/dtype.hpp"

namespace warpmark::arithmetic {
namespace {

[[noreturn]] void fail(const Node& node, const std::string& message, const std::string& hint = {}) {
  throw usage_error(message, node.where, hint);
}

std::string_view kind_of(const ArithmeticValue& value) {
  static constexpr std::array<std::string_view, 5> kKinds = {"a bool", "an int", "a float", "text",
                                                             "a tuple"};
  return kKinds[value.index()];
}

// Python's bool is an int: True + 1 is 2.
ArithmeticValue as_number(const Node& node, const ArithmeticValue& value, std::string_view op) {
  if (const auto* flag = std::get_if<bool>(&value)) return int64_t{*flag};
  if (value.index() > 2) {
    fail(node,
         fmt::format("`{}` takes numbers, and `{}` is {}", op, to_text(value), kind_of(value)));
  }
  return value;
}

double as_double(const ArithmeticValue& number) {
  if (const auto* integer = std::get_if<int64_t>(&number)) return static_cast<double>(*integer);
  return std::get<double>(number);
}

ArithmeticValue finite(const Node& node, double value) {
  if (!std::isfinite(value)) fail(node, fmt::format("`{}` leaves the range of a float", node.name));
  return value;
}

int64_t floor_div(const Node& node, int64_t a, int64_t b) {
  if (b == 0) fail(node, "division by zero");
  if (a == INT64_MIN && b == -1) fail(node, fmt::format("{} // -1 does not fit in an int64", a));
  return a / b - ((a % b != 0) && ((a < 0) != (b < 0)) ? 1 : 0);
}

int64_t floor_mod(const Node& node, int64_t a, int64_t b) {
  if (b == 0) fail(node, "modulo by zero");
  if (b == -1) return 0;  // INT64_MIN % -1 traps on x86
  const int64_t rest = a % b;
  return rest != 0 && ((rest < 0) != (b < 0)) ? rest + b : rest;
}

int64_t int_power(const Node& node, int64_t base, int64_t exponent) {
  int64_t result = 1;
  const int64_t original = exponent, original_base = base;
  bool overflow = false;
  while (exponent > 0) {
    if ((exponent & 1) != 0) overflow = __builtin_mul_overflow(result, base, &result) || overflow;
    exponent >>= 1;
    // The square is needed only if bits are left; its overflow alone is no error.
    if (exponent > 0) overflow = __builtin_mul_overflow(base, base, &base) || overflow;
    if (overflow) {
      fail(node, fmt::format("{} ** {} does not fit in an int64", original_base, original));
    }
  }
  return result;
}

ArithmeticValue int_binary(const Node& node, int64_t a, int64_t b) {
  int64_t result = 0;
  bool overflow = false;
  switch (node.name[0]) {
    case '+':
      overflow = __builtin_add_overflow(a, b, &result);
      break;
    case '-':
      overflow = __builtin_sub_overflow(a, b, &result);
      break;
    case '/':
      return floor_div(node, a, b);
    case '%':
      return floor_mod(node, a, b);
    default:
      if (node.name == "*") {
        overflow = __builtin_mul_overflow(a, b, &result);
        break;
      }
      if (b >= 0) return int_power(node, a, b);
      if (a == 0) fail(node, "0 has no negative power");
      return finite(node, std::pow(static_cast<double>(a), static_cast<double>(b)));
  }
  if (overflow) fail(node, fmt::format("{} {} {} does not fit in an int64", a, node.name, b));
  return result;
}

// Floor division and its modulo as CPython's float_divmod rounds them (Objects/floatobject.c).
ArithmeticValue float_divmod(const Node& node, double a, double b, bool want_quotient) {
  if (b == 0) fail(node, want_quotient ? "division by zero" : "modulo by zero");
  double rest = std::fmod(a, b);
  double quotient = (a - rest) / b;
  if (rest != 0) {
    if ((b < 0) != (rest < 0)) {
      rest += b;
      quotient -= 1;
    }
  } else {
    rest = std::copysign(0.0, b);
  }
  if (!want_quotient) return finite(node, rest);
  if (quotient == 0) return std::copysign(0.0, a / b);
  double floored = std::floor(quotient);
  if (quotient - floored > 0.5) floored += 1;
  return finite(node, floored);
}

ArithmeticValue float_binary(const Node& node, double a, double b) {
  switch (node.name[0]) {
    case '+':
      return finite(node, a + b);
    case '-':
      return finite(node, a - b);
    case '/':
      return float_divmod(node, a, b, true);
    case '%':
      return float_divmod(node, a, b, false);
    default:
      if (node.name == "*") return finite(node, a * b);
      if (a == 0 && b < 0) fail(node, "0 has no negative power");
      if (a < 0 && b != std::floor(b)) fail(node, "a negative number has no fractional power");
      return finite(node, std::pow(a, b));
  }
}

// int against float, exactly: converting the int would round beyond 2^53.
std::partial_ordering compare_mixed(int64_t integer, double number) {
  constexpr double kTwo63 = 9223372036854775808.0;
  if (number >= kTwo63) return std::partial_ordering::less;
  if (number < -kTwo63) return std::partial_ordering::greater;
  const double whole = std::trunc(number);
  const auto order = integer <=> static_cast<int64_t>(whole);
  if (!std::is_eq(order)) return order;
  return 0.0 <=> (number - whole);
}

std::partial_ordering compare(const ArithmeticValue& a, const ArithmeticValue& b) {
  const auto* left = std::get_if<int64_t>(&a);
  const auto* right = std::get_if<int64_t>(&b);
  if (left != nullptr && right != nullptr) return *left <=> *right;
  if (left != nullptr) return compare_mixed(*left, std::get<double>(b));
  if (right != nullptr) {
    const auto reversed = compare_mixed(*right, std::get<double>(a));
    if (std::is_eq(reversed)) return reversed;
    return std::is_lt(reversed) ? std::partial_ordering::greater : std::partial_ordering::less;
  }
  return std::get<double>(a) <=> std::get<double>(b);
}

bool holds(const Node& node, const std::string& op, const ArithmeticValue& a,
           const ArithmeticValue& b) {
  if (a.index() > 2 || b.index() > 2) {
    // Python finds text and a number unequal; here that can only be a mistake.
    if (a.index() != b.index()) {
      fail(node, fmt::format("`{}` is {} and `{}` is {}: they do not compare", to_text(a),
                             kind_of(a), to_text(b), kind_of(b)));
    }
    if (op == "==") return a == b;
    if (op == "!=") return a != b;
    fail(node, fmt::format("{} has no order: only == and != compare it", kind_of(a)));
  }
  const auto order = compare(as_number(node, a, op), as_number(node, b, op));
  if (op == "==") return std::is_eq(order);
  if (op == "!=") return std::is_neq(order);
  if (op == "<") return std::is_lt(order);
  if (op == "<=") return std::is_lteq(order);
  if (op == ">") return std::is_gt(order);
  return std::is_gteq(order);
}

int64_t int_argument(const Node& node, const ArithmeticValue& value) {
  const ArithmeticValue number = as_number(node, value, node.name);
  if (const auto* integer = std::get_if<int64_t>(&number)) return *integer;
  fail(node, fmt::format("`{}` takes ints, and {} is a float", node.name, to_text(value)));
}

DType dtype_argument(const Node& node, const ArithmeticValue& value) {
  const auto* name = std::get_if<std::string>(&value);
  const auto dtype = name != nullptr ? find_dtype(*name) : std::nullopt;
  if (dtype) return *dtype;
  fail(node, fmt::format("`{}` takes a dtype, and `{}` is none", node.name, to_text(value)),
       name != nullptr && node.name == "ctype"
           ? "a type of C++ needs no `ctype`: it is text already"
           : "");
}

ArithmeticValue extreme(const Node& node, std::vector<ArithmeticValue> values) {
  if (values.size() == 1) {
    const auto* tuple = std::get_if<std::vector<int64_t>>(&values[0]);
    if (tuple == nullptr) fail(node, fmt::format("`{}` of one value needs a tuple", node.name));
    if (tuple->empty()) fail(node, fmt::format("`{}` of an empty tuple", node.name));
    values = std::vector<ArithmeticValue>(tuple->begin(), tuple->end());
  }
  // The first of equals, as in Python: max(1, 1.0) is 1.
  size_t best = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const auto order =
        compare(as_number(node, values[i], node.name), as_number(node, values[best], node.name));
    if (node.name == "min" ? std::is_lt(order) : std::is_gt(order)) best = i;
  }
  return values[best];
}

ArithmeticValue call(const Node& node, const Scope& scope) {
  std::vector<ArithmeticValue> values;
  values.reserve(node.children.size());
  for (const auto& child : node.children) values.push_back(evaluate(*child, scope));
  if (node.name == "min" || node.name == "max") return extreme(node, std::move(values));
  if (node.name == "ctype") return std::string(dtype_argument(node, values[0]).c_name);
  if (node.name == "itemsize") return int64_t{dtype_argument(node, values[0]).bytes};
  const int64_t a = int_argument(node, values[0]);
  if (node.name == "log2") {
    if (a <= 0 || !std::has_single_bit(static_cast<uint64_t>(a))) {
      fail(node, fmt::format("log2({}): {} is not a power of two", a, a));
    }
    return int64_t{std::countr_zero(static_cast<uint64_t>(a))};
  }
  const int64_t b = int_argument(node, values[1]);
  const int64_t floored = floor_div(node, a, b);
  return floored + (floor_mod(node, a, b) != 0 ? 1 : 0);
}

ArithmeticValue subscript(const Node& node, const Scope& scope) {
  const ArithmeticValue whole = evaluate(*node.children[0], scope);
  const ArithmeticValue index = evaluate(*node.children[1], scope);
  const auto* tuple = std::get_if<std::vector<int64_t>>(&whole);
  const auto* at = std::get_if<int64_t>(&index);
  if (tuple == nullptr) fail(node, fmt::format("`{}` is no tuple to index", to_text(whole)));
  if (at == nullptr)
    fail(node, fmt::format("an index is an int, and `{}` is {}", to_text(index), kind_of(index)));
  const auto count = static_cast<int64_t>(tuple->size());
  if (*at < -count || *at >= count) {
    fail(node, fmt::format("index {} is outside {}", *at, to_text(whole)));
  }
  return (*tuple)[static_cast<size_t>(*at < 0 ? *at + count : *at)];
}

}  // namespace

ArithmeticValue evaluate(const Node& node, const Scope& scope) {
  switch (node.kind) {
    case Node::Kind::constant:
      return node.value;
    case Node::Kind::name: {
      const ArithmeticValue* value = scope.find(node.name);
      if (value == nullptr) fail(node, fmt::format("`{}` has no value here", node.name));
      return *value;
    }
    case Node::Kind::unary: {
      ArithmeticValue value = as_number(node, evaluate(*node.children[0], scope), node.name);
      if (node.name == "+") return value;
      if (const auto* number = std::get_if<double>(&value)) return -*number;
      const int64_t integer = std::get<int64_t>(value);
      if (integer == INT64_MIN) fail(node, fmt::format("-({}) does not fit in an int64", integer));
      return -integer;
    }
    case Node::Kind::binary: {
      const ArithmeticValue a = as_number(node, evaluate(*node.children[0], scope), node.name);
      const ArithmeticValue b = as_number(node, evaluate(*node.children[1], scope), node.name);
      const auto* left = std::get_if<int64_t>(&a);
      const auto* right = std::get_if<int64_t>(&b);
      if (left != nullptr && right != nullptr) return int_binary(node, *left, *right);
      return float_binary(node, as_double(a), as_double(b));
    }
    case Node::Kind::comparison: {
      ArithmeticValue left = evaluate(*node.children[0], scope);
      for (size_t i = 0; i < node.chain.size(); ++i) {
        ArithmeticValue right = evaluate(*node.children[i + 1], scope);
        if (!holds(node, node.chain[i], left, right)) return false;
        left = std::move(right);
      }
      return true;
    }
    case Node::Kind::call:
      return call(node, scope);
    case Node::Kind::subscript:
      return subscript(node, scope);
  }
  throw internal_error("unknown node of arithmetic");
}

}  // namespace warpmark::arithmetic
