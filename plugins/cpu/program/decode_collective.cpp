// Decoding of atomics and of the instructions by which the lanes of a warp exchange values.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "program/decoder.hpp"

namespace warpmark::cpu {
namespace {

constexpr std::array<std::string_view, 10> kOrderings = {
    "relaxed", "acquire", "release", "acq_rel", "volatile", "cta", "gpu", "sys", "cluster", "weak"};

struct Collective {
  std::string_view name;
  Opcode opcode;
};
constexpr Collective kCollectives[] = {
    {"shfl.sync.up.b32", Opcode::shfl_up},        {"shfl.sync.down.b32", Opcode::shfl_down},
    {"shfl.sync.bfly.b32", Opcode::shfl_bfly},    {"shfl.sync.idx.b32", Opcode::shfl_idx},
    {"vote.sync.all.pred", Opcode::vote_all},     {"vote.sync.any.pred", Opcode::vote_any},
    {"vote.sync.uni.pred", Opcode::vote_uni},     {"vote.sync.ballot.b32", Opcode::vote_ballot},
    {"redux.sync.add.u32", Opcode::redux_add},    {"redux.sync.add.s32", Opcode::redux_add},
    {"redux.sync.min.u32", Opcode::redux_min_u},  {"redux.sync.max.u32", Opcode::redux_max_u},
    {"redux.sync.min.s32", Opcode::redux_min_s},  {"redux.sync.max.s32", Opcode::redux_max_s},
    {"redux.sync.and.b32", Opcode::redux_and},    {"redux.sync.or.b32", Opcode::redux_or},
    {"redux.sync.xor.b32", Opcode::redux_xor},    {"match.any.sync.b32", Opcode::match_any_32},
    {"match.any.sync.b64", Opcode::match_any_64}, {"match.all.sync.b32", Opcode::match_all_32},
    {"match.all.sync.b64", Opcode::match_all_64},
};

constexpr std::uint32_t kLastWithoutSync = 63;  // PTX ISA: .version 6.3, for sm_70 and later

}  // namespace

bool Decoder::is_collective(std::string_view opcode) {
  return is_matrix(opcode) ||
         std::any_of(std::begin(kCollectives), std::end(kCollectives),
                     [&](const Collective& row) { return row.name == opcode; });
}

// The lanes that a collective waits for: its last operand, of a matrix instruction all.
std::uint32_t Decoder::members(const Statement& statement) {
  if (is_matrix(statement.opcode)) return constant(0xffffffff, false);
  if (statement.operands == 0) invalid(statement, "needs the mask of its lanes");
  return source(statement, statement.operands - 1u, Type::b32);
}

bool Decoder::collective(const Statement& statement) {
  Instruction instruction;
  if (statement.opcode == "activemask.b32") {
    expect_operands(statement, 1, 1);
    instruction.opcode = Opcode::active_mask;
    instruction.d = destination(statement, 0, Type::b32);
    emit(statement, instruction);
    return true;
  }
  // Without .sync the lanes that come there together are meant, and nobody is waited for.
  std::string name(statement.opcode);
  const bool waits = (!name.starts_with("shfl.") && !name.starts_with("vote.")) ||
                     name.compare(4, 6, ".sync.") == 0;
  if (!waits) name.insert(4, ".sync");
  const auto row = std::find_if(std::begin(kCollectives), std::end(kCollectives),
                                [&](const Collective& c) { return c.name == name; });
  if (row == std::end(kCollectives)) return false;
  if (!waits && module_.version > kLastWithoutSync)
    invalid(statement, "needs .sync from PTX 6.4 on");
  if (waits && statement.guard != Operand::kNone)
    refuse(statement, "a guarded warp operation is not implemented on this device");
  const std::size_t masks = waits ? 1 : 0;
  instruction.opcode = row->opcode;
  const bool match = statement.opcode.starts_with("match.");
  if (match || statement.opcode.starts_with("shfl.")) {
    match ? expect_operands(statement, 3, 3) : expect_operands(statement, 4 + masks, 4 + masks);
    const Operand& result = operand(statement, 0);
    if (result.kind == OperandKind::pair) {
      const Operand& value = function_.operands[result.index];
      const Operand& valid = function_.operands[result.index + 1];
      if (value.kind != OperandKind::reg || valid.kind == OperandKind::integer)
        invalid(statement, "the result must be a register");
      check_register(statement, value, Type::b32, false);
      instruction.d = register_slot(value.index);
      if (valid.kind != OperandKind::sink) instruction.address = predicate(statement, valid);
    } else {
      instruction.d = destination(statement, 0, Type::b32);
    }
    const bool wide = statement.opcode.ends_with(".b64");
    instruction.a = source(statement, 1, wide ? Type::b64 : Type::b32);
    instruction.b = source(statement, 2, Type::b32);
    if (!match) instruction.c = source(statement, 3, Type::b32);
  } else if (statement.opcode.starts_with("vote.")) {
    expect_operands(statement, 2 + masks, 2 + masks);
    instruction.d =
        destination(statement, 0, row->opcode == Opcode::vote_ballot ? Type::b32 : Type::pred);
    instruction.a = predicate(statement, operand(statement, 1));
    instruction.negated = operand(statement, 1).negated;
    instruction.b = waits ? source(statement, 2, Type::b32) : constant(0xffffffff, false);
  } else {
    expect_operands(statement, 3, 3);
    instruction.d = destination(statement, 0, Type::b32);
    instruction.a = source(statement, 1, Type::b32);
    instruction.b = source(statement, 2, Type::b32);
  }
  emit(statement, instruction);
  return true;
}

bool Decoder::atomic(const Statement& statement) {
  std::string_view name = statement.opcode;
  const bool reduce = name.starts_with("red.");
  if (!reduce && !name.starts_with("atom.")) return false;
  name.remove_prefix(name.find('.') + 1);
  Space space = Space::generic;
  std::string plain = "atom";
  std::uint8_t order = Instruction::kStrong;
  while (!name.empty()) {
    const std::size_t dot = std::min(name.find('.'), name.size());
    const std::string_view word = name.substr(0, dot);
    name.remove_prefix(std::min(dot + 1, name.size()));
    if (word == "global") {
      space = Space::global;
    } else if (word == "shared" || word == "shared::cta" || word == "shared::cluster") {
      space = Space::shared;
    } else if (std::find(kOrderings.begin(), kOrderings.end(), word) == kOrderings.end()) {
      plain += '.';
      plain += word;
    }
    if (word == "release" || word == "acq_rel") order |= Instruction::kRelease;
    if (word == "cta") order |= Instruction::kBlockScope;
  }
  const OpcodeInfo* info = find_opcode(plain);
  if (info == nullptr || info->form != Form::atomic) return false;
  const bool swap = plain.starts_with("atom.cas.");
  polls_ = polls_ || swap || plain.starts_with("atom.exch.");
  const std::size_t first = reduce ? 0 : 1;  // operand that is the address
  expect_operands(statement, first + (swap ? 3 : 2), first + (swap ? 3 : 2));
  Instruction instruction;
  instruction.opcode = info->opcode;
  instruction.order = order;
  // Bit types stand for any type of their size.
  const std::uint32_t bytes = bytes_of(info->d);
  const Type type = info->d == Type::f64 || info->d == Type::f32 ? info->d
                    : bytes == 8                                 ? Type::b64
                    : bytes == 4                                 ? Type::b32
                                                                 : Type::b16;
  if (!reduce && operand(statement, 0).kind != OperandKind::sink)
    instruction.d = destination(statement, 0, type);
  instruction.address = address(statement, operand(statement, first), space, instruction);
  instruction.count = static_cast<std::uint8_t>(space);
  instruction.a = source(statement, first + 1, type);
  instruction.b = swap ? source(statement, first + 2, type) : instruction.a;
  instruction.site = program_.sites++;
  instruction.cost = static_cast<std::uint8_t>(bytes);
  instruction.counter = bytes_counter(space, Traffic::atomic);
  program_.note_access(space, bytes);
  // Sums and the like of integers come out the same in any order, if nobody looks at what was
  // there before. Results that are never read are as good as none.
  const bool returns =
      instruction.d != Instruction::kNone && reads_of(operand(statement, 0).index) > 0;
  const bool sums = info->opcode >= Opcode::atom_add_f32 || plain == "atom.inc.u32" ||
                    plain == "atom.dec.u32" || swap || plain.starts_with("atom.exch.");
  if (space != Space::shared && (returns || sums)) program_.ordered = true;
  polls_ = polls_ || (space != Space::shared && returns);
  emit(statement, instruction);
  return true;
}

}  // namespace warpmark::cpu
