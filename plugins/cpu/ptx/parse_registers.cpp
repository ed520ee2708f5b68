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

// Whether a value of type `from` may be passed as one of `to`: bits may be anything of their size.
bool passes(Type from, Type to) {
  const auto kind = [](Type type) {
    switch (type) {
      case Type::f32:
      case Type::f64:
        return 'f';
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

// `opcode value, [name]`, or the other way round of a store, in the place of `at`.
void ParseState::add_access(Function& function, const Statement& at, std::string_view opcode,
                            Operand value, std::string_view name) {
  Operand base;
  base.kind = OperandKind::name;
  base.text = name;
  Operand address;
  address.kind = OperandKind::address;
  address.index = static_cast<std::uint32_t>(function.operands.size());
  function.operands.push_back(base);
  Statement access = at;
  access.opcode = opcode;
  access.operands = 2;
  access.first_operand = static_cast<std::uint32_t>(function.operands.size());
  const bool store = opcode.starts_with("st.");
  function.operands.push_back(store ? address : value);
  function.operands.push_back(store ? value : address);
  function.statements.push_back(access);
}

// Declares the registers that are parameters and results, and reads the former.
void ParseState::read_parameters(Function& function, Scopes& scopes) {
  for (const std::vector<Parameter>* list : {&function.parameters, &function.results}) {
    for (const Parameter& parameter : *list) {
      if (!parameter.in_register) continue;
      scopes.declare(parameter.name, parameter.type, false, 1, function.line);
      if (list == &function.results) continue;
      Operand value;
      value.kind = OperandKind::reg;
      value.text = parameter.name;
      value.index = scopes.find(parameter.name);
      Statement at;
      at.line = function.line;
      add_access(function, at, load_of(parameter.type), value, parameter.name);
    }
  }
}

// Before a return: results are written whether a guard lets it return or not, as nobody reads them
// else.
void ParseState::write_results(Function& function, Scopes& scopes, const Statement& at) {
  for (const Parameter& result : function.results) {
    if (!result.in_register) continue;
    Operand value;
    value.kind = OperandKind::reg;
    value.text = result.name;
    value.index = scopes.find_outermost(result.name);
    Statement always = at;
    always.guard = Operand::kNone;
    add_access(function, always, store_of(result.type), value, result.name);
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
    for (std::uint32_t i = 0; i < operands[list].count; ++i) {
      const std::uint32_t index = operands[list].index + i;
      const Operand passed = function.operands[index];
      const std::vector<Parameter>* declared = callee == nullptr ? nullptr
                                               : result          ? &callee->results
                                                                 : &callee->parameters;
      const bool typed = declared != nullptr && i < declared->size();
      Type type = typed ? (*declared)[i].type : Type::b64;
      const Type wanted = type;
      std::string_view store = store_of_number(type);
      Variable variable;
      if (passed.kind == OperandKind::reg && passed.value == 0 && !passed.negated) {
        type = function.registers[passed.index].type;
        if (typed && !passes(type, wanted))
          throw PtxError(call.line, "register '" + std::string(passed.text) +
                                        "' does not match the parameter's type");
        store = store_of(type);
        variable.name = passed.text;
      } else if (result && passed.kind == OperandKind::sink) {
        variable.name = "_";
      } else if (!result &&
                 (passed.kind == OperandKind::integer || passed.kind == OperandKind::real)) {
        variable.name = name_of_number(i);
      } else {
        continue;
      }
      if (type == Type::pred || bytes_of(type) == 2)
        throw PtxError(call.line, "predicates and 16 bits are not passed in registers");
      variable.space = Space::param;
      variable.type = type;
      variable.bytes = bytes_of(type);
      variable.alignment = bytes_of(type);
      variable.line = call.line;
      function.variables.push_back(variable);
      Operand& operand = function.operands[index];
      operand = {};
      operand.kind = OperandKind::name;
      operand.text = variable.name;
      Statement always = call;
      always.guard = Operand::kNone;
      if (!result) {
        add_access(function, always, store, passed, variable.name);
      } else if (passed.kind == OperandKind::reg) {
        results.push_back({passed.index, variable.name, load_of(type)});
      }
    }
  }
  return results;
}

void ParseState::read_results(Function& function, const Statement& call,
                              const std::vector<Passed>& results) {
  for (const Passed& one : results) {
    Operand value;
    value.kind = OperandKind::reg;
    value.text = one.name;
    value.index = one.reg;
    add_access(function, call, one.opcode, value, one.name);
  }
}

}  // namespace warpmark::cpu
