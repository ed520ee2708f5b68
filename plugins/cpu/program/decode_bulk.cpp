// Decoding of bulk copies, bulk reductions, and stores and reductions that complete on an mbarrier.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "program/decoder.hpp"
#include "program/memory_words.hpp"

namespace warpmark::cpu {
namespace {

// The upper bounds of constant sizes, as in ptxas's messages.
constexpr std::int64_t kMostBulkBytes = 1048560, kMostFilledBytes = 1 << 24;

}  // namespace

Opcode Decoder::reduction_of(const Statement& statement, std::string_view operation,
                             std::string_view type) const {
  // Sums of two's complement are the same with a sign and without.
  if (operation == "add" && type == "s64") type = "u64";
  const bool small = type == "f16" || type == "bf16";
  const bool extreme = operation == "min" || operation == "max";
  const OpcodeInfo* info = find_atomic(operation, type, small && extreme);
  if (info == nullptr) invalid(statement, "there is no such reduction");
  return info->opcode;
}

// The operation of a cp.reduce.async.bulk, as an atomic one.
Opcode Decoder::bulk_reduction(const Statement& statement, bool to_global) {
  const InstructionFacts& facts = *statement.facts;
  const std::string_view type = facts.types().front(), operation = facts.word("operation");
  const bool small = type == "f16" || type == "bf16", real = type == "f32" || type == "f64";
  const bool sum = operation == "add";
  if (facts.has("noftz") != (small && sum))
    invalid(statement, "sums of 16-bit numbers, and no others, need .noftz");
  const bool wide = type == "b64" || type == "s64" || small || real || (type == "u64" && !sum);
  if ((sum && type == "s64") || (wide && !to_global) || (real && !sum))
    invalid(statement, "there is no such reduction");
  // A sum of real numbers depends on the order.
  if (to_global && sum && (small || real)) program_.ordered = true;
  program_.note_access(to_global ? Space::global : Space::shared, small ? 2 : 4);
  return reduction_of(statement, operation, type);
}

// cp.async.bulk.TO.FROM.{mbarrier::complete_tx::bytes | bulk_group} [to], [from], bytes, [mbarrier]
// {, mask}{, cache policy}, and cp.reduce.async.bulk with an operation and a type
void Decoder::bulk_copy(const Statement& statement) {
  const InstructionFacts& facts = *statement.facts;
  const bool reduces = facts.has("reduce");
  if (facts.has("tensor")) return tensor_copy(statement, reduces);
  if (facts.has("prefetch")) return bulk_prefetch(statement);
  const bool on_barrier = facts.has("mbarrier::complete_tx::bytes");
  const bool to_global = facts.has("bulk_group"), from_global = !to_global && facts.has("global");
  const bool hint = facts.has("L2::cache_hint"), multicast = facts.has("multicast::cluster");
  Instruction instruction;
  instruction.opcode = Opcode::copy_bulk;
  BulkForm form;
  if (from_global) form.from = Space::global;
  if (to_global) form.to = Space::global;
  if (reduces) form.reduction = bulk_reduction(statement, to_global);
  instruction.set_form(form);
  const std::size_t operands = (on_barrier ? 4u : 3u) + (hint ? 1u : 0u) + (multicast ? 1u : 0u);
  expect_operands(statement, operands, operands);
  instruction.site = program_.sites++;
  instruction.address = address_value(statement, operand(statement, 0), form.to);
  instruction.a = address_value(statement, operand(statement, 1), form.from);
  instruction.b = bulk_size(statement, operand(statement, 2));
  if (on_barrier) instruction.c = address_value(statement, operand(statement, 3), Space::shared);
  if (multicast) instruction.d = source(statement, 4, Type::u16);
  if (hint) source(statement, operands - 1, Type::u64);
  emit(statement, instruction);
}

std::uint32_t Decoder::bulk_size(const Statement& statement, const Operand& size) {
  // ptxas takes the low 32 bits as a signed number, of a prefetch all.
  const std::int64_t bytes =
      statement.facts->has("prefetch") ? size.value : static_cast<std::int32_t>(size.value);
  if (size.kind == OperandKind::integer && (bytes % 16 != 0 || bytes < 0 || bytes > kMostBulkBytes))
    invalid(statement, "the size is a multiple of 16, and at most 1048560");
  return source(statement, size, Type::u32);
}

// cp.async.bulk.prefetch.L2.global{.L2::cache_hint} [from], bytes{, cache policy}
void Decoder::bulk_prefetch(const Statement& statement) {
  const bool hint = statement.facts->has("L2::cache_hint");
  expect_operands(statement, hint ? 3 : 2, hint ? 3 : 2);
  Instruction instruction;
  instruction.opcode = Opcode::prefetch_bulk;
  instruction.address = address_value(statement, operand(statement, 0), Space::global);
  instruction.b = bulk_size(statement, operand(statement, 1));
  if (hint) source(statement, 2, Type::u64);
  emit(statement, instruction);
}

// st.async{.weak}{.shared::cluster}.mbarrier::complete_tx::bytes{.v2 | .v4}.type [to], b,
// [mbarrier] red.async.relaxed.cluster{.shared::cluster}.mbarrier::complete_tx::bytes.op.type …
void Decoder::async_store(const Statement& statement) {
  const InstructionFacts& facts = *statement.facts;
  const bool reduces = facts.mnemonic == "red";
  const std::string_view word = facts.types().front(), operation = facts.word("operation");
  const std::string_view vector_word = facts.word("vector");
  const bool narrow = word == "b32" || word == "u32" || word == "s32" || word == "f32";
  const bool wide = word == "b64" || word == "u64" || word == "s64" || word == "f64";
  const std::uint32_t bytes = wide ? 8 : 4;
  const std::uint32_t elements = vector_word.empty() ? 1 : vector_word == "v2" ? 2 : 4;
  if ((!narrow && !wide) || bytes * elements > 16)
    invalid(statement, "needs a type of 32 or 64 bits, of 16 bytes at most");
  Instruction instruction;
  instruction.opcode = Opcode::store_async;
  instruction.count = static_cast<std::uint8_t>(elements);
  StoreForm form;
  form.bytes = static_cast<std::uint8_t>(bytes);
  if (reduces) {
    if (word[0] == 'f' || (wide && operation != "add"))
      invalid(statement, "there is no such reduction");
    form.reduction = reduction_of(statement, operation, word);
  }
  instruction.set_form(form);
  expect_operands(statement, 3, 3);
  const Space space = space_of(facts);
  instruction.space = space;
  instruction.site = program_.sites++;
  instruction.address = address_value(statement, operand(statement, 0), space);
  std::vector<std::uint32_t> slots;
  const Type type = word == "f32"    ? Type::f32
                    : word == "f64"  ? Type::f64
                    : word[0] == 's' ? (wide ? Type::s64 : Type::s32)
                    : word[0] == 'u' ? (wide ? Type::u64 : Type::u32)
                                     : (wide ? Type::b64 : Type::b32);
  const Operand& data = operand(statement, 1);
  if ((data.kind == OperandKind::vector) != (elements > 1))
    invalid(statement, "the number of registers does not match the vector");
  vector(statement, data, elements, type, slots);
  instruction.more = more(slots);
  instruction.c = address_value(statement, operand(statement, 2), space);
  program_.note_access(Space::shared, bytes);
  emit(statement, instruction);
}

// st.bulk{.weak}{.shared::cta} [to], bytes, 0
void Decoder::bulk_store(const Statement& statement) {
  expect_operands(statement, 3, 3);
  const Operand& value = operand(statement, 2);
  if (value.kind != OperandKind::integer || value.value != 0) invalid(statement, "the value is 0");
  Instruction instruction;
  instruction.opcode = Opcode::fill_bulk;
  const Space space = space_of(*statement.facts);
  instruction.space = space;
  instruction.site = program_.sites++;
  if (space == Space::shared && space_of_name(operand(statement, 0)))
    invalid(statement, "the address is in a register");
  instruction.address = address_value(statement, operand(statement, 0), space);
  const Operand& size = operand(statement, 1);
  if (size.kind == OperandKind::integer &&
      (size.value % 8 != 0 || size.value < 0 || size.value > kMostFilledBytes))
    invalid(statement, "the size is a multiple of 8, and at most 16777216");
  if (size.kind == OperandKind::name) invalid(statement, "a name cannot stand here");
  instruction.b = source(statement, size, Type::u64);
  emit(statement, instruction);
}

}  // namespace warpmark::cpu
