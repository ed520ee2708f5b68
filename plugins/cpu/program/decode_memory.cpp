// Loads and stores.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "program/decoder.hpp"
#include "program/memory_words.hpp"

namespace warpmark::cpu {
namespace {

struct AccessRow {
  std::string_view memory;
  std::uint32_t bits;
  Opcode opcode;
  Space space;
  bool store;
};

constexpr AccessRow kAccesses[] = {
#define ACCESS_LOAD(space, memory, bits) \
  {#memory, bits, Opcode::load_##space##_##memory##_##bits, Space::space, false},
#define ACCESS_STORE(space, memory, bits) \
  {#memory, bits, Opcode::store_##space##_##memory##_##bits, Space::space, true},
#include "program/memory_ops.def"
};

bool takes_narrow_addresses(const InstructionFacts& facts) {
  switch (facts.family) {
    case Family::async_copy:
    case Family::async_store:
    case Family::bulk_copy:
    case Family::bulk_store:
    case Family::fence:
    case Family::policy:
    case Family::tensormap:
      return true;
    default:
      return facts.has(Modifier::tensormap);
  }
}

std::optional<Opcode> find_access(Space space, Type type, std::uint32_t bits, bool store) {
  const std::uint32_t bytes = type == Type::b128 ? 8 : bytes_of(type);
  const bool sign =
      !store && (type == Type::s8 || type == Type::s16 || (type == Type::s32 && bits == 64));
  const std::string memory = (sign ? "s" : "u") + std::to_string(bytes * 8);
  for (const AccessRow& row : kAccesses) {
    if (row.store == store && row.bits == bits && row.space == space && row.memory == memory)
      return row.opcode;
  }
  return std::nullopt;
}

/// The registers or constants that a load or store moves.
struct AccessData {
  Type type;   ///< of an element, as the opcode has it
  Type plain;  ///< as its operands are checked
  bool store;
  std::uint32_t bits = 32;  ///< of the registers: all lanes of one access are equally wide
  std::vector<const Operand*> elements;
  std::vector<std::uint32_t> slots;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> narrow;  ///< stand-in, register

  [[nodiscard]] bool is_vector() const { return elements.size() > 1; }
  /// A 128-bit element is two of 64.
  [[nodiscard]] bool is_128() const { return type == Type::b128; }
  [[nodiscard]] std::uint32_t bytes() const { return is_128() ? 8 : bytes_of(type); }
};

// Checks the size of a vector access against the limits of PTX.
void check_vector_access(const Emitter& out, const MemoryWords& words) {
  const std::uint32_t bytes = bytes_of(words.type), all = bytes * words.count;
  if (all > 16) {
    const bool global = words.space == Space::global || words.space == Space::generic;
    if (all > 32 || bytes == 16 || !global || out.module.architecture < 100)
      out.invalid("a vector access has at most 16 bytes, of global memory on sm_100 32");
    if (out.module.version < 88) out.invalid("needs .version 8.8");
  }
  const std::vector<WordSet>& sets = out.facts().sets;
  if (std::ranges::find(sets, WordSet::evict2) != sets.end() && all != 32)
    out.invalid("eviction from L2 needs a vector of 32 bytes");
  if (out.facts().has(Modifier::async) &&
      (bytes == 16 || out.operand(1).kind == OperandKind::vector))
    out.invalid("an asynchronous store is of one register of 64 bits at most");
  if (words.count == 8 && bytes != 4) out.invalid(".v8 is a vector of 32-bit types");
}

// A register narrower than the access's has a stand-in.
void add_register(Emitter& out, const Operand& element, AccessData& access) {
  const auto is_real = [](Type type) { return type == Type::f32 || type == Type::f64; };
  // Bits may be of a wider register, a floating-point number is of its size.
  const Type own = out.type_of(element);
  out.check_register(element, is_real(own) && is_real(access.type) ? access.type : access.plain,
                     true);
  const std::uint32_t slot = out.register_slot(element.index);
  if (access.bits == 64 && bytes_of(own) < 8) {
    access.slots.push_back(out.allocate(true));
    access.narrow.emplace_back(access.slots.back(), slot);
  } else {
    access.slots.push_back(slot);
  }
  if (access.is_128()) access.slots.push_back(slot + kWideSlot);
}

void add_element(Emitter& out, const Operand& element, AccessData& access) {
  const bool wide = access.bits == 64;
  if (element.kind == OperandKind::reg && element.value == 0 && !element.negated)
    return add_register(out, element, access);
  if (!access.store && access.is_vector() && element.kind == OperandKind::sink) {
    access.slots.insert(access.slots.end(), access.is_128() ? 2 : 1, Instruction::kNone);
    return;
  }
  if (!access.store) out.invalid("expected a register");
  if (element.kind == OperandKind::integer && is_constant(element, access.plain)) {
    access.slots.push_back(out.constant(static_cast<std::uint64_t>(element.value), wide));
  } else if (element.kind == OperandKind::real &&
             (is_constant(element, access.type) || is_constant(element, access.plain))) {
    access.slots.push_back(out.constant(real_bits(element, access.bytes()), wide));
  } else if (access.is_vector() && element.kind == OperandKind::name &&
             bits_type(access.bytes()) == (wide ? Type::b64 : Type::b32)) {
    access.slots.push_back(out.named(element, bits_type(access.bytes())));
  } else {
    out.invalid("expected a register");
  }
}

AccessData access_data(Emitter& out, const MemoryWords& words, bool store) {
  const Operand& data = out.operand(store ? 1 : 0);
  const bool braces = data.kind == OperandKind::vector;  // they may stand around one register, too
  if (braces ? data.count != words.count : words.count > 1)
    out.invalid("the number of registers does not match the vector");
  if (braces) out.check_vector(data, words.type);
  AccessData access{words.type, words.type, store, 32, {}, {}, {}};
  if (braces) access.plain = bits_type(bytes_of(words.type));  // the class of all is checked
  for (std::uint32_t i = 0; i < words.count; ++i)
    access.elements.push_back(braces ? &out.part(data, i) : &data);
  if (access.bytes() == 8) access.bits = 64;
  std::uint32_t width = 0;
  for (const Operand* element : access.elements) {
    if (element->kind != OperandKind::reg) continue;
    const std::uint32_t own = bytes_of(out.type_of(*element));
    if (own == 8) access.bits = 64;
    if (const std::uint32_t before = std::exchange(width, own); before != 0 && before != own)
      out.invalid("the registers of a vector have one size");
  }
  for (const Operand* element : access.elements) add_element(out, *element, access);
  return access;
}

}  // namespace

std::uint32_t address(Emitter& out, const Operand& operand, Space& space, Instruction& instruction,
                      bool constants) {
  if (operand.kind != OperandKind::address || operand.count != 0)
    out.invalid("expected an address in [ ]");
  instruction.imm = operand.value;
  if (operand.index == Operand::kNone) {
    if (space != Space::local) out.invalid("only local addresses can be numbers");
    return out.constant(0, true);
  }
  const Operand& base = out.part(operand, 0);
  if (base.kind == OperandKind::reg) {
    const Type type = out.type_of(base);
    const std::uint32_t bytes = bytes_of(type);
    if (bytes < 4 || !is_integer(type) || base.negated)
      out.invalid("an address needs a 32- or 64-bit integer register");
    if (bytes == 4 && (space == Space::global || space == Space::generic)) {
      // ptxas takes them in newer instructions, for which it does not say what they mean.
      const std::string why = "a global address needs a 64-bit register";
      takes_narrow_addresses(out.facts()) ? out.refuse(why) : out.invalid(why);
    }
    if (space == Space::param && !out.in_kernel()) space = Space::local;
    instruction.address_narrow = bytes == 4;
    return out.register_slot(base.index);
  }
  const auto placed = out.variables.find(base.text);
  if (placed != out.variables.end()) {
    std::uint64_t offset = placed->second.offset;
    if (placed->second.parameter != (space == Space::param))
      out.invalid("'" + std::string(base.text) + "' lies in another state space");
    if (space == Space::generic) {
      // The name stands for an offset in its space, which as a generic address is what cvta makes.
      space = placed->second.space;
    }
    if (space == Space::param) space = placed->second.space;  // a call's or a function's: local
    if (placed->second.space != space)
      out.invalid("'" + std::string(base.text) + "' lies in another state space");
    if (space == Space::local && !out.in_kernel()) {
      instruction.imm += static_cast<std::int64_t>(offset);
      return out.program.callees[out.callee].frame_slot;
    }
    instruction.one_address = true;
    return out.address_of(placed->second.object, offset, true);
  }
  const std::uint64_t variable = out.variable_address(base.text);
  if (variable == 0) out.invalid("'" + std::string(base.text) + "' is not declared");
  // The caller says by `constants` that it means .const memory, which is a part of global memory
  // here.
  if ((space != Space::global && space != Space::generic) ||
      is_constant_variable(out, base.text) != constants) {
    out.invalid("'" + std::string(base.text) + "' lies in another state space");
  }
  instruction.one_address = true;
  return out.address_of(out.global_object(base.text, variable), variable, true);
}

std::optional<Space> space_of_name(const Emitter& out, const Operand& address) {
  if (address.kind != OperandKind::address || address.index == Operand::kNone) return std::nullopt;
  const Operand& base = out.part(address, 0);
  if (base.kind != OperandKind::name) return std::nullopt;
  const auto placed = out.variables.find(base.text);
  return placed != out.variables.end() ? placed->second.space : Space::global;
}

void decode_memory(Emitter& out) {
  const Mnemonic mnemonic = out.facts().mnemonic;
  const bool store = mnemonic == Mnemonic::st, uniform = mnemonic == Mnemonic::ldu;
  const MemoryWords words = memory_words(out.facts());
  Space space = words.space;
  out.polls = out.polls || (!store && words.polls);
  check_vector_access(out, words);
  const bool constants = space == Space::constant;
  if (store && constants) out.invalid("constant memory cannot be written");
  out.expect_operands(words.hint ? 3 : 2);
  if (words.hint) out.source(2, Type::u64);
  const std::uint32_t bytes = words.type == Type::b128 ? 8 : bytes_of(words.type);
  Instruction instruction;
  instruction.count = static_cast<std::uint8_t>(bytes_of(words.type) / bytes * words.count);
  instruction.cost = static_cast<std::uint8_t>(bytes_of(words.type) * words.count);
  instruction.counter = bytes_counter(space, store ? Traffic::store : Traffic::load);
  instruction.order = words.order | (uniform ? Instruction::kReadOnly : 0);
  instruction.cluster_scope = words.cluster_scope;
  instruction.past_l1 = words.past_l1;
  if (space != Space::local && space != Space::param) out.program.note_access(space, bytes);
  if (constants) space = Space::global;  // where .const variables are placed
  instruction.address = address(out, out.operand(store ? 0 : 1), space, instruction, constants);
  if (store && space == Space::param) out.invalid("a kernel's parameters cannot be written");
  const AccessData data = access_data(out, words, store);
  std::uint32_t* places[4] = {&instruction.d, &instruction.a, &instruction.b, &instruction.c};
  for (std::size_t i = 0; i < data.slots.size() && i < 4; ++i) *places[i] = data.slots[i];
  if (data.slots.size() > 4)
    instruction.more = out.more({data.slots.begin() + 4, data.slots.end()});
  const std::optional<Opcode> opcode = find_access(space, words.type, data.bits, store);
  if (!opcode) out.refuse_opcode();
  instruction.opcode = *opcode;
  instruction.site = out.program.sites++;
  for (const auto& [wide, slot] : data.narrow)
    if (store) out.emit(Opcode::cvt_u64_u32, wide, slot);
  out.emit(instruction);
  for (const auto& [wide, slot] : data.narrow)
    if (!store) out.emit(Opcode::cvt_u32_u64, slot, wide);
}

}  // namespace warpmark::cpu
