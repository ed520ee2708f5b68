// Decoding of warpgroup matrix products: wgmma and setmaxnreg.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "program/decoder.hpp"
#include "program/wgmma.hpp"

namespace warpmark::cpu {
namespace {

bool is_integer(Element element) {
  return element == Element::s8 || element == Element::u8;
}

bool is_small_real(Element element) {
  return element == Element::e4m3 || element == Element::e5m2;
}

// PTX ISA, "Asynchronous Warpgroup Level Matrix Shape" and the table of its types.
bool go_together(Element d, Element a, Element b, bool sparse) {
  if (is_integer(a)) return is_integer(b) && d == Element::s32;
  if (is_small_real(a)) return is_small_real(b) && (d == Element::f16 || d == Element::f32);
  if (a != b) return false;
  switch (a) {
    case Element::f16:
      return d == Element::f16 || d == Element::f32;
    case Element::bf16:
    case Element::tf32:
      return d == Element::f32;
    case Element::b1:
      return d == Element::s32 && !sparse;
    default:
      return false;
  }
}

// For integers and bits, n is a multiple of 16 from 32 on, and may be 8 and 24.
bool has_columns(const WgmmaForm& form, std::uint32_t n) {
  if (n < 8 || n > 256 || n % 8 != 0) return false;
  return form.d != Element::s32 || n % 16 == 0 || n < 32;
}

// The value of an operand that must be one of two numbers.
bool second_of(const Emitter& out, std::size_t index, std::int64_t first, std::int64_t second) {
  const Operand& number = out.operand(index);
  if (number.kind != OperandKind::integer || (number.value != first && number.value != second)) {
    out.invalid("operand " + std::to_string(index + 1) + " needs to be " + std::to_string(first) +
                " or " + std::to_string(second));
  }
  return number.value == second;
}

// The registers { … } of a matrix, each of which is written or may be.
void matrix_registers(Emitter& out, std::size_t index, Type type, std::uint32_t count,
                      std::vector<std::uint32_t>& into) {
  const Operand& list = out.operand(index);
  for (std::uint32_t i = 0; list.kind == OperandKind::vector && i < list.count; ++i) {
    if (out.part(list, i).kind != OperandKind::reg) out.invalid("a matrix is made of registers");
  }
  fragment(out, index, type, count, false, into);
}

// wgmma.mma_async{.sp} d, a, b{, metadata, selector}, scale-d{, imm-scale-a, imm-scale-b{,
// imm-trans-a}{, imm-trans-b}}
void warpgroup_product(Emitter& out) {
  const InstructionFacts& facts = out.facts();
  const std::vector<Element> types = elements_of(facts);  // of d, a and b
  const auto [m, n, k] = facts.shape();
  if (types.size() != 3) out.invalid("these types do not go together");
  WgmmaForm form;
  form.d = types[0];
  form.a = types[1];
  form.b = types[2];
  form.sparse = facts.has(Modifier::sp);
  form.saturate = facts.has(Modifier::satfinite);
  if (!go_together(form.d, form.a, form.b, form.sparse))
    out.invalid("these types do not go together");
  if (m != WgmmaForm::kRows || k != form.k() || !has_columns(form, n))
    out.invalid("there is no such shape for these types");
  form.n8 = static_cast<std::uint8_t>(n / 8);
  const bool bits = form.a == Element::b1, integers = is_integer(form.a);
  if (form.saturate && !integers) out.invalid("only sums of integers saturate");
  if (bits != facts.has(Modifier::popc)) out.invalid("single bits, and only they, need .and.popc");

  const bool halves = form.a == Element::f16 || form.a == Element::bf16;
  form.a_registers = out.operands() > 1 && out.operand(1).kind == OperandKind::vector;
  const std::size_t scale = form.sparse ? 5 : 3;
  const std::size_t transposes = !halves ? 0u : form.a_registers ? 1u : 2u;
  const std::size_t operands = scale + 1 + (bits || integers ? 0u : 2u) + transposes;
  out.expect_operands(operands);
  if (!bits && !integers) {
    form.a_negated = second_of(out, scale + 1, 1, -1);
    form.b_negated = second_of(out, scale + 2, 1, -1);
  }
  if (transposes == 2) form.a_transposed = second_of(out, scale + 3, 0, 1);
  if (transposes > 0) form.b_transposed = second_of(out, operands - 1, 0, 1);

  Instruction instruction;
  std::vector<std::uint32_t> slots;
  const Type sum = form.d == Element::f32   ? Type::f32
                   : form.d == Element::s32 ? Type::s32
                                            : Type::b32;
  matrix_registers(out, 0, sum, form.registers(), slots);
  slots.insert(slots.end(), slots.begin(), slots.begin() + form.registers());
  if (form.a_registers)
    matrix_registers(out, 1, Type::b32, WgmmaForm::kRegistersOfA, slots);
  else
    instruction.a = out.source(1, Type::u64);
  instruction.b = out.source(2, Type::u64);
  if (form.sparse) {
    out.check_is_register(3);
    instruction.e = out.source(3, Type::u32);
    const bool pairs = bits_of(form.a) > 8;  // of narrower elements all four threads give some
    form.selector = second_of(out, 4, 0, pairs ? 1 : 0) && pairs;
  }
  const Operand& accumulates = out.operand(scale);
  if (accumulates.kind == OperandKind::integer) {
    form.accumulates = second_of(out, scale, 0, 1);
  } else {
    instruction.c = out.predicate(accumulates);
    instruction.negated = accumulates.negated;
  }
  instruction.opcode = Opcode::matrix_group_multiply;
  instruction.set_form(form);
  instruction.more = out.more(slots);
  out.emit(instruction);
}

}  // namespace

// wgmma.fence, wgmma.commit_group, wgmma.wait_group N, setmaxnreg
void decode_warpgroup(Emitter& out) {
  const InstructionFacts& facts = out.facts();
  out.program.multiplies_in_groups = true;
  if (facts.has(Modifier::mma_async)) return warpgroup_product(out);
  Instruction instruction;
  if (facts.mnemonic == Mnemonic::setmaxnreg) {
    constexpr std::int64_t kLeast = 24, kMost = 256, kStep = 8;
    out.expect_operands(1);
    const Operand& count = out.operand(0);
    if (count.kind != OperandKind::integer || count.value < kLeast || count.value > kMost ||
        count.value % kStep != 0)
      out.invalid("needs a multiple of 8 from 24 to 256");
    instruction.opcode = Opcode::matrix_set_registers;
    instruction.imm = count.value;
    instruction.negated = facts.has(Modifier::dec);
  } else if (facts.has(Modifier::wait_group)) {
    out.expect_operands(1);
    const Operand& groups = out.operand(0);
    if (groups.kind != OperandKind::integer || groups.value < 0)
      out.invalid("needs a number of groups, 0 or more");
    instruction.opcode = Opcode::matrix_group_wait;
    instruction.imm = std::min<std::int64_t>(groups.value, 0xffffffff);
  } else {
    out.expect_operands(0);
    instruction.opcode = facts.has(Modifier::commit_group) ? Opcode::matrix_group_commit
                                                           : Opcode::matrix_group_fence;
  }
  out.emit(instruction);
}

}  // namespace warpmark::cpu
