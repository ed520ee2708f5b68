// The syntax tree of arithmetic; between its parser and its evaluator only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/arithmetic.hpp"

namespace warpmark::arithmetic {

struct Node {
  enum class Kind : uint8_t { constant, name, unary, binary, comparison, call, subscript };

  Kind kind;
  Position where;
  ArithmeticValue value{};           ///< of a constant
  std::string name{};                ///< the name, operator or function
  std::vector<std::string> chain{};  ///< of a comparison: the operators between the children
  std::vector<std::unique_ptr<Node>> children{};
};

/// Throws a usage error as Expression::parse does. `names` gets each name used, once, in order.
std::unique_ptr<Node> parse(std::string_view text, const Position& at, std::vector<NameUse>& names);

/// Throws a usage error as Expression::evaluate does.
ArithmeticValue evaluate(const Node& node, const Scope& scope);

}  // namespace warpmark::arithmetic
