// A tolerant reading differs from the strict one: it notes text that it does not understand, goes on
// behind it, and takes only the names of operands.
//
// Seen with ptxas 13.0: a string ends at the next quote and knows no escapes, a comment `//` ends at
// a newline and no splice prolongs it, `/*` does not nest, digits end where no number goes on
// (`3ret` is two tokens), and modifiers may stand apart from their opcode.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "ptx/error.hpp"
#include "ptx/parse_state.hpp"
#include "ptx/parser.hpp"

namespace warpmark::cpu {
namespace {

constexpr std::size_t kMostTroubles = 100;  // each costs an exception
constexpr std::size_t kMostFunctions = 65536;
constexpr std::size_t kMostOperands = 255;
constexpr std::size_t kLongestOpcode = 160;
constexpr std::uint32_t kLatest = 90;  // .version 9.0 and .target sm_90

}  // namespace

Module read_ptx(std::string_view text, Bodies bodies) {
  constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();
  ParseLimits limits;
  limits.variable_bytes = kAny;
  Module module;
  module.text = std::make_unique<std::string>(text);
  module.version = module.architecture = kLatest;
  ParseState state(module, limits, bodies);
  state.parse_module();
  return module;
}

void ParseState::note(std::uint32_t line, std::string_view trouble) {
  ++troubles_;
  if (!module_.trouble.empty()) return;
  module_.trouble = "line " + std::to_string(line) + ": " + std::string(trouble);
}

Token ParseState::read_token() {
  while (troubles_ < kMostTroubles) {
    try {
      Token token = lexer_.next();
      // ptxas ends a string at the quote after a backslash, and others may not.
      if (token.kind == TokenKind::string && token.text.find('\\') != std::string_view::npos)
        note(token.line, "a string with a backslash");
      if (token.kind == TokenKind::word) {
        const std::size_t colon = token.text.find(':');
        if (colon != std::string_view::npos && token.text.find('.') > colon)
          note(token.line, "a name with colons");
      }
      return token;
    } catch (const PtxError& error) {
      if (troubles_++ == 0) module_.trouble = error.what();
    }
  }
  Token end;
  end.line = token_.line;
  return end;
}

void ParseState::read_module() {
  while (token_.kind != TokenKind::end) {
    const char* const begin = token_.text.data();
    doubt_ = "something unknown";
    if (attempt([&] { read_statement_of_module(); })) continue;
    if (token_.text.data() == begin) advance();
    while (token_.kind != TokenKind::end && token_.kind != TokenKind::directive && !accept(';'))
      advance();
  }
}

void ParseState::read_statement_of_module() {
  if (accept(';')) return;
  if (token_.is(".version") || token_.is(".target") || token_.is(".address_size")) {
    advance();
    while (token_.kind == TokenKind::word || token_.kind == TokenKind::integer ||
           token_.kind == TokenKind::real || token_.is(','))
      advance();
  } else if (token_.is(".loc")) {
    parse_location();
  } else if (token_.is(".alias")) {
    skip_past(';');
  } else if (token_.kind == TokenKind::directive) {
    parse_directive();
  } else {
    fail("expected a directive");
  }
}

void ParseState::read_function(Function function) {
  if (!attempt([&] { parse_header(function); })) {
    if (function.name.empty()) return;
    while (token_.kind != TokenKind::end && !token_.is('{') && !token_.is(';')) advance();
  }
  if (module_.functions.size() == kMostFunctions) return note(token_.line, "too many names");
  if (!token_.is('{')) {
    if (!accept(';')) note(token_.line, "a function without a body");
  } else if (bodies_ == Bodies::read) {
    parse_body(function);
  } else {
    function.has_body = true;
    skip_block({});
  }
  module_.function_by_name.emplace(function.name,
                                   static_cast<std::uint32_t>(module_.functions.size()));
  module_.functions.push_back(std::move(function));
}

// Up to the `;` of an instruction. Commas in parentheses, brackets and braces part nothing. An
// operand is an address, a vector for both kinds of lists, or a name; it has all names in it as
// elements.
void ParseState::read_operands(Function& function, Scopes& scopes, Statement& statement) {
  if (statement.opcode.size() > kLongestOpcode) {
    note(statement.line, "a very long opcode");
    statement.opcode = statement.opcode.substr(0, kLongestOpcode);
  }
  read_.clear();
  std::size_t braces = 0, others = 0;
  for (; token_.kind != TokenKind::end && (braces != 0 || !token_.is(';')); advance()) {
    if (token_.is('}') && braces == 0) {
      note(token_.line, "an instruction without an end");
      break;
    }
    const bool parts = token_.is(',') && braces + others == 0;
    if (parts || read_.empty()) read_.emplace_back();
    if (parts) continue;
    Operand& operand = read_.back();
    const bool list = token_.is('{') || token_.is('(');
    // Within another bracket an address is still one: {[a]} is what nobody writes.
    if (token_.is('['))
      operand.kind = OperandKind::address;
    else if (list && operand.kind != OperandKind::address)
      operand.kind = OperandKind::vector;
    if (token_.is('{')) ++braces;
    if (token_.is('}')) --braces;
    if (token_.is('(') || token_.is('[')) ++others;
    if ((token_.is(')') || token_.is(']')) && others > 0) --others;
    if (token_.kind == TokenKind::word) read_name(function, scopes, operand);
  }
  accept(';');
  if (read_.size() > kMostOperands) {
    note(statement.line, "too many operands");
    read_.resize(kMostOperands);
  }
  statement.operands = static_cast<std::uint8_t>(read_.size());
  statement.first_operand = static_cast<std::uint32_t>(function.operands.size());
  function.operands.insert(function.operands.end(), read_.begin(), read_.end());
  function.statements.push_back(statement);
}

// A register is one with or without a selector behind it: %v.x, %r1.b2.
void ParseState::read_name(Function& function, Scopes& scopes, Operand& operand) {
  if (operand.count == kMostOperands) return note(token_.line, "too many operands");
  if (operand.kind == OperandKind::sink) operand.kind = OperandKind::name;
  if (operand.count++ == 0) operand.index = static_cast<std::uint32_t>(function.operands.size());
  Operand name;
  name.text = token_.text.substr(0, token_.text.find('.'));
  name.index = scopes.find(name.text);
  if (name.index == Operand::kNone) name.index = scopes.find_vector(name.text).first;
  name.kind = name.index == Operand::kNone ? OperandKind::name : OperandKind::reg;
  function.operands.push_back(name);
}

void ParseState::skip_block(std::string_view doubt) {
  const std::uint32_t line = token_.line;
  bool agreed = false;
  try {
    agreed = lexer_.skip_braces();
  } catch (const PtxError&) {
    agreed = false;
  }
  if (!agreed && !doubt.empty()) note(line, doubt);
  advance();
}

void ParseState::skip_statement() {
  while (token_.kind != TokenKind::end && !token_.is('{') && !token_.is('}')) {
    if (accept(';')) return;
    advance();
  }
}

// A directive that is none of those before a name which are known.
bool ParseState::skips_unknown_directive() {
  if (!tolerant_ || token_.kind != TokenKind::directive || is_image() ||
      type_named(token_.text.substr(1)) != Type::none)
    return false;
  advance();
  return true;
}

}  // namespace warpmark::cpu
