// Variables of a kernel and the decoding of its loads and stores.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "program/decoder.hpp"
#include "program/memory_words.hpp"
#include "ptx/error.hpp"

namespace warpmark::cpu {
namespace {

constexpr std::uint64_t kMostShared = std::uint64_t{48} << 10;  // static, of a block: ptxas
constexpr std::uint64_t kMostLocal = std::uint64_t{512} << 10;  // of a thread, CUDA's limit

struct Access {
  std::string_view space, memory;
  int bits;
  bool store;
  Opcode opcode;
};

constexpr Access kAccesses[] = {
#define ACCESS_LOAD(space, memory, bits) \
  {#space, #memory, bits, false, Opcode::load_##space##_##memory##_##bits},
#define ACCESS_STORE(space, memory, bits) \
  {#space, #memory, bits, true, Opcode::store_##space##_##memory##_##bits},
#include "program/memory_ops.def"
};

}  // namespace

void Decoder::place_variables() {
  const auto align = [](std::uint64_t value, std::uint64_t to) {
    return (value + to - 1) / to * to;
  };
  std::uint64_t local = 0;
  const auto place_local = [&](std::uint64_t bytes, std::uint64_t alignment, std::uint32_t line) {
    const std::uint64_t offset = align(local, alignment);
    local = offset + bytes;
    if (local > kMostLocal) {
      throw PtxError(line, "'" + std::string(function_.name) + "' has more than " +
                               std::to_string(kMostLocal) + " bytes of local memory per thread");
    }
    return offset;
  };
  const auto place = [&](const Variable& variable) {
    if (variable.space == Space::shared) {
      if (variable.external || variable.bytes == 0) {
        dynamic_.push_back(variable.name);
        shared_.dynamic_alignment =
            std::max<std::uint64_t>(shared_.dynamic_alignment, variable.alignment);
        return;
      }
      std::uint64_t& shared = shared_.shared_bytes;
      shared = align(shared, variable.alignment);
      variables_[variable.name] = {
          Space::shared, shared,
          object({Object::Kind::shared, variable.name, shared, variable.bytes})};
      shared += variable.bytes;
      if (shared > kMostShared && shared_.of_kernel) {
        throw PtxError(variable.line, "kernel '" + std::string(program_.name) + "' has " +
                                          std::to_string(shared) +
                                          " bytes of static shared memory; a block has " +
                                          std::to_string(kMostShared));
      }
    } else if (variable.space == Space::local) {
      variables_[variable.name] = {
          Space::local, place_local(variable.bytes, variable.alignment, variable.line), 0};
    }
  };
  // A function's parameters and results lie in its frame, a kernel's in the launch's buffer.
  for (const Parameter& parameter : function_.parameters) {
    if (callee_ == Instruction::kNone) {
      variables_[parameter.name] = {Space::param, parameter.offset, 0, true};
      continue;
    }
    const std::uint64_t at = place_local(parameter.bytes, parameter.alignment, function_.line);
    variables_[parameter.name] = {Space::local, at, 0, true};
    program_.callees[callee_].parameters.push_back(
        {static_cast<std::uint32_t>(at), parameter.bytes});
  }
  for (const Parameter& result : function_.results) {
    if (callee_ == Instruction::kNone) break;
    const std::uint64_t at = place_local(result.bytes, result.alignment, function_.line);
    variables_[result.name] = {Space::local, at, 0, true};
    program_.callees[callee_].results.push_back({static_cast<std::uint32_t>(at), result.bytes});
  }
  // A module's shared variables belong to a kernel only if it or what it calls names them.
  std::unordered_map<std::string_view, bool> used;
  for (const Operand& operand : function_.operands) {
    if (operand.kind == OperandKind::name) used[operand.text] = true;
  }
  for (const Variable& variable : module_.variables) {
    if (variable.space != Space::shared || !used.contains(variable.name)) continue;
    if (const auto known = shared_.shared.find(variable.name); known != shared_.shared.end()) {
      variables_[variable.name] = known->second;
      continue;
    }
    place(variable);
    if (const auto placed = variables_.find(variable.name); placed != variables_.end())
      shared_.shared[variable.name] = placed->second;
  }
  // The .param variables of call sequences are used one sequence after another, so those of one
  // name share their place; the largest decides.
  std::unordered_map<std::string_view, std::pair<std::uint64_t, std::uint32_t>> sequences;
  for (const Variable& variable : function_.variables) {
    if (variable.space != Space::param) {
      place(variable);
      continue;
    }
    auto& [bytes, alignment] = sequences[variable.name];
    bytes = std::max(bytes, variable.bytes);
    alignment = std::max(alignment, variable.alignment);
  }
  for (const Variable& variable : function_.variables) {
    if (variable.space != Space::param || variables_.contains(variable.name)) continue;
    const auto& [bytes, alignment] = sequences[variable.name];
    variables_[variable.name] = {Space::local, place_local(bytes, alignment, variable.line), 0,
                                 true};
    if (callee_ == Instruction::kNone) {
      program_.call_space.emplace_back(static_cast<std::uint32_t>(variables_[variable.name].offset),
                                       static_cast<std::uint32_t>(bytes));
    }
  }
  const auto rounded = static_cast<std::uint32_t>(align(local, 16));
  if (callee_ == Instruction::kNone) {
    program_.local_bytes = program_.kernel_local_bytes = rounded;
  } else {
    Callee& callee = program_.callees[callee_];
    callee.frame_bytes = std::max(rounded, 16u);
    callee.frame_slot = allocate(true);
    callee.return_slot = allocate(false);
    callee.registers.push_back({callee.frame_slot, 8});
    callee.registers.push_back({callee.return_slot, 4});
  }
}

void Decoder::place_dynamic_shared() {
  for (const std::string_view name : dynamic_) {  // all of them alias one base
    std::uint32_t& all = shared_.dynamic_object;
    if (all == 0) all = object({Object::Kind::dynamic, name, program_.dynamic_offset, 0});
    variables_[name] = {Space::shared, program_.dynamic_offset, all};
  }
}

std::uint32_t Decoder::address(const Statement& statement, const Operand& operand, Space& space,
                               Instruction& instruction, bool constants) {
  if (operand.kind != OperandKind::address) invalid(statement, "expected an address in [ ]");
  instruction.imm = operand.value;
  if (operand.index == Operand::kNone) {
    if (space != Space::local) invalid(statement, "only local addresses can be numbers");
    return constant(0, true);
  }
  const Operand& base = function_.operands[operand.index];
  if (base.kind == OperandKind::reg) {
    const Type type = function_.registers[base.index].type;
    const std::uint32_t bytes = bytes_of(type);
    if (bytes < 4 || bytes > 8 || type == Type::f32 || type == Type::f64 || base.negated)
      invalid(statement, "an address needs a 32- or 64-bit integer register");
    if (bytes == 4 && (space == Space::global || space == Space::generic)) {
      invalid(statement, "a global address needs a 64-bit register");
    }
    if (space == Space::param && callee_ != Instruction::kNone) space = Space::local;
    instruction.address_narrow = bytes == 4;
    return register_slot(base.index);
  }
  const auto placed = variables_.find(base.text);
  if (placed != variables_.end()) {
    std::uint64_t offset = placed->second.offset;
    if (placed->second.parameter != (space == Space::param))
      invalid(statement, "'" + std::string(base.text) + "' lies in another state space");
    if (space == Space::generic) {
      // The name stands for an offset in its space, which as a generic address is what cvta makes.
      space = placed->second.space;
    }
    if (space == Space::param) space = placed->second.space;  // a call's or a function's: local
    if (placed->second.space != space)
      invalid(statement, "'" + std::string(base.text) + "' lies in another state space");
    if (space == Space::local && callee_ != Instruction::kNone) {
      instruction.imm += static_cast<std::int64_t>(offset);
      return program_.callees[callee_].frame_slot;
    }
    return address_of(placed->second.object, offset, true);
  }
  const std::uint64_t variable = variable_address(statement, base.text);
  if (variable == 0) invalid(statement, "'" + std::string(base.text) + "' is not declared");
  // The caller says by `constants` that it means .const memory, which is a part of global memory
  // here.
  if ((space != Space::global && space != Space::generic) ||
      is_constant_variable(base.text) != constants) {
    invalid(statement, "'" + std::string(base.text) + "' lies in another state space");
  }
  return address_of(global_object(base.text, variable), variable, true);
}

// Where the module's variable lies, or 0 if there is none of this name.
std::uint64_t Decoder::variable_address(const Statement& statement, std::string_view name) const {
  const auto found = module_.variable_by_name.find(name);
  if (found != module_.variable_by_name.end() && module_.variables[found->second].image)
    refuse(statement, "a texture or surface by its name is not implemented on this device");
  return placement_.variable ? placement_.variable(name) : 0;
}

bool Decoder::is_constant_variable(std::string_view name) const {
  const auto found = module_.variable_by_name.find(name);
  return found != module_.variable_by_name.end() &&
         module_.variables[found->second].space == Space::constant;
}

bool Decoder::memory(const Statement& statement) {
  const InstructionFacts& facts = *statement.facts;
  const bool store = statement.opcode.starts_with("st."),
             uniform = statement.opcode.starts_with("ldu.");
  const MemoryWords words = memory_words(facts);
  Space space = words.space;
  const Type type = words.type;
  polls_ = polls_ || (!store && words.polls);
  // A 128-bit element is two of 64.
  const bool b128 = type == Type::b128;
  const std::uint32_t bytes = b128 ? 8 : bytes_of(type);
  const std::uint32_t count = words.count * (b128 ? 2 : 1);
  if (bytes * count > 16) {
    const bool global = space == Space::global || space == Space::generic;
    if (bytes * count > 32 || b128 || !global || module_.architecture < 100)
      invalid(statement, "a vector access has at most 16 bytes, of global memory on sm_100 32");
  }
  if (bytes * count > 16 && module_.version < 88) invalid(statement, "needs .version 8.8");
  if ((facts.word("evict2") != "") && bytes * count != 32)
    invalid(statement, "eviction from L2 needs a vector of 32 bytes");
  if (words.count == 8 && bytes != 4) invalid(statement, ".v8 is a vector of 32-bit types");
  if (store && space == Space::constant) invalid(statement, "constant memory cannot be written");
  expect_operands(statement, words.hint ? 3 : 2, words.hint ? 3 : 2);
  if (words.hint) source(statement, 2, Type::u64);
  Instruction instruction;
  instruction.count = static_cast<std::uint8_t>(count);
  instruction.cost = static_cast<std::uint8_t>(bytes * count);
  instruction.counter = bytes_counter(space, store ? Traffic::store : Traffic::load);
  instruction.order = words.order | (uniform ? Instruction::kReadOnly : 0);
  if (space != Space::local && space != Space::param) program_.note_access(space, bytes);
  const bool constants = space == Space::constant;
  if (constants) space = Space::global;  // where .const variables are placed
  instruction.address =
      address(statement, operand(statement, store ? 0 : 1), space, instruction, constants);
  if (store && space == Space::param) invalid(statement, "a kernel's parameters cannot be written");
  const Operand& data = operand(statement, store ? 1 : 0);
  const bool braces = data.kind == OperandKind::vector;  // they may stand around one register, too
  if (braces ? data.count != words.count : words.count > 1)
    invalid(statement, "the number of registers does not match the vector");
  if (braces) check_vector(statement, data, type);
  const Type plain = braces ? bits_type(bytes_of(type)) : type;  // the class of all is checked
  // All lanes of one access are as wide as its widest register; narrower ones are stand-ins.
  int bits = bytes == 8 ? 64 : 32;
  std::uint32_t width = 0;
  for (std::uint32_t i = 0; i < words.count; ++i) {
    const Operand& element = braces ? function_.operands[data.index + i] : data;
    if (element.kind != OperandKind::reg) continue;
    const std::uint32_t own = bytes_of(function_.registers[element.index].type);
    if (own == 8) bits = 64;
    if (const std::uint32_t before = std::exchange(width, own); before != 0 && before != own)
      invalid(statement, "the registers of a vector have one size");
  }
  std::vector<std::uint32_t> slots;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> narrow;  ///< stand-in, register
  for (std::uint32_t i = 0; i < words.count; ++i) {
    const Operand& element = braces ? function_.operands[data.index + i] : data;
    if (element.kind == OperandKind::reg && element.value == 0 && !element.negated) {
      // Bits may be of a wider register, a floating-point number is of its size.
      const Type own = function_.registers[element.index].type;
      const bool real = own == Type::f32 || own == Type::f64;
      check_register(statement, element,
                     real && (type == Type::f32 || type == Type::f64) ? type : plain, true);
      const std::uint32_t slot = register_slot(element.index);
      const bool short_one = bits == 64 && bytes_of(function_.registers[element.index].type) < 8;
      slots.push_back(short_one ? allocate(true) : slot);
      if (short_one) narrow.emplace_back(slots.back(), slot);
      if (b128) slots.push_back(slot + kWideSlot);
    } else if (store && element.kind == OperandKind::integer && is_constant(element, plain)) {
      slots.push_back(constant(static_cast<std::uint64_t>(element.value), bits == 64));
    } else if (store && element.kind == OperandKind::real &&
               (is_constant(element, type) || is_constant(element, plain))) {
      slots.push_back(constant(real_bits(element, bytes), bits == 64));
    } else if (store && words.count > 1 && element.kind == OperandKind::name &&
               bits_type(bytes) == (bits == 64 ? Type::b64 : Type::b32)) {
      slots.push_back(named(statement, element, bits_type(bytes)));
    } else if (!store && words.count > 1 && element.kind == OperandKind::sink) {
      slots.push_back(Instruction::kNone);
      if (b128) slots.push_back(Instruction::kNone);
    } else {
      invalid(statement, "expected a register");
    }
  }
  std::uint32_t* places[4] = {&instruction.d, &instruction.a, &instruction.b, &instruction.c};
  for (std::size_t i = 0; i < slots.size() && i < 4; ++i) *places[i] = slots[i];
  if (slots.size() > 4) instruction.more = more({slots.begin() + 4, slots.end()});
  if (store) {
    for (const auto& [wide, slot] : narrow) emit_plain(statement, Opcode::cvt_u64_u32, wide, slot);
  }
  const bool sign =
      !store && (type == Type::s8 || type == Type::s16 || (type == Type::s32 && bits == 64));
  const std::string memory_type = (sign ? "s" : "u") + std::to_string(bytes * 8);
  const std::string_view space_name = space == Space::global   ? "global"
                                      : space == Space::shared ? "shared"
                                      : space == Space::local  ? "local"
                                      : space == Space::param  ? "param"
                                                               : "generic";
  for (const Access& access : kAccesses) {
    if (access.store == store && access.bits == bits && access.space == space_name &&
        access.memory == memory_type) {
      instruction.opcode = access.opcode;
      instruction.site = program_.sites++;
      emit(statement, instruction);
      if (!store) {
        for (const auto& [wide, slot] : narrow)
          emit_plain(statement, Opcode::cvt_u32_u64, slot, wide);
      }
      return true;
    }
  }
  return false;
}

}  // namespace warpmark::cpu
