// Decoding of bulk copies, bulk reductions, and stores and reductions that complete on an mbarrier.
#include <cstdint>
#include <vector>

#include "program/async_forms.hpp"
#include "program/decoder.hpp"
#include "program/memory_words.hpp"

namespace warpmark::cpu {
namespace {

// The upper bounds of constant sizes, as in ptxas's messages.
constexpr std::int64_t kMostBulkBytes = 1048560, kMostFilledBytes = 1 << 24;

// The operation of a cp.reduce.async.bulk, as an atomic one.
Opcode bulk_reduction(Emitter& out, bool to_global) {
  const InstructionFacts& facts = out.facts();
  const Type type = facts.types.front();
  const Modifier operation = facts.of(WordSet::operation);
  const bool small = type == Type::f16 || type == Type::bf16,
             real = type == Type::f32 || type == Type::f64;
  const bool sum = operation == Modifier::add;
  const bool noftz = facts.has(Modifier::noftz), single = type == Type::f32 && sum;
  if (noftz != (small && sum) && !(noftz && single))
    out.invalid("sums of 16-bit numbers need .noftz, and only sums of real numbers have it");
  const bool wide =
      type == Type::b64 || type == Type::s64 || small || real || (type == Type::u64 && !sum);
  if ((sum && type == Type::s64) || (wide && !to_global) || (real && !sum))
    out.invalid("there is no such reduction");
  // A sum of real numbers depends on the order.
  if (to_global && sum && (small || real)) out.program.ordered = true;
  out.program.note_access(to_global ? Space::global : Space::shared, small ? 2 : 4);
  // Sums of binary32 keep subnormal numbers: ptxas makes the same code of .f32 and of .noftz.f32.
  return reduction_of(out, operation, type, single);
}

std::uint32_t ignored_bytes(Emitter& out, std::size_t index) {
  const Operand& bytes = out.operand(index);
  if (bytes.kind == OperandKind::integer && (bytes.value < 0 || bytes.value > 15))
    out.invalid("0 to 15 bytes at either end are left out");
  return out.source(bytes, Type::u32);
}

std::uint32_t bulk_size(Emitter& out, const Operand& size) {
  // ptxas takes the low 32 bits as a signed number, of a prefetch all.
  const std::int64_t bytes =
      out.facts().has(Modifier::prefetch) ? size.value : static_cast<std::int32_t>(size.value);
  if (size.kind == OperandKind::integer && (bytes % 16 != 0 || bytes < 0 || bytes > kMostBulkBytes))
    out.invalid("the size is a multiple of 16, and at most 1048560");
  return out.source(size, Type::u32);
}

// cp.async.bulk.prefetch.L2.global{.L2::cache_hint} [from], bytes{, cache policy}
void bulk_prefetch(Emitter& out) {
  const bool hint = out.facts().has(Modifier::L2_cache_hint);
  out.expect_operands(hint ? 3 : 2);
  Instruction instruction;
  instruction.opcode = Opcode::prefetch_bulk;
  instruction.address = address_value(out, out.operand(0), Space::global);
  instruction.b = bulk_size(out, out.operand(1));
  if (hint) out.source(2, Type::u64);
  out.emit(instruction);
}

}  // namespace

Opcode reduction_of(const Emitter& out, Modifier operation, Type type, bool noftz) {
  // Sums of two's complement are the same with a sign and without.
  if (operation == Modifier::add && type == Type::s64) type = Type::u64;
  const bool small = type == Type::f16 || type == Type::bf16;
  const bool extreme = operation == Modifier::min || operation == Modifier::max;
  const OpcodeInfo* info = find_atomic(operation, type, small && extreme, noftz);
  if (info == nullptr) out.invalid("there is no such reduction");
  return info->opcode;
}

// cp.async.bulk.TO.FROM.{mbarrier::complete_tx::bytes | bulk_group} [to], [from], bytes, [mbarrier]
// {, mask}{, cache policy}, and cp.reduce.async.bulk with an operation and a type; multimem.cp… of the
// same operands. With .ignore_oob the bytes at either end that are left out follow the size.
void decode_bulk_copy(Emitter& out) {
  const InstructionFacts& facts = out.facts();
  const bool reduces = facts.has(Modifier::reduce);
  if (facts.has(Modifier::tensor)) return tensor_copy(out, reduces);
  if (facts.has(Modifier::prefetch)) return bulk_prefetch(out);
  const bool on_barrier = facts.has(Modifier::mbarrier_complete_tx_bytes);
  const bool to_global = facts.has(Modifier::bulk_group),
             from_global = !to_global && facts.has(Modifier::global);
  const bool hint = facts.has(Modifier::L2_cache_hint),
             multicast = facts.has(Modifier::multicast_cluster);
  Instruction instruction;
  instruction.opcode = Opcode::copy_bulk;
  BulkForm form;
  if (from_global) form.from = Space::global;
  if (to_global) form.to = Space::global;
  form.everywhere = facts.mnemonic == Mnemonic::multimem;
  form.ignores = facts.has(Modifier::ignore_oob);
  if (reduces) form.reduction = bulk_reduction(out, to_global);
  instruction.set_form(form);
  const bool masked = facts.has(Modifier::cp_mask);
  const std::size_t operands = (on_barrier ? 4u : 3u) + (hint ? 1u : 0u) + (multicast ? 1u : 0u) +
                               (masked ? 1u : 0u) + (form.ignores ? 2u : 0u);
  out.expect_operands(operands);
  instruction.site = out.program.sites++;
  instruction.address = address_value(out, out.operand(0), form.to);
  instruction.a = address_value(out, out.operand(1), form.from);
  instruction.b = bulk_size(out, out.operand(2));
  if (form.ignores) {
    instruction.d = ignored_bytes(out, 3);
    instruction.e = ignored_bytes(out, 4);
  }
  if (on_barrier)
    instruction.c = address_value(out, out.operand(form.ignores ? 5 : 3), Space::shared);
  if (multicast) instruction.d = out.source(4, Type::u16);
  if (hint) out.source(operands - (masked ? 2 : 1), Type::u64);
  if (masked) instruction.e = out.source(operands - 1, Type::u16);
  out.emit(instruction);
}

// st.async{.weak}{.shared::cluster}.mbarrier::complete_tx::bytes{.v2 | .v4}.type [to], b,
// [mbarrier] red.async.relaxed.cluster{.shared::cluster}.mbarrier::complete_tx::bytes.op.type …
void decode_async_store(Emitter& out) {
  const InstructionFacts& facts = out.facts();
  const bool reduces = facts.mnemonic == Mnemonic::red;
  const Type type = facts.types.front();
  const Modifier operation = facts.of(WordSet::operation);
  const std::uint32_t bytes = bytes_of(type), elements = vector_elements(facts);
  const bool wide = bytes == 8;
  const bool whole = is_integer(type) || type == Type::f32 || type == Type::f64;
  if (!whole || (bytes != 4 && bytes != 8) || bytes * elements > 16)
    out.invalid("needs a type of 32 or 64 bits, of 16 bytes at most");
  Instruction instruction;
  instruction.opcode = Opcode::store_async;
  instruction.count = static_cast<std::uint8_t>(elements);
  StoreForm form;
  form.bytes = static_cast<std::uint8_t>(bytes);
  if (reduces) {
    if (is_floating(type) || (wide && operation != Modifier::add))
      out.invalid("there is no such reduction");
    form.reduction = reduction_of(out, operation, type);
  }
  instruction.set_form(form);
  out.expect_operands(3);
  const Space space = space_of(facts);
  instruction.space = space;
  instruction.site = out.program.sites++;
  instruction.address = address_value(out, out.operand(0), space);
  std::vector<std::uint32_t> slots;
  const Operand& data = out.operand(1);
  if ((data.kind == OperandKind::vector) != (elements > 1))
    out.invalid("the number of registers does not match the vector");
  vector(out, data, elements, type, slots);
  instruction.more = out.more(slots);
  instruction.c = address_value(out, out.operand(2), space);
  out.program.note_access(Space::shared, bytes);
  out.emit(instruction);
}

// st.bulk{.weak}{.shared::cta} [to], bytes, 0
void decode_bulk_store(Emitter& out) {
  out.expect_operands(3);
  const Operand& value = out.operand(2);
  if (value.kind != OperandKind::integer || value.value != 0) out.invalid("the value is 0");
  Instruction instruction;
  instruction.opcode = Opcode::fill_bulk;
  const Space space = space_of(out.facts());
  instruction.space = space;
  instruction.site = out.program.sites++;
  if (space == Space::shared && space_of_name(out, out.operand(0)))
    out.invalid("the address is in a register");
  instruction.address = address_value(out, out.operand(0), space);
  const Operand& size = out.operand(1);
  if (size.kind == OperandKind::integer &&
      (size.value % 8 != 0 || size.value < 0 || size.value > kMostFilledBytes))
    out.invalid("the size is a multiple of 8, and at most 16777216");
  if (size.kind == OperandKind::name) out.invalid("a name cannot stand here");
  instruction.b = out.source(size, Type::u64);
  out.emit(instruction);
}

}  // namespace warpmark::cpu
