// Constant expressions: PTX ISA, "Constant Expressions", of integers; real numbers stand alone.
#include <cstdint>
#include <optional>

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
  std::uint64_t left = parse_primary(depth);
  for (;;) {
    const Operator* found = nullptr;
    for (const Operator& one : kOperators) {
      if (!token_.is(one.first)) continue;
      if (one.second != 0 && !lexer_.follows(one.second)) continue;
      found = &one;
      break;
    }
    if (found == nullptr || found->level < level) return left;
    advance();
    if (found->second != 0) advance();
    if (depth > kMostDepth) fail("the expression is nested too deeply");
    const std::uint64_t right = parse_binary(found->level + 1, depth + 1);
    const auto a = static_cast<std::int64_t>(left), b = static_cast<std::int64_t>(right);
    switch (found->first) {
      case '|':
        left =
            found->second != 0 ? static_cast<std::uint64_t>(left != 0 || right != 0) : left | right;
        break;
      case '&':
        left =
            found->second != 0 ? static_cast<std::uint64_t>(left != 0 && right != 0) : left & right;
        break;
      case '^':
        left ^= right;
        break;
      case '=':
        left = left == right ? 1 : 0;
        break;
      case '!':
        left = left != right ? 1 : 0;
        break;
      case '<':
        left = found->second == '<'   ? (right < 64 ? left << right : 0)
               : found->second == '=' ? static_cast<std::uint64_t>(a <= b)
                                      : static_cast<std::uint64_t>(a < b);
        break;
      case '>':
        left = found->second == '>'   ? static_cast<std::uint64_t>(a >> (right < 64 ? right : 63))
               : found->second == '=' ? static_cast<std::uint64_t>(a >= b)
                                      : static_cast<std::uint64_t>(a > b);
        break;
      case '+':
        left += right;
        break;
      case '-':
        left -= right;
        break;
      case '*':
        left *= right;
        break;
      default:
        if (right == 0) fail("the expression divides by zero");
        if (right == ~std::uint64_t{0})  // -1: the quotient may not be representable
          left = found->first == '/' ? ~left + 1 : 0;
        else
          left = static_cast<std::uint64_t>(found->first == '/' ? a / b : a % b);
    }
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
