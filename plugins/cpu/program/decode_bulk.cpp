// Decoding of bulk copies, bulk reductions, and of stores and reductions told to an mbarrier.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "program/async_words.hpp"
#include "program/decoder.hpp"

namespace warpmark::cpu {
namespace {

constexpr std::array<std::pair<std::string_view, AsyncWords::Slot>, 47> kBulkWords = {
    {{"mbarrier::complete_tx::bytes", AsyncWords::completion},
     {"bulk_group", AsyncWords::completion},
     {"add", AsyncWords::operation},
     {"min", AsyncWords::operation},
     {"max", AsyncWords::operation},
     {"inc", AsyncWords::operation},
     {"dec", AsyncWords::operation},
     {"and", AsyncWords::operation},
     {"or", AsyncWords::operation},
     {"xor", AsyncWords::operation},
     {"b8", AsyncWords::type},
     {"u8", AsyncWords::type},
     {"s8", AsyncWords::type},
     {"b16", AsyncWords::type},
     {"u16", AsyncWords::type},
     {"s16", AsyncWords::type},
     {"b32", AsyncWords::type},
     {"u32", AsyncWords::type},
     {"s32", AsyncWords::type},
     {"b64", AsyncWords::type},
     {"u64", AsyncWords::type},
     {"s64", AsyncWords::type},
     {"b128", AsyncWords::type},
     {"f16", AsyncWords::type},
     {"bf16", AsyncWords::type},
     {"f32", AsyncWords::type},
     {"f64", AsyncWords::type},
     {"v2", AsyncWords::vector},
     {"v4", AsyncWords::vector},
     {"noftz", AsyncWords::noftz},
     {"multicast::cluster", AsyncWords::multicast},
     {"L2::cache_hint", AsyncWords::hint},
     {"L2", AsyncWords::level},
     {"1d", AsyncWords::dimensions},
     {"2d", AsyncWords::dimensions},
     {"3d", AsyncWords::dimensions},
     {"4d", AsyncWords::dimensions},
     {"5d", AsyncWords::dimensions},
     {"tile", AsyncWords::mode},
     {"im2col", AsyncWords::mode},
     {"im2col_no_offs", AsyncWords::mode},
     {"weak", AsyncWords::order},
     {"relaxed", AsyncWords::order},
     {"cta", AsyncWords::scope},
     {"cluster", AsyncWords::scope},
     {"gpu", AsyncWords::scope},
     {"sys", AsyncWords::scope}}};

/// The atomic operation of a reduction's words, as atomics.def has it; "" if it has none.
std::string atomic_name(std::string_view operation, std::string_view type) {
  // Sums of two's complement are the same with a sign and without.
  if (operation == "add" && type == "s64") type = "u64";
  const bool small = type == "f16" || type == "bf16";
  const bool extreme = operation == "min" || operation == "max";
  return std::string(small && extreme ? "atom.vector." : "atom.") + std::string(operation) +
         (small ? ".noftz." : ".") + std::string(type);
}

}  // namespace

AsyncWords::AsyncWords(std::string_view modifiers) {
  const auto put = [&](Slot slot, std::string_view word) {
    twice_ = twice_ || !seen_[slot].empty();
    seen_[slot] = word;
  };
  while (!modifiers.empty()) {
    const std::size_t dot = std::min(modifiers.find('.'), modifiers.size());
    const std::string_view word = modifiers.substr(0, dot);
    modifiers.remove_prefix(std::min(dot + 1, modifiers.size()));
    if (word == "global" || is_shared(word)) {
      put(seen_[to].empty() ? to : from, word);
      continue;
    }
    const auto* row = std::find_if(kBulkWords.begin(), kBulkWords.end(),
                                   [&](const auto& one) { return one.first == word; });
    if (row == kBulkWords.end())
      known_ = false;
    else
      put(row->second, word);
  }
}

std::string_view AsyncWords::take(Slot slot) {
  return std::exchange(seen_[slot], "");
}

bool AsyncWords::rest() const {
  return std::any_of(seen_.begin(), seen_.end(),
                     [](std::string_view word) { return !word.empty(); });
}

Opcode Decoder::reduction_of(const Statement& statement, std::string_view operation,
                             std::string_view type) const {
  const OpcodeInfo* info = find_opcode(atomic_name(operation, type));
  if (operation.empty() || info == nullptr || !is_atomic(info->form))
    invalid(statement, "there is no such reduction");
  return info->opcode;
}

// What is the same of all of them: modifiers that are known, each once.
bool Decoder::async_modifiers(const Statement& statement, const AsyncWords& words) const {
  if (words.twice()) invalid(statement, "two of the modifiers exclude each other");
  return words.known();
}

// cp.async.bulk.TO.FROM.{mbarrier::complete_tx::bytes | bulk_group} [to], [from], bytes, [mbarrier]
// {, mask}{, cache policy}, and cp.reduce.async.bulk with an operation and a type
bool Decoder::bulk_copy(const Statement& statement) {
  std::string_view name = statement.opcode;
  const bool reduces = name.starts_with("cp.reduce.async.bulk.");
  if (!reduces && !name.starts_with("cp.async.bulk.")) return false;
  name.remove_prefix(reduces ? 21 : 14);
  if (name.starts_with("tensor.") || name.starts_with("prefetch.tensor."))
    return tensor_copy(statement, reduces);
  if (!reduces && name.starts_with("prefetch.")) return bulk_prefetch(statement);
  AsyncWords words(name);
  if (!async_modifiers(statement, words)) return false;
  const std::string_view to = words.take(AsyncWords::to), from = words.take(AsyncWords::from);
  const std::string_view completion = words.take(AsyncWords::completion);
  const bool told = completion == "mbarrier::complete_tx::bytes";
  const bool to_global = to == "global", from_global = from == "global";
  const bool there = to_global     ? from == "shared::cta"
                     : from_global ? !reduces && (to == "shared::cluster" || to == "shared::cta")
                     : to == "shared::cluster" ? from == "shared::cta"
                                               : false;
  if (!there) invalid(statement, "there is no such copy between these state spaces");
  if (completion.empty() || told == to_global)
    invalid(statement,
            "a copy to global memory needs .bulk_group, others "
            ".mbarrier::complete_tx::bytes");
  const bool hint = (to_global || from_global) && !words.take(AsyncWords::hint).empty();
  const bool multicast =
      from_global && to == "shared::cluster" && !words.take(AsyncWords::multicast).empty();
  Instruction instruction;
  instruction.opcode = Opcode::copy_bulk;
  instruction.imm = to_global ? 1 : 0;
  if (reduces) {
    const std::string_view type = words.take(AsyncWords::type);
    const std::string_view operation = words.take(AsyncWords::operation);
    const bool noftz = !words.take(AsyncWords::noftz).empty();
    const bool small = type == "f16" || type == "bf16";
    if (noftz != (small && operation == "add"))
      invalid(statement, "sums of 16-bit numbers, and no others, need .noftz");
    const bool wide = type == "b64" || type == "s64" || type == "f64" || small || type == "f32" ||
                      (type == "u64" && operation != "add");
    if ((operation == "add" && type == "s64") || (wide && !to_global) ||
        ((type == "f32" || type == "f64") && operation != "add"))
      invalid(statement, "there is no such reduction");
    const Opcode opcode = reduction_of(statement, operation, type);
    instruction.imm |= (static_cast<std::int64_t>(opcode) + 1) << 8;
    // A sum of real numbers depends on the order.
    if (to_global && operation == "add" && (small || type[0] == 'f')) program_.ordered = true;
    program_.note_access(to_global ? Space::global : Space::shared, small ? 2 : 4);
  }
  if (words.rest()) invalid(statement, "a modifier has no place here");
  const std::size_t operands = (told ? 4u : 3u) + (hint ? 1u : 0u) + (multicast ? 1u : 0u);
  expect_operands(statement, operands, operands);
  const Space space = from_global ? Space::global : Space::shared;
  instruction.count = static_cast<std::uint8_t>(space);
  instruction.site = program_.sites++;
  instruction.address =
      address_value(statement, operand(statement, 0), to_global ? Space::global : Space::shared);
  instruction.a = address_value(statement, operand(statement, 1), space);
  instruction.b = bulk_size(statement, operand(statement, 2));
  if (told) instruction.c = address_value(statement, operand(statement, 3), Space::shared);
  if (multicast) instruction.d = source(statement, 4, Type::b16);
  if (hint) source(statement, operands - 1, Type::b64);
  emit(statement, instruction);
  return true;
}

std::uint32_t Decoder::bulk_size(const Statement& statement, const Operand& size) {
  if (size.kind == OperandKind::integer && size.value % 16 != 0)
    invalid(statement, "the size is a multiple of 16");
  return source(statement, size, Type::u32);
}

// cp.async.bulk.prefetch.L2.global{.L2::cache_hint} [from], bytes{, cache policy}
bool Decoder::bulk_prefetch(const Statement& statement) {
  AsyncWords words(statement.opcode.substr(std::string_view("cp.async.bulk.prefetch.").size()));
  if (!async_modifiers(statement, words)) return false;
  const bool hint = !words.take(AsyncWords::hint).empty();
  if (words.take(AsyncWords::level).empty() || words.take(AsyncWords::to) != "global" ||
      words.rest())
    invalid(statement, "a prefetch is one of .L2 and .global");
  expect_operands(statement, hint ? 3 : 2, hint ? 3 : 2);
  Instruction instruction;
  instruction.opcode = Opcode::prefetch_bulk;
  instruction.address = address_value(statement, operand(statement, 0), Space::global);
  instruction.b = bulk_size(statement, operand(statement, 1));
  if (hint) source(statement, 2, Type::b64);
  emit(statement, instruction);
  return true;
}

// st.async{.weak}{.shared::cluster}.mbarrier::complete_tx::bytes{.v2 | .v4}.type [to], b,
// [mbarrier] red.async.relaxed.cluster{.shared::cluster}.mbarrier::complete_tx::bytes.op.type …
bool Decoder::async_store(const Statement& statement) {
  std::string_view name = statement.opcode;
  const bool reduces = name.starts_with("red.async.");
  if (!reduces && !name.starts_with("st.async.")) return false;
  name.remove_prefix(reduces ? 10 : 9);
  AsyncWords words(name);
  if (!async_modifiers(statement, words)) return false;
  const std::string_view to = words.take(AsyncWords::to);
  if (to == "global") {
    if (module_.architecture < 100) invalid(statement, "needs .target sm_100 or higher");
    return false;
  }
  const std::string_view order = words.take(AsyncWords::order);
  if (reduces ? order != "relaxed" || words.take(AsyncWords::scope) != "cluster"
              : order == "relaxed")
    invalid(statement, reduces ? "needs .relaxed.cluster" : "there is no such order of st.async");
  if (words.take(AsyncWords::completion) != "mbarrier::complete_tx::bytes")
    invalid(statement, "needs .mbarrier::complete_tx::bytes");
  const std::string_view word = words.take(AsyncWords::type);
  const std::string_view operation = reduces ? words.take(AsyncWords::operation) : "";
  const std::string_view vector_word = reduces ? "" : words.take(AsyncWords::vector);
  if (words.rest()) invalid(statement, "a modifier has no place here");
  const bool narrow = word == "b32" || word == "u32" || word == "s32" || word == "f32";
  const bool wide = word == "b64" || word == "u64" || word == "s64" || word == "f64";
  const std::uint32_t bytes = wide ? 8 : 4;
  const std::uint32_t elements = vector_word.empty() ? 1 : vector_word == "v2" ? 2 : 4;
  if ((!narrow && !wide) || bytes * elements > 16)
    invalid(statement, "needs a type of 32 or 64 bits, of 16 bytes at most");
  Instruction instruction;
  instruction.opcode = Opcode::store_async;
  instruction.imm = bytes | elements << 8;
  if (reduces) {
    if (word[0] == 'f' || (wide && operation != "add"))
      invalid(statement, "there is no such reduction");
    instruction.imm |= (static_cast<std::int64_t>(reduction_of(statement, operation, word)) + 1)
                       << 16;
  }
  expect_operands(statement, 3, 3);
  const Space space = to.empty() ? Space::generic : Space::shared;
  instruction.count = static_cast<std::uint8_t>(space);
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
  return true;
}

// st.bulk{.weak}{.shared::cta} [to], bytes, 0
bool Decoder::bulk_store(const Statement& statement) {
  if (!statement.opcode.starts_with("st.bulk")) return false;
  AsyncWords words(statement.opcode.substr(
      std::min(std::string_view("st.bulk.").size(), statement.opcode.size())));
  if (!async_modifiers(statement, words)) return false;
  const std::string_view order = words.take(AsyncWords::order), to = words.take(AsyncWords::to);
  if (order == "relaxed" || (!to.empty() && to != "shared::cta") || words.rest())
    invalid(statement, "it is one of .weak and .shared::cta");
  expect_operands(statement, 3, 3);
  const Operand& value = operand(statement, 2);
  if (value.kind != OperandKind::integer || value.value != 0) invalid(statement, "the value is 0");
  Instruction instruction;
  instruction.opcode = Opcode::fill_bulk;
  const Space space = to.empty() ? Space::generic : Space::shared;
  instruction.count = static_cast<std::uint8_t>(space);
  instruction.site = program_.sites++;
  instruction.address = address_value(statement, operand(statement, 0), space);
  instruction.b = source(statement, 1, Type::u64);
  emit(statement, instruction);
  return true;
}

}  // namespace warpmark::cpu
