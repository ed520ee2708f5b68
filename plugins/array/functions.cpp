#include "functions.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace warpmark::array {

namespace {

enum class Rule : uint8_t {
  real,        // computes in real_type of all arguments
  predicate,   // the same, but gives bool
  arithmetic,  // in result_type
  numeric,     // the same, without bool
  integral,    // the same; bool becomes int8
  compare,     // in result_type, gives bool
  logical,     // in bool
  bits,        // in result_type, which is no real type
  shift,       // the same; bool becomes int8
  whole,       // floor, ceil, trunc: real types only
  special,     // has code of its own
};

struct Function {
  const char* name;
  size_t arguments;
  Rule rule;
  const char* real;     // computes it for real types: "::exp" of CUDA, "+", or one of the prelude
  const char* integer;  // for integers, else nullptr
  const char* boolean;  // for bool, else nullptr
};

constexpr std::array kFunctions = {
    Function{"absolute", 1, Rule::arithmetic, "::fabs", "absolute", "same"},
    Function{"abs", 1, Rule::arithmetic, "::fabs", "absolute", "same"},
    Function{"add", 2, Rule::arithmetic, "+", "add", "|"},
    Function{"arccos", 1, Rule::real, "::acos", nullptr, nullptr},
    Function{"arccosh", 1, Rule::real, "::acosh", nullptr, nullptr},
    Function{"arcsin", 1, Rule::real, "::asin", nullptr, nullptr},
    Function{"arcsinh", 1, Rule::real, "::asinh", nullptr, nullptr},
    Function{"arctan", 1, Rule::real, "::atan", nullptr, nullptr},
    Function{"arctan2", 2, Rule::real, "::atan2", nullptr, nullptr},
    Function{"arctanh", 1, Rule::real, "::atanh", nullptr, nullptr},
    Function{"bitwise_and", 2, Rule::bits, nullptr, "&", "&"},
    Function{"bitwise_or", 2, Rule::bits, nullptr, "|", "|"},
    Function{"bitwise_xor", 2, Rule::bits, nullptr, "^", "^"},
    Function{"cbrt", 1, Rule::real, "::cbrt", nullptr, nullptr},
    Function{"ceil", 1, Rule::whole, "::ceil", nullptr, nullptr},
    Function{"clip", 3, Rule::special, nullptr, nullptr, nullptr},
    Function{"copysign", 2, Rule::real, "::copysign", nullptr, nullptr},
    Function{"cos", 1, Rule::real, "::cos", nullptr, nullptr},
    Function{"cosh", 1, Rule::real, "::cosh", nullptr, nullptr},
    Function{"divide", 2, Rule::special, nullptr, nullptr, nullptr},
    Function{"equal", 2, Rule::compare, "==", "==", "=="},
    Function{"exp", 1, Rule::real, "::exp", nullptr, nullptr},
    Function{"exp2", 1, Rule::real, "::exp2", nullptr, nullptr},
    Function{"expm1", 1, Rule::real, "::expm1", nullptr, nullptr},
    Function{"fabs", 1, Rule::real, "::fabs", nullptr, nullptr},
    Function{"floor", 1, Rule::whole, "::floor", nullptr, nullptr},
    Function{"floor_divide", 2, Rule::integral, "floor_divide_real", "floor_divide", nullptr},
    Function{"fmax", 2, Rule::arithmetic, "fmax_real", "maximum", "maximum"},
    Function{"fmin", 2, Rule::arithmetic, "fmin_real", "minimum", "minimum"},
    Function{"fmod", 2, Rule::integral, "::fmod", "fmod_integer", nullptr},
    Function{"greater", 2, Rule::compare, ">", ">", ">"},
    Function{"greater_equal", 2, Rule::compare, ">=", ">=", ">="},
    Function{"hypot", 2, Rule::real, "::hypot", nullptr, nullptr},
    Function{"invert", 1, Rule::bits, nullptr, "invert", "logical_not"},
    Function{"isfinite", 1, Rule::predicate, "is_finite", nullptr, nullptr},
    Function{"isinf", 1, Rule::predicate, "is_infinite", nullptr, nullptr},
    Function{"isnan", 1, Rule::predicate, "is_nan", nullptr, nullptr},
    Function{"ldexp", 2, Rule::special, nullptr, nullptr, nullptr},
    Function{"left_shift", 2, Rule::shift, nullptr, "left_shift", nullptr},
    Function{"less", 2, Rule::compare, "<", "<", "<"},
    Function{"less_equal", 2, Rule::compare, "<=", "<=", "<="},
    Function{"log", 1, Rule::real, "::log", nullptr, nullptr},
    Function{"log10", 1, Rule::real, "::log10", nullptr, nullptr},
    Function{"log1p", 1, Rule::real, "::log1p", nullptr, nullptr},
    Function{"log2", 1, Rule::real, "::log2", nullptr, nullptr},
    Function{"logical_and", 2, Rule::logical, nullptr, nullptr, "&&"},
    Function{"logical_not", 1, Rule::logical, nullptr, nullptr, "logical_not"},
    Function{"logical_or", 2, Rule::logical, nullptr, nullptr, "||"},
    Function{"logical_xor", 2, Rule::logical, nullptr, nullptr, "!="},
    Function{"maximum", 2, Rule::arithmetic, "maximum_real", "maximum", "maximum"},
    Function{"minimum", 2, Rule::arithmetic, "minimum_real", "minimum", "minimum"},
    Function{"mod", 2, Rule::integral, "remainder_real", "remainder", nullptr},
    Function{"multiply", 2, Rule::arithmetic, "*", "multiply", "&"},
    Function{"negative", 1, Rule::numeric, "negative", "negative", nullptr},
    Function{"not_equal", 2, Rule::compare, "!=", "!=", "!="},
    Function{"positive", 1, Rule::numeric, "same", "same", nullptr},
    Function{"power", 2, Rule::integral, "::pow", "power", nullptr},
    Function{"remainder", 2, Rule::integral, "remainder_real", "remainder", nullptr},
    Function{"right_shift", 2, Rule::shift, nullptr, "right_shift", nullptr},
    Function{"rint", 1, Rule::real, "::rint", nullptr, nullptr},
    Function{"sign", 1, Rule::numeric, "sign_real", "sign", nullptr},
    Function{"signbit", 1, Rule::predicate, "sign_bit", nullptr, nullptr},
    Function{"sin", 1, Rule::real, "::sin", nullptr, nullptr},
    Function{"sinh", 1, Rule::real, "::sinh", nullptr, nullptr},
    Function{"sqrt", 1, Rule::real, "::sqrt", nullptr, nullptr},
    Function{"square", 1, Rule::integral, "square", "square", nullptr},
    Function{"subtract", 2, Rule::numeric, "-", "subtract", nullptr},
    Function{"tan", 1, Rule::real, "::tan", nullptr, nullptr},
    Function{"tanh", 1, Rule::real, "::tanh", nullptr, nullptr},
    Function{"true_divide", 2, Rule::special, nullptr, nullptr, nullptr},
    Function{"trunc", 1, Rule::whole, "::trunc", nullptr, nullptr},
    Function{"where", 3, Rule::special, nullptr, nullptr, nullptr},
};

const Function* find(const std::string& name) {
  const auto* const found =
      std::ranges::find_if(kFunctions, [&](const Function& one) { return name == one.name; });
  return found != kFunctions.end() ? found : nullptr;
}

std::string types_of(const std::vector<NodePtr>& args) {
  std::string text;
  for (const NodePtr& arg : args) text += (text.empty() ? "" : ", ") + name_of(arg->type);
  return text;
}

Type common_type(const std::vector<NodePtr>& args) {
  std::vector<Type> types;
  types.reserve(args.size());
  for (const NodePtr& arg : args) types.push_back(arg->type);
  return strong(result_type(types));
}

// The context of one call.
struct Use {
  const Text& text;
  size_t at;
  std::string name;

  NodePtr made(const char* function, const Type& type, const Type& work,
               const std::vector<NodePtr>& args) const {
    const Shape shape = broadcast_all(text, at, args);
    std::vector<NodePtr> operands;
    operands.reserve(args.size());
    for (const NodePtr& arg : args) operands.push_back(converted(text, at, arg, work));
    if (std::string_view(function) == "same") return operands[0];
    return op_node(function, type, work, std::move(operands), shape);
  }

  [[noreturn]] void refuse(const std::vector<NodePtr>& args, const std::string& hint = {}) const {
    text.fail(at, "NumPy has no `" + name + "` for " + types_of(args), hint);
  }
};

// int64 with uint64 are compared exactly by NumPy 2, as float64 by NumPy 1.
void check_mixed_comparison(const Use& use, const std::vector<NodePtr>& args) {
  const Type& a = args[0]->type;
  const Type& b = args[1]->type;
  if (a.kind != Category::integer || b.kind != Category::integer || a.weak || b.weak) return;
  if (common_type(args).kind != Category::real) return;
  use.text.fail(use.at,
                "`" + use.name + "` of uint64 and " + name_of(a.is_signed ? a : b) +
                    " is another thing in NumPy 1 than in NumPy 2",
                "convert one of them, as in `.astype(np.int64)`");
}

NodePtr by_rule(const Use& use, const Function& function, const std::vector<NodePtr>& args) {
  Type work = common_type(args);
  Type type = work;
  switch (function.rule) {
    case Rule::real:
      type = work = real_type(work);
      break;
    case Rule::predicate:
      work = real_type(work);
      type = kBool;
      break;
    case Rule::integral:
    case Rule::shift:
      if (work.kind == Category::boolean) type = work = kInt8;
      break;
    case Rule::compare:
      check_mixed_comparison(use, args);
      type = kBool;
      break;
    case Rule::logical:
      type = work = kBool;
      break;
    case Rule::whole:
      if (work.kind != Category::real) {
        use.text.fail(use.at,
                      "`np." + use.name + "` of " + name_of(work) +
                          " is another type in NumPy 1 than in NumPy 2",
                      "a whole number needs none; else convert it, as in `.astype(np.float64)`");
      }
      break;
    case Rule::numeric:
      if (work.kind == Category::boolean) {
        const char* hint = use.name == "subtract"   ? "`^` says where they differ"
                           : use.name == "negative" ? "`~` is the opposite"
                                                    : "convert it, as in `.astype(np.int32)`";
        use.refuse(args, hint);
      }
      break;
    case Rule::bits:
    case Rule::arithmetic:
    case Rule::special:
      break;
  }
  const char* computes = work.kind == Category::real      ? function.real
                         : work.kind == Category::integer ? function.integer
                                                          : function.boolean;
  if (computes == nullptr) use.refuse(args);
  if (work.kind == Category::integer && !work.is_signed &&
      std::string_view(computes) == "absolute") {
    computes = "same";
  }
  return use.made(computes, type, work, args);
}

NodePtr divided(const Use& use, const std::vector<NodePtr>& args) {
  const Type common = common_type(args);
  const Type type = common.kind == Category::real ? common : kFloat64;
  return use.made("/", type, type, args);
}

NodePtr scaled(const Use& use, const std::vector<NodePtr>& args) {
  const Type type = real_type(args[0]->type);
  if (args[1]->type.kind == Category::real) use.refuse(args, "the exponent is a whole number");
  const Type exponent = args[1]->type.bytes == 8 ? kInt64 : kInt32;
  if (args[1]->type == Type{Category::integer, false, 8})
    use.refuse(args, "NumPy casts no uint64 here");
  const Shape shape = broadcast_all(use.text, use.at, args);
  return op_node("scaled", type, type,
                 {converted(use.text, use.at, args[0], type),
                  cast(converted(use.text, use.at, args[1], exponent), kInt64)},
                 shape);
}

NodePtr chosen(const Use& use, const std::vector<NodePtr>& args) {
  const Shape shape = broadcast_all(use.text, use.at, args);
  const Type type = common_type({args[1], args[2]});
  return op_node("where", type, type,
                 {cast(args[0], kBool), converted(use.text, use.at, args[1], type),
                  converted(use.text, use.at, args[2], type)},
                 shape);
}

// Comparisons of two numbers of Python; nullptr for another operator.
template <class Number>
NodePtr python_comparison(const std::string& op, Number x, Number y) {
  if (op == "<") return boolean_node(x < y);
  if (op == "<=") return boolean_node(x <= y);
  if (op == ">") return boolean_node(x > y);
  if (op == ">=") return boolean_node(x >= y);
  if (op == "==") return boolean_node(x == y);
  if (op == "!=") return boolean_node(x != y);
  return nullptr;
}

NodePtr python_reals(const Text& text, size_t at, const std::string& op, double p, double q) {
  if (NodePtr truth = python_comparison(op, p, q)) return truth;
  if (op == "+") return real_node(p + q);
  if (op == "-") return real_node(p - q);
  if (op == "*") return real_node(p * q);
  if (op == "**") {
    if (p == 0 && q < 0) text.fail(at, "0 has no negative power");
    return real_node(std::pow(p, q));
  }
  if (op != "/" && op != "//" && op != "%") text.fail(at, "Python has no `" + op + "` for floats");
  if (q == 0) text.fail(at, "division by zero");
  if (op == "/") return real_node(p / q);
  double rest = std::fmod(p, q);
  if (rest != 0 && (rest < 0) != (q < 0)) rest += q;
  return real_node(op == "%" ? rest : std::round((p - rest) / q));
}

// x ** y for y from 0; false if it leaves int64.
bool python_power(int64_t x, int64_t y, int64_t& value) {
  value = 1;
  if (x == 0 || x == 1 || x == -1) {
    value = y == 0 || x == 1 || (x == -1 && y % 2 == 0) ? 1 : x;
    return true;
  }
  for (int64_t k = 0; k < y; ++k) {
    if (__builtin_mul_overflow(value, x, &value)) return false;
  }
  return true;
}

// x // y and x % y for y other than 0, rounded down.
bool python_quotient(bool remainder, int64_t x, int64_t y, int64_t& value) {
  if (y == -1) {  // the only one that can leave int64
    value = 0;
    return remainder || !__builtin_sub_overflow(int64_t{0}, x, &value);
  }
  const int64_t down = x % y != 0 && (x < 0) != (y < 0) ? 1 : 0;
  value = remainder ? x % y + down * y : x / y - down;
  return true;
}

bool python_shift(bool left, int64_t x, int64_t y, int64_t& value) {
  if (left) return y > 62 ? x == 0 : !__builtin_mul_overflow(x, int64_t{1} << y, &value);
  value = x >> std::min<int64_t>(y, 63);
  return true;
}

NodePtr python_integers(const Text& text, size_t at, const std::string& op, int64_t x, int64_t y) {
  if (NodePtr truth = python_comparison(op, x, y)) return truth;
  if (op == "/" || (op == "**" && y < 0)) {
    return python_reals(text, at, op, static_cast<double>(x), static_cast<double>(y));
  }
  if (op == "&") return integer_node(x & y);
  if (op == "|") return integer_node(x | y);
  if (op == "^") return integer_node(x ^ y);
  int64_t value = 0;
  bool fits = false;
  if (op == "+") {
    fits = !__builtin_add_overflow(x, y, &value);
  } else if (op == "-") {
    fits = !__builtin_sub_overflow(x, y, &value);
  } else if (op == "*") {
    fits = !__builtin_mul_overflow(x, y, &value);
  } else if (op == "**") {
    fits = python_power(x, y, value);
  } else if (op == "//" || op == "%") {
    if (y == 0) text.fail(at, "division by zero");
    fits = python_quotient(op == "%", x, y, value);
  } else if (op == "<<" || op == ">>") {
    if (y < 0) text.fail(at, "a shift by a negative number");
    fits = python_shift(op == "<<", x, y, value);
  }
  if (!fits) text.fail(at, "this number leaves int64");
  return integer_node(value);
}

// Python's arithmetic.
NodePtr python_binary(const Text& text, size_t at, const std::string& op, const Node& a,
                      const Node& b) {
  if (a.type.kind == Category::real || b.type.kind == Category::real) {
    return python_reals(text, at, op, a.as_real(), b.as_real());
  }
  NodePtr result = python_integers(text, at, op, a.integer, b.integer);
  const bool booleans = a.type.kind == Category::boolean && b.type.kind == Category::boolean;
  const bool bits = op == "&" || op == "|" || op == "^";
  return booleans && bits ? boolean_node(result->integer != 0) : result;
}

// `x ** 2`, for which NumPy has ways of its own where the exponent is a number of Python.
NodePtr power_of(const Use& use, const NodePtr& a, const NodePtr& b) {
  const bool real = a->type.kind == Category::real;
  if (b->is_python() && b->as_real() == 2 && (real || b->type.kind == Category::integer)) {
    return call(use.text, use.at, "square", {a});
  }
  if (b->is_python() && real && b->as_real() == 0.5) {
    return call(use.text, use.at, "sqrt", {a});
  }
  if (b->is_python() && real && b->as_real() == -1) {
    return use.made("/", a->type, a->type, {integer_node(1), a});
  }
  return call(use.text, use.at, "power", {a, b});
}

void check_count(const Text& text, size_t at, const std::string& name, size_t given,
                 size_t wanted) {
  if (given == wanted) return;
  text.fail(at, "`" + name + "` takes " + std::to_string(wanted) + " argument" +
                    (wanted == 1 ? "" : "s") + ", and " + std::to_string(given) +
                    (given == 1 ? " is" : " are") + " given");
}

}  // namespace

const std::vector<std::string>& function_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names = {"frexp",   "modf",   "divmod", "arange",  "pi",
                                      "newaxis", "nan",    "inf",    "float16", "float32",
                                      "float64", "int8",   "int16",  "int32",   "int64",
                                      "uint8",   "uint16", "uint32", "uint64"};
    for (const Function& function : kFunctions) names.emplace_back(function.name);
    return names;
  }();
  return kNames;
}

bool is_function(const std::string& name) {
  return find(name) != nullptr || gives_two(name);
}

bool gives_two(const std::string& name) {
  return name == "frexp" || name == "modf" || name == "divmod";
}

Shape broadcast_all(const Text& text, size_t at, const std::vector<NodePtr>& args) {
  Shape shape;
  for (const NodePtr& arg : args) {
    const std::optional<Shape> both = broadcast(shape, arg->shape);
    if (!both) {
      std::string shapes;
      for (const NodePtr& one : args) {
        if (one->shape.empty()) continue;
        shapes += (shapes.empty() ? "" : " and ") + text_of(one->shape);
      }
      text.fail(at, "shapes " + shapes + " do not broadcast",
                "extents must be equal, or one of them 1, from the last one on");
    }
    shape = *both;
  }
  return shape;
}

NodePtr converted(const Text& text, size_t at, const NodePtr& node, const Type& type) {
  if (node->is_constant() && node->type.weak && node->type.kind == Category::integer &&
      !holds(type, node->integer) && type.kind == Category::integer) {
    text.fail(at, std::to_string(node->integer) + " is no " + name_of(type),
              "NumPy raises OverflowError; convert the array to a wider type");
  }
  return cast(node, type);
}

NodePtr call(const Text& text, size_t at, const std::string& name,
             const std::vector<NodePtr>& args) {
  const Function& function = *find(name);
  check_count(text, at, "np." + name, args.size(), function.arguments);
  const Use use{text, at, name};
  if (name == "divide" || name == "true_divide") return divided(use, args);
  if (name == "ldexp") return scaled(use, args);
  if (name == "where") return chosen(use, args);
  if (name == "clip") {
    const Type type = common_type(args);
    const NodePtr low = converted(text, at, args[1], type);
    const NodePtr high = converted(text, at, args[2], type);
    const NodePtr above = call(text, at, "maximum", {converted(text, at, args[0], type), low});
    return call(text, at, "minimum", {above, high});
  }
  return by_rule(use, function, args);
}

std::vector<NodePtr> call_for_two(const Text& text, size_t at, const std::string& name,
                                  const std::vector<NodePtr>& args) {
  const Use use{text, at, name};
  if (name == "divmod") {
    check_count(text, at, "np.divmod", args.size(), 2);
    return {call(text, at, "floor_divide", args), call(text, at, "remainder", args)};
  }
  check_count(text, at, "np." + name, args.size(), 1);
  const Type type = real_type(args[0]->type);
  if (name == "frexp") {
    return {use.made("mantissa", type, type, args), use.made("exponent", kInt32, type, args)};
  }
  return {use.made("fraction", type, type, args), use.made("whole_part", type, type, args)};
}

NodePtr binary(const Text& text, size_t at, const std::string& op, const NodePtr& a,
               const NodePtr& b) {
  if (a->is_python() && b->is_python()) return python_binary(text, at, op, *a, *b);
  static const std::array<std::array<const char*, 2>, 17> kOps = {{{"+", "add"},
                                                                   {"-", "subtract"},
                                                                   {"*", "multiply"},
                                                                   {"/", "divide"},
                                                                   {"//", "floor_divide"},
                                                                   {"%", "remainder"},
                                                                   {"<<", "left_shift"},
                                                                   {">>", "right_shift"},
                                                                   {"&", "bitwise_and"},
                                                                   {"|", "bitwise_or"},
                                                                   {"^", "bitwise_xor"},
                                                                   {"<", "less"},
                                                                   {"<=", "less_equal"},
                                                                   {">", "greater"},
                                                                   {">=", "greater_equal"},
                                                                   {"==", "equal"},
                                                                   {"!=", "not_equal"}}};
  if (op == "**") {
    if (a->type.kind != Category::real && b->is_python() && b->type.kind == Category::integer &&
        b->integer < 0) {
      text.fail(at, "NumPy has no negative powers of integers", "convert to a real type before");
    }
    return power_of({text, at, "power"}, a, b);
  }
  for (const auto& [known, name] : kOps) {
    if (op == known) return call(text, at, name, {a, b});
  }
  text.fail(at, "`" + op + "` is not supported");
}

NodePtr unary(const Text& text, size_t at, const std::string& op, const NodePtr& a) {
  if (a->is_python()) {
    if (op == "+") return a->type.kind == Category::boolean ? integer_node(a->integer) : a;
    if (op == "-" && a->type.kind == Category::real) return real_node(-a->real);
    if (op == "~" && a->type.kind != Category::real) return integer_node(~a->integer);
    if (op == "-") return python_binary(text, at, "-", *integer_node(0), *a);
    text.fail(at, "Python has no `~` for floats");
  }
  return call(text, at, op == "-" ? "negative" : op == "+" ? "positive" : "invert", {a});
}

}  // namespace warpmark::array
