// Declarations of .global, .const, .shared, .local and .param variables with their initial values.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "ptx/error.hpp"
#include "ptx/parse_state.hpp"

namespace warpmark::cpu {

[[noreturn]] void ParseState::fail(const std::string& expected) const {
  std::string found = token_.kind == TokenKind::end
                          ? "the end of the text"
                          : "'" + std::string(token_.text.substr(0, 60)) + "'";
  throw PtxError(token_.line, expected + ", found " + found);
}

std::string_view ParseState::expect_word(std::string_view what) {
  if (token_.kind != TokenKind::word) fail("expected " + std::string(what));
  const std::string_view text = token_.text;
  advance();
  return text;
}

// A word without the dots and colons that opcodes have.
std::string_view ParseState::expect_name(std::string_view what) {
  if (token_.kind == TokenKind::word &&
      (token_.text == "_" || token_.text.find('.') != std::string_view::npos ||
       token_.text.find(':') != std::string_view::npos))
    fail("expected " + std::string(what));
  return expect_word(what);
}

std::uint64_t ParseState::expect_integer(std::string_view what) {
  if (token_.kind != TokenKind::integer) fail("expected " + std::string(what));
  const std::uint64_t value = token_.value;
  advance();
  return value;
}

Type ParseState::expect_type() {
  while (skips_unknown_directive()) {
  }
  const Type type =
      token_.kind == TokenKind::directive ? type_named(token_.text.substr(1)) : Type::none;
  if (type == Type::none && tolerant_ && token_.kind == TokenKind::word) return type;
  if (type == Type::none) fail("expected a type such as .u32");
  advance();
  return type;
}

std::uint32_t ParseState::expect_alignment() {
  const std::uint64_t alignment = expect_integer("an alignment");
  if (std::has_single_bit(alignment) && alignment <= 4096)
    return static_cast<std::uint32_t>(alignment);
  refuse("an alignment is a power of two up to 4096");
  return 1;
}

std::optional<std::uint32_t> ParseState::accept_alignment() {
  if (!token_.is(".align")) return std::nullopt;
  advance();
  return expect_alignment();
}

void ParseState::skip_past(char symbol) {
  while (!token_.is(symbol)) {
    if (token_.kind == TokenKind::end) expect(symbol);
    advance();
  }
  advance();
}

void ParseState::parse_variables(Space space, Linkage linkage, std::vector<Variable>& into) {
  doubt_ = "a variable of a type that is not known";
  const VariableStem stem = parse_variable_stem(space, linkage);
  do {
    Variable variable = parse_variable(stem);
    if (&into == &module_.variables && !register_variable(variable)) continue;
    into.push_back(std::move(variable));
  } while (accept(','));
  if (token_.is('<')) doubt_ = "a range of variables";  // a<4> declares a0 to a3
  expect(';');
}

ParseState::VariableStem ParseState::parse_variable_stem(Space space, Linkage linkage) {
  VariableStem stem;
  Variable& common = stem.common;
  common.space = space;
  common.linkage = linkage;
  common.external = linkage == Linkage::external;
  common.alignment = 0;
  std::uint64_t elements = 1;
  for (;;) {
    if (const auto alignment = accept_alignment()) {
      common.alignment = *alignment;
    } else if (token_.is(".attribute")) {
      common.managed = parse_attributes();
    } else if (token_.is(".v2") || token_.is(".v4")) {
      elements = token_.is(".v2") ? 2 : 4;
      advance();
    } else if (tolerant_ && token_.is(".v8")) {
      elements = 8;
      advance();
    } else if (!skips_unknown_directive()) {
      break;
    }
  }
  common.image = is_image();
  common.surface = token_.is(".surfref");
  common.type = parse_variable_type(common);
  stem.vector = elements > 1;
  stem.element_bytes = bytes_of(common.type) * elements;
  if (stem.vector && stem.element_bytes > 16) refuse("a vector has at most 16 bytes");
  if (common.alignment == 0) common.alignment = static_cast<std::uint32_t>(stem.element_bytes);
  return stem;
}

// (.managed, .unified(1, 2)); whether it says `.managed`.
bool ParseState::parse_attributes() {
  advance();
  expect('(');
  bool managed = false;
  for (std::size_t open = 1; open > 0; advance()) {
    if (token_.kind == TokenKind::end) fail("expected ')'");
    if (token_.is('(')) ++open;
    if (token_.is(')')) --open;
    managed = managed || token_.is(".managed");
  }
  return managed;
}

Type ParseState::parse_variable_type(const Variable& variable) {
  if (variable.image) {
    if (variable.space != Space::global || in_function_)
      refuse("a texture or surface is a variable of the module");
    advance();
    return Type::b64;  // a handle, which nothing here sets
  }
  const Type type = expect_type();
  if (type == Type::none || type == Type::pred) fail("a variable cannot have type .pred");
  if (type == Type::bf16 || type == Type::bf16x2) refuse("a variable of this type is .b16 or .b32");
  return type;
}

Variable ParseState::parse_variable(const VariableStem& stem) {
  Variable variable = stem.common;
  variable.line = token_.line;
  doubt_ = token_.kind == TokenKind::word ? "a declaration that goes on in a way that is not known"
                                          : "a variable without a name";
  variable.name = expect_name("a variable name");
  variable.bytes = stem.element_bytes;
  doubt_ = "a size that is no plain number";
  const bool array = parse_dimensions(variable) || stem.vector;
  doubt_ = "a declaration that goes on in a way that is not known";
  const bool initialisable =
      (variable.space == Space::global || variable.space == Space::constant) && !variable.image;
  if (token_.is('=') && !initialisable)
    refuse("a variable of this state space has no initial value");
  if (accept('=')) parse_initialiser(variable, bytes_of(variable.type), array);
  if (variable.bytes == 0 && !variable.external) {
    variable.external = true;  // of a tolerant reading
    if (!tolerant_)
      throw PtxError(variable.line, "variable '" + std::string(variable.name) + "' has no size");
  }
  return variable;
}

bool ParseState::parse_dimensions(Variable& variable) {
  bool any = false;
  while (accept('[')) {
    any = true;
    std::uint64_t count = 0;  // a[] has its size from the initialiser, or from the launch
    const bool sized = !token_.is(']');
    if (sized) count = expect_integer("an array size");
    if (sized && count == 0 && !variable.external) refuse("an array has at least one element");
    expect(']');
    if (count != 0 && variable.bytes > limits_.variable_bytes / count) {
      variable.bytes = ~std::uint64_t{0};  // of a tolerant reading
      if (tolerant_) continue;
      throw PtxError(variable.line, "variable '" + std::string(variable.name) +
                                        "' is larger than " +
                                        std::to_string(limits_.variable_bytes) + " bytes");
    }
    variable.bytes *= count;
  }
  return any;
}

void ParseState::parse_initialiser(Variable& variable, std::uint64_t element_bytes, bool array) {
  std::uint64_t offset = 0;
  std::uint32_t depth = 0;
  const bool braces = token_.is('{');
  if (!braces) {
    parse_element(variable, element_bytes, offset);
  } else {
    for (;;) {  // an element, or a list of them
      if (accept('{')) {
        if (++depth > limits_.nesting) fail("initial values are nested too deeply");
        if (!token_.is('}')) continue;
      } else {
        parse_element(variable, element_bytes, offset);
      }
      while (depth > 0 && accept('}')) --depth;
      if (depth == 0) break;
      expect(',');
    }
  }
  if (variable.bytes == 0) variable.bytes = offset;
  if (tolerant_) return;
  if (braces != array)
    throw PtxError(variable.line,
                   array ? "an array's initial values stand in { }" : "one value needs no { }");
  if (offset > variable.bytes) {
    throw PtxError(variable.line,
                   "too many initial values for '" + std::string(variable.name) + "'");
  }
}

// symbol, symbol+4, generic(symbol) or generic(symbol)+4
void ParseState::parse_symbol(Variable::Reference& reference) {
  std::string_view name = expect_word("a value");
  const bool generic = name == "generic" && accept('(');
  if (generic) {
    name = expect_word("a symbol");
    expect(')');
  }
  const bool function = module_.function_by_name.contains(name);
  reference.symbol = name;
  if (!function && !tolerant_ && !module_.variable_by_name.contains(name))
    throw PtxError(token_.line, "'" + std::string(name) + "' is not declared before");
  if (function && (generic || token_.is('+')))
    refuse("a function's address takes no offset and no generic()");
  if (accept('+')) reference.addend = static_cast<std::int64_t>(expect_integer("an offset"));
}

void ParseState::parse_element(Variable& variable, std::uint64_t element_bytes,
                               std::uint64_t& offset) {
  const bool one_byte = token_.kind == TokenKind::integer && lexer_.follows('(');
  if (token_.kind == TokenKind::word || one_byte) {
    Variable::Reference reference;
    reference.bytes = static_cast<std::uint32_t>(element_bytes);
    bool addressed = variable.type == Type::u32 || variable.type == Type::u64;
    if (one_byte) {  // 0xFF00(symbol): the byte under the mask
      const std::uint64_t mask = expect_integer("a mask");
      while (reference.shift < 64 && mask != std::uint64_t{0xff} << reference.shift)
        reference.shift += 8;
      if (reference.shift == 64) fail("the mask of an address is one byte of it");
      reference.bytes = 1;
      addressed = addressed || variable.type == Type::u8;
      expect('(');
    }
    if (!addressed) refuse("an address needs an element of .u32 or .u64, a byte of it one of .u8");
    reference.offset = offset;
    parse_symbol(reference);
    if (one_byte) expect(')');
    variable.references.push_back(reference);
    append_bits(variable, 0, element_bytes, offset);
  } else {
    if (token_.kind == TokenKind::integer && (lexer_.follows(',') || lexer_.follows('}')) &&
        variable.type != Type::f32 && variable.type != Type::f64 && variable.type != Type::f16) {
      std::uint64_t value = token_.value;
      do {
        append_bits(variable, value, element_bytes, offset);
        offset += element_bytes;
      } while (lexer_.next_of_list(value));
      advance();
      return;
    }
    const Operand number = parse_number();
    if (variable.type == Type::f16) refuse("a variable of binary16 has no initial value here");
    const bool real = variable.type == Type::f32 || variable.type == Type::f64;
    const bool bit_type = variable.type == Type::b8 || variable.type == Type::b16 ||
                          variable.type == Type::b32 || variable.type == Type::b64;
    if (!bit_type && real != (number.kind == OperandKind::real))
      refuse("the initial value has another type");
    std::uint64_t bits = static_cast<std::uint64_t>(number.value);
    if (number.kind == OperandKind::real && number.single != (element_bytes == 4)) {
      if (number.single) {
        const auto narrow = static_cast<std::uint32_t>(bits);
        bits = std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(narrow)));
      } else if (element_bytes == 4) {
        bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
      }
    }
    append_bits(variable, bits, element_bytes, offset);
  }
  offset += element_bytes;
}

void ParseState::append_bits(Variable& variable, std::uint64_t bits, std::uint64_t bytes,
                             std::uint64_t offset) {
  if (offset + bytes > variable.initial.capacity())  // twice as much: tables have 10^5 elements
    variable.initial.reserve(std::max<std::uint64_t>(64, 2 * (offset + bytes)));
  variable.initial.resize(offset + bytes, 0);
  std::memcpy(variable.initial.data() + offset, &bits, std::min<std::uint64_t>(bytes, 8));
}

}  // namespace warpmark::cpu
