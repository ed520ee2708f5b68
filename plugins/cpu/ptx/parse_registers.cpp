// Functions whose parameters and results are registers, and calls that pass registers and numbers:
// each goes through a .param variable of the same name, as if the text had one.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "ptx/error.hpp"
#include "ptx/parse_state.hpp"

namespace warpmark::cpu {
namespace {

// Loads and stores of parameters of 1, 2, 4, 8 and 16 bytes.
constexpr std::string_view kLoads[] = {"ld.param.b8", "ld.param.b16", "ld.param.b32",
                                       "ld.param.b64", "ld.param.b128"};
constexpr std::string_view kStores[] = {"st.param.b8", "st.param.b16", "st.param.b32",
                                        "st.param.b64", "st.param.b128"};
int size_of(Type type) {
  return std::min(std::countr_zero(bytes_of(type)), 4);
}
std::string_view load_of(Type type) {
  return kLoads[size_of(type)];
}
std::string_view store_of(Type type) {
  return kStores[size_of(type)];
}

std::string_view store_of_number(Type type) {
  return type == Type::f32 ? "st.param.f32" : type == Type::f64 ? "st.param.f64" : store_of(type);
}

// Returns whether a value of type `from` may be passed as type `to`: bits may be any type of their
// size.
bool passes(Type from, Type to) {
  const auto kind = [](Type type) {
    switch (type) {
      case Type::f32:
      case Type::f64:
        return 'f';
      case Type::pred:
        return 'p';
      case Type::u8:
      case Type::s8:
      case Type::u32:
      case Type::s32:
      case Type::f16x2:
      case Type::u64:
      case Type::s64:
        return 'i';
      default:
        return 'b';
    }
  };
  return bytes_of(from) == bytes_of(to) &&
         (kind(from) == kind(to) || kind(from) == 'b' || kind(to) == 'b');
}

// The types that ptxas passes in registers only for texts that are compiled without the ABI.
bool is_small(Type type) {
  return type == Type::pred || type == Type::u8 || type == Type::s8 || type == Type::u16 ||
         type == Type::s16;
}

Operand operand_of(const Function& function, std::uint32_t reg) {
  Operand operand;
  operand.kind = OperandKind::reg;
  operand.text = function.registers[reg].name;
  operand.index = reg;
  return operand;
}

// A register of 32 bits that nothing else has.
Operand new_word(Function& function, std::string_view name) {
  function.registers.push_back({name, Type::b32});
  return operand_of(function, static_cast<std::uint32_t>(function.registers.size() - 1));
}

Operand number(std::int64_t value) {
  Operand operand;
  operand.kind = OperandKind::integer;
  operand.value = value;
  return operand;
}

// The variable of a number that is argument `index`: a name that no text can have.
std::string_view name_of_number(std::size_t index) {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all(256);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = std::to_string(i);
    return all;
  }();
  return names.at(index);
}

}  // namespace

// A predicate is a word there.
std::uint32_t ParseState::bytes_in_memory(Type type) {
  return type == Type::pred ? 4 : bytes_of(type);
}

void ParseState::add_statement(Function& function, const Statement& at, std::string_view opcode,
                               std::initializer_list<Operand> operands) {
  Statement statement = at;
  statement.opcode = opcode;
  statement.operands = static_cast<std::uint8_t>(operands.size());
  statement.first_operand = static_cast<std::uint32_t>(function.operands.size());
  function.operands.insert(function.operands.end(), operands);
  function.statements.push_back(statement);
}

// `opcode value, [name + offset]`, or the other way round of a store, in the place of `at`.
void ParseState::add_access(Function& function, const Statement& at, std::string_view opcode,
                            const Operand& value, std::string_view name, std::int64_t offset) {
  Operand base;
  base.kind = OperandKind::name;
  base.text = name;
  Operand address;
  address.kind = OperandKind::address;
  address.index = static_cast<std::uint32_t>(function.operands.size());
  address.value = offset;
  function.operands.push_back(base);
  if (opcode.starts_with("st."))
    add_statement(function, at, opcode, {address, value});
  else
    add_statement(function, at, opcode, {value, address});
}

void ParseState::add_read(Function& function, const Statement& at, std::uint32_t reg,
                          std::string_view name, std::int64_t offset) {
  const Type type = function.registers[reg].type;
  const Operand value = operand_of(function, reg);
  if (type != Type::pred) return add_access(function, at, load_of(type), value, name, offset);
  const Operand word = new_word(function, name);
  add_access(function, at, load_of(Type::b32), word, name, offset);
  add_statement(function, at, "setp.ne.b32", {value, word, number(0)});
}

void ParseState::add_write(Function& function, const Statement& at, std::uint32_t reg,
                           std::string_view name, std::int64_t offset) {
  const Type type = function.registers[reg].type;
  const Operand value = operand_of(function, reg);
  if (type != Type::pred) return add_access(function, at, store_of(type), value, name, offset);
  const Operand word = new_word(function, name);
  add_statement(function, at, "selp.b32", {word, number(1), number(0), value});
  add_access(function, at, store_of(Type::b32), word, name, offset);
}

// Declares the registers that are parameters and results, and reads the former.
void ParseState::read_parameters(Function& function, Scopes& scopes) {
  for (const std::vector<Parameter>* list : {&function.parameters, &function.results}) {
    for (const Parameter& parameter : *list) {
      if (!parameter.in_register) continue;
      scopes.declare(parameter.name, {parameter.type, parameter.elements, false}, false, 1,
                     function.line);
      if (list == &function.results) continue;
      const std::uint32_t first = scopes.find_outermost(parameter.name);
      Statement at;
      at.line = function.line;
      for (std::uint32_t i = 0; i < parameter.elements; ++i)
        add_read(function, at, first + i, parameter.name, i * bytes_in_memory(parameter.type));
    }
  }
}

// Before a return: results are written whether a guard lets it return or not, as nobody reads them
// else.
void ParseState::write_results(Function& function, Scopes& scopes, const Statement& at) {
  for (const Parameter& result : function.results) {
    if (!result.in_register) continue;
    const std::uint32_t first = scopes.find_outermost(result.name);
    Statement always = at;
    always.guard = Operand::kNone;
    for (std::uint32_t i = 0; i < result.elements; ++i)
      add_write(function, always, first + i, result.name, i * bytes_in_memory(result.type));
  }
}

// The registers and numbers of a call become .param variables, which are written before it; what is
// to be read behind it.
std::vector<ParseState::Passed> ParseState::pass_registers(Function& function,
                                                           const Statement& call,
                                                           const std::array<Operand, 16>& operands,
                                                           std::size_t count) {
  std::vector<Passed> results;
  std::size_t target = 0;
  while (target < count && operands[target].kind == OperandKind::vector) ++target;
  if (target == count) return results;
  const auto known = module_.function_by_name.find(operands[target].text);
  const Function* callee =
      known == module_.function_by_name.end() ? nullptr : &module_.functions[known->second];
  for (std::size_t list = 0; list < count && list <= target + 1; ++list) {
    if (operands[list].kind != OperandKind::vector) continue;
    const bool result = list < target;
    const std::vector<Parameter>* declared = callee == nullptr ? nullptr
                                             : result          ? &callee->results
                                                               : &callee->parameters;
    for (std::uint32_t i = 0; i < operands[list].count; ++i) {
      const bool formal = declared != nullptr && i < declared->size();
      pass(function, call,
           {operands[list].index + i, i, result, formal ? &(*declared)[i] : nullptr}, results);
    }
  }
  return results;
}

void ParseState::pass(Function& function, const Statement& call, const Argument& argument,
                      std::vector<Passed>& results) const {
  const Operand passed = function.operands[argument.index];
  const bool vector = passed.kind == OperandKind::vector;
  const bool numeric = passed.kind == OperandKind::integer || passed.kind == OperandKind::real;
  const bool registers =
      vector || (passed.kind == OperandKind::reg && passed.value == 0 && !passed.negated);
  const bool left_out = argument.result && passed.kind == OperandKind::sink;
  if (!registers && !left_out && (argument.result || !numeric)) return;
  const auto refuse = [&](const std::string& why) { throw PtxError(call.line, why); };
  const Parameter* const formal = argument.formal;
  Type type = formal != nullptr ? formal->type : Type::b64;
  if (numeric && type == Type::pred) refuse("a number is passed for a predicate");
  const std::string_view store = store_of_number(type);
  Variable variable;
  std::uint32_t first = passed.index, elements = 1;
  if (registers) {
    if (vector) {
      elements = passed.count;
      first = elements == 0 ? Operand::kNone : function.operands[passed.index].index;
      if (first == Operand::kNone || function.operands[passed.index].kind != OperandKind::reg)
        refuse("a vector of registers is passed by its name");
    }
    const Register& one = function.registers[first];
    if (formal != nullptr && (!passes(one.type, type) || elements != formal->elements))
      refuse("register '" + std::string(one.name) + "' does not match the parameter's type");
    type = one.type;
    variable.name = one.name;
  } else {
    variable.name = left_out ? "_" : name_of_number(argument.number);
  }
  if (!without_abi_ && is_small(formal != nullptr ? formal->type : type))
    refuse("predicates and integers of 8 and 16 bits are not passed in registers");
  const std::uint32_t bytes = bytes_in_memory(type);
  variable.space = Space::param;
  variable.type = type == Type::pred ? Type::b32 : type;
  variable.bytes = std::uint64_t{bytes} * elements;
  variable.alignment = static_cast<std::uint32_t>(variable.bytes);
  variable.line = call.line;
  function.variables.push_back(variable);
  Operand& operand = function.operands[argument.index];
  operand = {};
  operand.kind = OperandKind::name;
  operand.text = variable.name;
  Statement always = call;
  always.guard = Operand::kNone;
  if (numeric) return add_access(function, always, store, passed, variable.name, 0);
  for (std::uint32_t i = 0; registers && i < elements; ++i) {
    if (argument.result)
      results.push_back({first + i, variable.name, i * bytes});
    else
      add_write(function, always, first + i, variable.name, i * bytes);
  }
}

void ParseState::read_results(Function& function, const Statement& call,
                              const std::vector<Passed>& results) {
  for (const Passed& one : results) add_read(function, call, one.reg, one.name, one.offset);
}

}  // namespace warpmark::cpu
