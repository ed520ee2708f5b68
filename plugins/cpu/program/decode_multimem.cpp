// Decoding of accesses to the memory of several devices at one address.
#include <cstdint>
#include <vector>

#include "program/async_forms.hpp"
#include "program/decoder.hpp"
#include "program/memory_words.hpp"

namespace warpmark::cpu {
namespace {

bool is_half(Type type) {
  return type == Type::f16 || type == Type::bf16;
}

// PTX ISA, multimem: whole numbers and binary64 stand alone, and vectors have 16 bytes at most.
bool is_vector(Type type, std::uint32_t elements) {
  if (is_half(type)) return elements > 1;
  if (type == Type::f32 || is_pair(type)) return elements <= 4;
  return elements == 1;
}

// The operations of a type; red has one of two numbers in a register only in vectors.
bool has_operation(Type type, Modifier operation, bool reduces, std::uint32_t elements) {
  const bool sum = operation == Modifier::add,
             extreme = operation == Modifier::min || operation == Modifier::max;
  if (type == Type::b32 || type == Type::b64) return !sum && !extreme;
  if (type == Type::f32 || type == Type::f64) return sum;
  if (type == Type::s64) return extreme;
  if (is_pair(type) && reduces && elements == 1) return sum;
  return sum || extreme;
}

}  // namespace

// multimem.ld_reduce… d, [address]; multimem.st… [address], b; multimem.red… [address], b
void decode_multimem(Emitter& out) {
  const InstructionFacts& facts = out.facts();
  const bool load = facts.has(Modifier::ld_reduce), store = facts.has(Modifier::st);
  const Type type = facts.types.front();
  const Modifier operation = facts.of(WordSet::operation);
  const std::uint32_t elements = vector_elements(facts);
  const bool strong = facts.of(WordSet::scope) != Modifier::none;
  if (strong && facts.has(Modifier::weak)) out.invalid("a weak access has no scope");
  if (!is_vector(type, elements)) out.invalid("there is no such vector of this type");
  if (!store && !has_operation(type, operation, !load, elements))
    out.invalid("this type has no such operation");
  MultimemForm form;
  form.bytes = static_cast<std::uint8_t>(bytes_of(type));
  if (facts.has(Modifier::acc_f32)) {
    if (operation != Modifier::add || (!is_half(type) && !is_pair(type)))
      out.invalid("only sums of 16-bit numbers are made in binary32");
    form.f16 = type == Type::f16 || type == Type::f16x2;
    form.bf16 = !form.f16;
  }
  if (!store) {
    const Type element = type == Type::f16x2 ? Type::f16 : type == Type::bf16x2 ? Type::bf16 : type;
    form.reduction = reduction_of(out, operation, element);
  }
  out.expect_operands(2);
  Instruction instruction;
  instruction.opcode = load    ? Opcode::multimem_load
                       : store ? Opcode::multimem_store
                               : Opcode::multimem_reduce;
  instruction.count = static_cast<std::uint8_t>(elements);
  instruction.address = address_value(out, out.operand(load ? 1 : 0), space_of(facts));
  std::vector<std::uint32_t> slots;
  const Operand& data = out.operand(load ? 0 : 1);
  if ((data.kind == OperandKind::vector) != (elements > 1))
    out.invalid("the number of registers does not match the vector");
  const Type plain = is_half(type) ? Type::b16 : is_pair(type) ? Type::b32 : type;
  for (std::uint32_t i = 0; i < elements; ++i) {
    const Operand& one = elements > 1 ? out.part(data, i) : data;
    slots.push_back(load ? out.destination(one, plain) : out.source(one, plain));
  }
  const MemoryWords words = memory_words(facts);
  instruction.order = words.order;
  if (!load && !store) instruction.order |= Instruction::kStrong;
  instruction.cluster_scope = words.cluster_scope;
  out.polls = out.polls || (load && words.polls);
  instruction.set_form(form);
  instruction.more = out.more(slots);
  out.program.ordered = true;  // of real numbers, for all that is known here
  out.program.note_access(Space::global, 2);
  out.emit(instruction);
}

}  // namespace warpmark::cpu
