// Operands of instructions.
#include <cstdint>
#include <string_view>
#include <vector>

#include "ptx/error.hpp"
#include "ptx/parse_state.hpp"

namespace warpmark::cpu {
namespace {

constexpr std::size_t kMostElements = 128;  // of one vector or argument list

}  // namespace

// A real number, perhaps with a sign, or a constant expression of integers.
Operand ParseState::parse_number() {
  Operand operand;
  const bool sign = (token_.is('-') || token_.is('+')) && lexer_.real_follows();
  if (sign || token_.kind == TokenKind::real) {
    const bool negative = token_.is('-');
    if (sign) advance();
    if (sign && token_.single) fail("a 0f constant takes no sign");
    operand.kind = OperandKind::real;
    operand.single = token_.single;
    std::uint64_t bits = token_.value;
    if (negative) bits ^= token_.single ? std::uint64_t{1} << 31 : std::uint64_t{1} << 63;
    operand.value = static_cast<std::int64_t>(bits);
    advance();
    return operand;
  }
  operand.kind = OperandKind::integer;
  operand.value = static_cast<std::int64_t>(parse_constant(0));
  return operand;
}

Operand ParseState::parse_list(Function& function, Scopes& scopes, char close,
                               std::uint32_t depth) {
  if (depth >= 4) fail("operands are nested too deeply");
  Operand list;
  list.kind = OperandKind::vector;
  std::vector<Operand> elements;
  if (!token_.is(close)) {
    do {
      if (elements.size() == kMostElements) fail("too many elements");
      elements.push_back(parse_operand(function, scopes, depth + 1));
    } while (accept(','));
  }
  expect(close);
  list.count = static_cast<std::uint8_t>(elements.size());
  list.index = static_cast<std::uint32_t>(function.operands.size());
  function.operands.insert(function.operands.end(), elements.begin(), elements.end());
  return list;
}

Operand ParseState::parse_address(Function& function, Scopes& scopes, std::uint32_t depth) {
  Operand address;
  address.kind = OperandKind::address;
  if (depth >= 4) fail("operands are nested too deeply");
  const Operand base = parse_operand(function, scopes, depth + 1);
  if (base.kind == OperandKind::integer) {
    address.value = base.value;
  } else if (base.kind == OperandKind::reg || base.kind == OperandKind::name) {
    address.value = base.value;
    address.index = static_cast<std::uint32_t>(function.operands.size());
    function.operands.push_back(base);
    function.operands.back().value = 0;
  } else {
    fail("expected a register, a name or a number as an address");
  }
  if (accept(
          ',')) {  // texture coordinates: kept as a further operand, for the texture instructions
    const Operand coordinates = parse_operand(function, scopes, depth + 1);
    if (address.index != Operand::kNone)
      address.count = static_cast<std::uint8_t>(function.operands.size() - address.index);
    function.operands.push_back(coordinates);
  }
  expect(']');
  return address;
}

Operand ParseState::parse_operand(Function& function, Scopes& scopes, std::uint32_t depth) {
  if (accept('[')) return parse_address(function, scopes, depth);
  if (accept('{')) {
    const Operand list = parse_list(function, scopes, '}', depth);
    return token_.is('|') ? parse_pair(function, scopes, list, depth) : list;
  }
  if (call_ && accept('(')) return parse_list(function, scopes, ')', depth);
  Operand operand;
  if (token_.is('!') && lexer_.name_follows()) {
    advance();
    operand.negated = true;
  } else if (negates_ && token_.is('-') && lexer_.name_follows()) {
    advance();
    operand.minus = true;
  }
  if (token_.kind != TokenKind::word || (!operand.negated && token_.is("WARP_SZ")))
    return parse_number();
  const std::string_view name = expect_word("an operand");
  if (name == "_") return token_.is('|') ? parse_pair(function, scopes, operand, depth) : operand;
  operand.text = name;
  operand.index = scopes.find(name);
  operand.kind = operand.index == Operand::kNone ? OperandKind::name : OperandKind::reg;
  if (operand.index == Operand::kNone) find_part(function, scopes, operand);
  if (operand.kind == OperandKind::name) find_local(function, scopes, operand);
  if (token_.is('+') || (token_.is('-'))) {  // name+4, %rd1+-4
    const bool negative = token_.is('-');
    advance();
    const std::uint64_t value = parse_constant(0);
    operand.value = static_cast<std::int64_t>(negative ? ~value + 1 : value);
  }
  return token_.is('|') ? parse_pair(function, scopes, operand, depth) : operand;
}

// A name that is no register: one with a selector behind it, or a vector, which stands for its
// elements.
void ParseState::find_part(Function& function, Scopes& scopes, Operand& operand) {
  const std::string_view name = operand.text;
  if (const std::size_t dot = name.rfind('.'); dot != std::string_view::npos) {
    operand.index = scopes.find(name.substr(0, dot));
    if (operand.index != Operand::kNone) operand.kind = OperandKind::part;
    return;
  }
  const Scopes::Vector vector = scopes.find_vector(name);
  if (vector.elements == 0) return;
  operand.kind = OperandKind::vector;
  operand.index = static_cast<std::uint32_t>(function.operands.size());
  operand.count = vector.elements;
  for (std::uint32_t i = 0; i < vector.elements; ++i) {
    Operand element;
    element.kind = OperandKind::reg;
    element.text = name;
    element.index = vector.first + i;
    function.operands.push_back(element);
  }
}

// A .local variable that stands outside of functions is one of each kernel that names it.
void ParseState::find_local(Function& function, Scopes& scopes, const Operand& operand) const {
  const auto found = outside_locals_.find(operand.text);
  if (found == outside_locals_.end() || scopes.has(operand.text)) return;
  if (!function.entry)
    throw PtxError(token_.line, "a .local variable outside of functions is only a kernel's here",
                   true);
  function.variables.push_back(found->second);
  scopes.declare_outermost(operand.text);
}

// d|p
Operand ParseState::parse_pair(Function& function, Scopes& scopes, const Operand& first,
                               std::uint32_t depth) {
  expect('|');
  if (depth >= 4) fail("operands are nested too deeply");
  const Operand second = parse_operand(function, scopes, depth + 1);
  Operand pair;
  pair.kind = OperandKind::pair;
  pair.count = 2;
  pair.index = static_cast<std::uint32_t>(function.operands.size());
  function.operands.push_back(first);
  function.operands.push_back(second);
  return pair;
}

}  // namespace warpmark::cpu
