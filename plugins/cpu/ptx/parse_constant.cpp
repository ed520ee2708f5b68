// Constant expressions: PTX ISA, "Constant Expressions", of integers; real numbers stand alone.
#include <algorithm>
#include <cstdint>
#include <iterator>

#include "ptx/parse_state.hpp"

namespace warpmark::cpu {
namespace {

constexpr std::uint32_t kMostDepth = 64;  // of parentheses and signs

// Binary operators by precedence, loosest first; each is one or two symbols.
struct Operator {
  char first, second;  ///< second 0: one symbol
  int level;
};
constexpr Operator kOperators[] = {
    {'|', '|', 1}, {'&', '&', 2}, {'=', '=', 6}, {'!', '=', 6}, {'<', '=', 7}, {'>', '=', 7},
    {'<', '<', 8}, {'>', '>', 8}, {'|', 0, 3},   {'^', 0, 4},   {'&', 0, 5},   {'<', 0, 7},
    {'>', 0, 7},   {'+', 0, 9},   {'-', 0, 9},   {'*', 0, 10},  {'/', 0, 10},  {'%', 0, 10}};

// By anything but 0; of -1 the quotient may not be representable.
std::uint64_t divided(char by, std::uint64_t left, std::uint64_t right) {
  if (right == ~std::uint64_t{0}) return by == '/' ? ~left + 1 : 0;
  const auto a = static_cast<std::int64_t>(left), b = static_cast<std::int64_t>(right);
  return static_cast<std::uint64_t>(by == '/' ? a / b : a % b);
}

std::uint64_t applied(const Operator& by, std::uint64_t left, std::uint64_t right) {
  const auto a = static_cast<std::int64_t>(left), b = static_cast<std::int64_t>(right);
  const bool doubled = by.second == by.first, or_equal = by.second == '=';
  switch (by.first) {
    case '|':
      return doubled ? static_cast<std::uint64_t>(left != 0 || right != 0) : left | right;
    case '&':
      return doubled ? static_cast<std::uint64_t>(left != 0 && right != 0) : left & right;
    case '^':
      return left ^ right;
    case '=':
      return left == right ? 1 : 0;
    case '!':
      return left != right ? 1 : 0;
    case '<':
      if (doubled) return right < 64 ? left << right : 0;
      return static_cast<std::uint64_t>(or_equal ? a <= b : a < b);
    case '>':
      if (doubled) return static_cast<std::uint64_t>(a >> (right < 64 ? right : 63));
      return static_cast<std::uint64_t>(or_equal ? a >= b : a > b);
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    default:
      return divided(by.first, left, right);
  }
}

}  // namespace

// A number, a parenthesised expression, or either behind a sign or a cast.
std::uint64_t ParseState::parse_primary(std::uint32_t depth) {
  if (depth > kMostDepth) fail("the expression is nested too deeply");
  if (accept('-')) return ~parse_primary(depth + 1) + 1;
  if (accept('+')) return parse_primary(depth + 1);
  if (accept('~')) return ~parse_primary(depth + 1);
  if (accept('!')) return parse_primary(depth + 1) == 0 ? 1 : 0;
  if (accept('(')) {
    if (token_.is(".s64") || token_.is(".u64")) {
      advance();
      expect(')');
      return parse_primary(depth + 1);
    }
    const std::uint64_t value = parse_constant(depth + 1);
    expect(')');
    return value;
  }
  if (token_.is("WARP_SZ")) {
    advance();
    return 32;
  }
  return expect_integer("a number");
}

std::uint64_t ParseState::parse_binary(int level, std::uint32_t depth) {
  const auto is_here = [this](const Operator& one) {
    return token_.is(one.first) && (one.second == 0 || lexer_.follows(one.second));
  };
  std::uint64_t left = parse_primary(depth);
  for (;;) {
    const auto* const found = std::ranges::find_if(kOperators, is_here);
    if (found == std::end(kOperators) || found->level < level) return left;
    advance();
    if (found->second != 0) advance();
    if (depth > kMostDepth) fail("the expression is nested too deeply");
    const std::uint64_t right = parse_binary(found->level + 1, depth + 1);
    if (right == 0 && (found->first == '/' || found->first == '%'))
      fail("the expression divides by zero");
    left = applied(*found, left, right);
  }
}

std::uint64_t ParseState::parse_constant(std::uint32_t depth) {
  if (depth > kMostDepth) fail("the expression is nested too deeply");
  const std::uint64_t value = parse_binary(1, depth);
  if (!accept('?')) return value;
  const std::uint64_t yes = parse_constant(depth + 1);
  expect(':');
  const std::uint64_t no = parse_constant(depth + 1);
  return value != 0 ? yes : no;
}

}  // namespace warpmark::cpu
