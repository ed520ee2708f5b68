#include "debug/expression.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "debug/expression_lexer.hpp"

namespace warpmark::debugging {

struct ExpressionNode {
  enum class Kind : uint8_t { number, name, unary, binary, index, slice, member, cast };
  Kind kind = Kind::number;
  std::string text;  ///< a name, a sign, a member
  Value number;
  TypePointer type;  ///< of a cast
  std::vector<std::shared_ptr<const ExpressionNode>> parts;
};

namespace {

using Node = ExpressionNode;
using NodePointer = std::shared_ptr<const Node>;
using Kind = ValueType::Kind;

// By their strength, weakest first.
const std::vector<std::vector<std::string>> kLevels = {
    {"||"},       {"&&"},     {"|"},           {"^"}, {"&"}, {"==", "!="}, {"<", "<=", ">", ">="},
    {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"},
};
constexpr size_t kMostNesting = 200;

// The words of a type that a cast may have.
TypePointer cast_type(const std::string& name) {
  static const std::pair<const char*, const char*> kNames[] = {
      {"int", "int32"},     {"unsigned", "uint32"}, {"float", "float32"}, {"double", "float64"},
      {"char", "int8"},     {"short", "int16"},     {"long", "int64"},    {"half", "float16"},
      {"bool", "bool"},     {"size_t", "uint64"},   {"int8_t", "int8"},   {"uint8_t", "uint8"},
      {"int16_t", "int16"}, {"uint16_t", "uint16"}, {"int32_t", "int32"}, {"uint32_t", "uint32"},
      {"int64_t", "int64"}, {"uint64_t", "uint64"}};
  for (const auto& [known, dtype] : kNames) {
    if (name == known) return type_of_dtype(dtype);
  }
  return nullptr;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(expression_tokens(text)) {}

  NodePointer whole() {
    NodePointer node = level(0);
    if (next().kind != ExpressionToken::Kind::end) fail();
    return node;
  }

 private:
  const ExpressionToken& next() const { return tokens_[at_]; }
  bool accept(std::string_view sign) {
    if (next().kind != ExpressionToken::Kind::sign || next().text != sign) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view sign) {
    if (!accept(sign)) fail();
  }
  [[noreturn]] void fail() const {
    const std::string what =
        next().kind == ExpressionToken::Kind::end ? "the end" : "`" + next().text + "`";
    throw usage_error(
        fmt::format("{} was not expected in the expression (column {})", what, next().column));
  }

  NodePointer level(size_t which) {
    if (which == kLevels.size()) return unary();
    NodePointer left = level(which + 1);
    for (;;) {
      std::string found;
      for (const std::string& sign : kLevels[which]) {
        if (found.empty() && accept(sign)) found = sign;
      }
      if (found.empty()) return left;
      left = make(Node::Kind::binary, found, {left, level(which + 1)});
    }
  }

  NodePointer unary() {
    if (++depth_ > kMostNesting) throw usage_error("the expression is nested too deeply");
    NodePointer node = unary_inside();
    --depth_;
    return node;
  }

  NodePointer unary_inside() {
    for (const char* sign : {"-", "+", "!", "~", "*", "&"}) {
      if (accept(sign)) return make(Node::Kind::unary, sign, {unary()});
    }
    if (TypePointer type = cast()) {
      auto node = std::make_shared<Node>();
      node->kind = Node::Kind::cast;
      node->type = std::move(type);
      node->parts = {unary()};
      return node;
    }
    return postfix();
  }

  // "(float *)", else nothing is taken.
  TypePointer cast() {
    const size_t begin = at_;
    if (!accept("(") || next().kind != ExpressionToken::Kind::name) {
      at_ = begin;
      return nullptr;
    }
    if (next().text == "const") ++at_;
    TypePointer type = cast_type(next().text);
    if (type == nullptr) {
      at_ = begin;
      return nullptr;
    }
    ++at_;
    while (next().kind == ExpressionToken::Kind::name && cast_type(next().text) != nullptr) ++at_;
    while (accept("*")) type = pointer_to(type);
    expect(")");
    return type;
  }

  NodePointer postfix() {
    NodePointer node = primary();
    for (;;) {
      if (accept("[")) {
        NodePointer begin = level(0);
        if (accept(":")) {
          NodePointer end = level(0);
          node = make(Node::Kind::slice, "", {node, begin, end});
        } else {
          node = make(Node::Kind::index, "", {node, begin});
        }
        expect("]");
      } else if (accept(".")) {
        node = make(Node::Kind::member, name(), {node});
      } else if (accept("->")) {
        node = make(Node::Kind::member, name(), {make(Node::Kind::unary, "*", {node})});
      } else {
        return node;
      }
    }
  }

  std::string name() {
    if (next().kind != ExpressionToken::Kind::name) fail();
    return tokens_[at_++].text;
  }

  NodePointer primary() {
    if (accept("(")) {
      NodePointer inside = level(0);
      expect(")");
      return inside;
    }
    const ExpressionToken& token = next();
    if (token.kind == ExpressionToken::Kind::integer || token.kind == ExpressionToken::Kind::real) {
      auto node = std::make_shared<Node>();
      node->number = token.kind == ExpressionToken::Kind::real
                         ? real_value(token.real)
                         : integer_value(static_cast<int64_t>(token.integer));
      ++at_;
      return node;
    }
    std::string text = name();
    while (accept("::")) text += "::" + name();
    return make(Node::Kind::name, text, {});
  }

  static NodePointer make(Node::Kind kind, const std::string& text,
                          std::vector<NodePointer> parts) {
    auto node = std::make_shared<Node>();
    node->kind = kind;
    node->text = text;
    node->parts = std::move(parts);
    return node;
  }

  std::vector<ExpressionToken> tokens_;
  size_t at_ = 0;
  size_t depth_ = 0;
};

// threadIdx and its like, as records of three numbers.
Value triple(const std::array<uint32_t, 3>& numbers) {
  static const TypePointer kType = [] {
    auto type = std::make_shared<ValueType>();
    type->kind = Kind::record;
    type->name = "uint3";
    type->bytes = 12;
    const TypePointer one = integer_type("unsigned int", 4, false);
    type->members = {{"x", 0, one}, {"y", 4, one}, {"z", 8, one}};
    return type;
  }();
  Value value{kType, {}, {}};
  for (const uint32_t number : numbers) {
    for (unsigned shift = 0; shift < 32; shift += 8)
      value.bytes.push_back(static_cast<std::byte>(number >> shift & 0xff));
  }
  return value;
}

// The number of a name that the type of a variable here has: "green", "Shade::light".
std::optional<int64_t> enumerator(const std::string& name, const ThreadView& thread) {
  for (const Variable& variable : thread.variables()) {
    for (const auto& [known, number] : variable.type->names) {
      if (known == name) return number;
    }
  }
  return std::nullopt;
}

Value named(const std::string& name, const ThreadView& thread) {
  if (name[0] == '%') {
    const auto bytes = thread.read_register(name);
    if (!bytes) throw usage_error("the function has no register " + name + ", or never uses it");
    uint64_t number = 0;
    for (size_t i = 0; i < bytes->size() && i < 8; ++i)
      number |= std::to_integer<uint64_t>((*bytes)[i]) << 8 * i;
    if (name.starts_with("%f") && bytes->size() <= 8) {
      return {real_type(bytes->size() == 8 ? "double" : "float", bytes->size()), {}, *bytes};
    }
    return unsigned_value(number, bytes->size() <= 4 ? 4 : 8);
  }
  for (const Variable& variable : thread.variables()) {
    if (variable.name != name) continue;
    if (std::optional<Value> value = value_of(variable, thread)) return *value;
    throw usage_error("`" + name + "` is optimised out here");
  }
  if (const auto number = enumerator(name, thread)) return integer_value(*number);
  if (name == "true" || name == "false") return boolean_value(name == "true");
  if (name == "threadIdx") {
    const warpmark_debug_lane lane = thread.where();
    return triple({lane.thread[0], lane.thread[1], lane.thread[2]});
  }
  if (name == "blockIdx") return triple(thread.block());
  if (name == "blockDim") return triple(thread.text().block);
  if (name == "gridDim") return triple(thread.text().grid);
  if (name == "warpSize") return integer_value(32);
  throw usage_error("nothing is called `" + name + "` here");
}

bool is_real(const Value& value) {
  return value.type->kind == Kind::real ||
         (value.type->reference && value.type->target && value.type->target->kind == Kind::real);
}

bool is_true(const Value& value, const ThreadView& thread) {
  return is_real(value) ? real_of(value, thread) != 0 : integer_of(value, thread) != 0;
}

template <typename Number>
std::optional<bool> compared(const std::string& sign, Number left, Number right) {
  if (sign == "==") return left == right;
  if (sign == "!=") return left != right;
  if (sign == "<") return left < right;
  if (sign == "<=") return left <= right;
  if (sign == ">") return left > right;
  if (sign == ">=") return left >= right;
  return std::nullopt;
}

// A result that overflows wraps, as it does on a GPU.
int64_t computed(const std::string& sign, int64_t left, int64_t right) {
  const auto a = static_cast<uint64_t>(left), b = static_cast<uint64_t>(right);
  if (sign == "+") return static_cast<int64_t>(a + b);
  if (sign == "-") return static_cast<int64_t>(a - b);
  if (sign == "*") return static_cast<int64_t>(a * b);
  if (sign == "&") return left & right;
  if (sign == "|") return left | right;
  if (sign == "^") return left ^ right;
  if (sign == "<<") return static_cast<int64_t>(b < 64 ? a << b : 0);
  if (sign == ">>") return left >> (b < 64 ? b : 63);
  if (right == 0) throw usage_error("a division by zero");
  if (right == -1) return sign == "/" ? static_cast<int64_t>(0 - a) : 0;
  return sign == "/" ? left / right : left % right;
}

Value evaluated(const Node& node, const ThreadView& thread);

Value binary(const Node& node, const ThreadView& thread) {
  const std::string& sign = node.text;
  const Value left = evaluated(*node.parts[0], thread);
  if (sign == "&&" && !is_true(left, thread)) return boolean_value(false);
  if (sign == "||" && is_true(left, thread)) return boolean_value(true);
  const Value right = evaluated(*node.parts[1], thread);
  if (sign == "&&" || sign == "||") return boolean_value(is_true(right, thread));
  const bool points = left.type->kind == Kind::pointer && !left.type->reference;
  if (points && (sign == "+" || sign == "-") && right.type->kind == Kind::integer) {
    const uint64_t each = left.type->target ? left.type->target->bytes : 1;
    Value moved = unsigned_value(
        static_cast<uint64_t>(computed(sign, integer_of(left, thread),
                                       integer_of(right, thread) * static_cast<int64_t>(each))),
        8);
    moved.type = left.type;
    return moved;
  }
  if (is_real(left) || is_real(right)) {
    const double a = real_of(left, thread), b = real_of(right, thread);
    if (const auto answer = compared(sign, a, b)) return boolean_value(*answer);
    if (sign == "+") return real_value(a + b);
    if (sign == "-") return real_value(a - b);
    if (sign == "*") return real_value(a * b);
    if (sign == "/") return real_value(a / b);
    throw usage_error("`" + sign + "` does not apply to real numbers");
  }
  const int64_t a = integer_of(left, thread), b = integer_of(right, thread);
  if (const auto answer = compared(sign, a, b)) return boolean_value(*answer);
  return integer_value(computed(sign, a, b));
}

Value unary(const Node& node, const ThreadView& thread) {
  const Value value = evaluated(*node.parts[0], thread);
  if (node.text == "*") return dereference(value, thread);
  if (node.text == "!") return boolean_value(!is_true(value, thread));
  if (node.text == "&") {
    const Value meant = referred(value, thread);
    if (!meant.place) throw usage_error("only what lies in memory has an address");
    Value address = unsigned_value(address_of(*meant.place, thread), 8);
    address.type = pointer_to(meant.type);
    return address;
  }
  if (is_real(value) && node.text != "~") {
    const double number = real_of(value, thread);
    return real_value(node.text == "-" ? -number : number);
  }
  const int64_t number = integer_of(value, thread);
  return integer_value(node.text == "-"   ? computed("-", 0, number)
                       : node.text == "~" ? ~number
                                          : number);
}

Value cast(const Node& node, const ThreadView& thread) {
  const Value value = evaluated(*node.parts[0], thread);
  if (node.type->kind == Kind::real) {
    Value real = real_value(real_of(value, thread));
    if (node.type->bytes == 4) {
      const auto narrow = static_cast<float>(real_of(real, thread));
      real.bytes.resize(4);
      std::memcpy(real.bytes.data(), &narrow, 4);
      real.type = node.type;
    }
    return real;
  }
  const int64_t number = is_real(value) ? static_cast<int64_t>(std::trunc(real_of(value, thread)))
                                        : integer_of(value, thread);
  Value made = unsigned_value(static_cast<uint64_t>(number), 8);
  made.type = node.type;
  made.bytes.resize(node.type->bytes);
  return made;
}

Value evaluated(const Node& node, const ThreadView& thread) {
  switch (node.kind) {
    case Node::Kind::number:
      return node.number;
    case Node::Kind::name:
      return named(node.text, thread);
    case Node::Kind::unary:
      return unary(node, thread);
    case Node::Kind::binary:
      return binary(node, thread);
    case Node::Kind::cast:
      return cast(node, thread);
    case Node::Kind::member:
      return member(evaluated(*node.parts[0], thread), node.text, thread);
    case Node::Kind::index:
      return element(evaluated(*node.parts[0], thread),
                     integer_of(evaluated(*node.parts[1], thread), thread), thread);
    case Node::Kind::slice:
      return slice(evaluated(*node.parts[0], thread),
                   integer_of(evaluated(*node.parts[1], thread), thread),
                   integer_of(evaluated(*node.parts[2], thread), thread), thread);
  }
  return {};
}

}  // namespace

StopExpression StopExpression::parse(std::string_view text) {
  StopExpression expression;
  expression.text_ = text;
  expression.root_ = Parser(text).whole();
  return expression;
}

Value StopExpression::evaluate(const ThreadView& thread) const {
  return evaluated(*root_, thread);
}

bool StopExpression::holds(const ThreadView& thread) const {
  return is_true(evaluate(thread), thread);
}

}  // namespace warpmark::debugging
