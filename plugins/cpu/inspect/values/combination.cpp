#include "inspect/values/combination.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "program/data_flow.hpp"
#include "program/opcode.hpp"
#include "program/uses.hpp"

namespace warpmark::cpu {
namespace {

using Kind = Combination::Kind;

// The tables of lop3 that return one of its operands unchanged (PTX ISA).
constexpr std::array<std::uint8_t, 3> kItself = {0xf0, 0xcc, 0xaa};
constexpr std::uint8_t kInverse = 0x0f;  // of the first operand

// The value of a register after a number of writes in the basic block.
struct Value {
  std::uint32_t slot = Instruction::kNone, writes = 0;
  bool operator==(const Value&) const = default;
};

// The expression that a register holds.
struct Expression {
  Kind kind = Kind::bitwise;
  std::uint8_t table = 0;
  std::uint32_t bytes = 0;
  std::vector<Value> leaves;  // at most three; only x for kinds other than bitwise
};

// Parts of a division of x by a power of two in unoptimised code.
struct Division {
  enum class Part : std::uint8_t {
    quotient,
    multiple,  // the quotient times the divisor
    remainder
  };
  Part part = Part::quotient;
  Value x;
  std::uint32_t bytes = 0;
  std::uint64_t divisor = 1;
  bool with_sign = false;
};

// An operation on whole registers, bit by bit.
struct Operation {
  std::uint8_t table = 0;
  std::vector<std::uint32_t> slots;
  std::uint32_t bytes = 0;
  bool moves = false;
};

class Finder {
 public:
  Finder(const Program& program, std::unordered_map<std::size_t, Combination>& found)
      : program_(program), found_(found) {
    for (const Program::Constant& constant : program.constants)
      constants_.emplace(constant.slot, constant.value);
  }

  void look_at(const BasicBlock& block) {
    held_.clear();
    divisions_.clear();
    writes_.clear();
    for (std::size_t number = block.begin; number < block.end; ++number) {
      const Instruction& i = program_.code[number];
      const std::optional<Division> part = division_of(i);
      const std::optional<Expression> made = expression_of(i, number);
      for (const std::uint32_t slot : uses_of(program_, i).writes) {
        ++writes_[slot];
        held_.erase(slot);
        divisions_.erase(slot);
      }
      if (part && i.d != Instruction::kNone) divisions_[i.d] = *part;
      if (made && i.d != Instruction::kNone) held_[i.d] = *made;
    }
  }

 private:
  [[nodiscard]] Value now(std::uint32_t slot) const {
    const auto written = writes_.find(slot);
    return {slot, written == writes_.end() ? 0 : written->second};
  }
  [[nodiscard]] bool is(std::uint32_t slot, std::uint64_t value) const {
    const auto constant = constants_.find(slot);
    return constant != constants_.end() && constant->second == value;
  }

  // Returns the expression that a register holds if the registers that it was made of have not
  // changed since.
  [[nodiscard]] const Expression* held(std::uint32_t slot, std::uint32_t bytes) const {
    const auto found = held_.find(slot);
    if (found == held_.end() || found->second.bytes != bytes) return nullptr;
    const std::vector<Value>& leaves = found->second.leaves;
    const bool stands = std::all_of(leaves.begin(), leaves.end(),
                                    [&](const Value& leaf) { return now(leaf.slot) == leaf; });
    return stands ? &found->second : nullptr;
  }

  // The register whose value a register holds a copy of: itself if nothing else is known.
  [[nodiscard]] Value original(std::uint32_t slot, std::uint32_t bytes) const {
    const Expression* known = held(slot, bytes);
    const bool copy = known != nullptr && known->kind == Kind::bitwise &&
                      known->leaves.size() == 1 && known->table == kItself[0];
    return copy ? known->leaves[0] : now(slot);
  }

  [[nodiscard]] std::optional<Operation> operation_of(const Instruction& i,
                                                      const OpcodeInfo& info) const {
    const Mnemonic mnemonic = words_of(info).mnemonic;
    const std::uint32_t bytes = bytes_of(info.d);
    if (bytes < 4 || bytes_of(info.a) != bytes) return std::nullopt;
    if (mnemonic == Mnemonic::mov && info.form == Form::unary)
      return Operation{0xf0, {i.a}, bytes, true};
    if (mnemonic == Mnemonic::not_) return Operation{kInverse, {i.a}, bytes};
    if (mnemonic == Mnemonic::and_) return Operation{0xc0, {i.a, i.b}, bytes};
    if (mnemonic == Mnemonic::or_) return Operation{0xfc, {i.a, i.b}, bytes};
    if (mnemonic == Mnemonic::xor_) return Operation{0x3c, {i.a, i.b}, bytes};
    if (mnemonic != Mnemonic::lop3) return std::nullopt;
    const auto table = constants_.find(i.e);
    if (table == constants_.end()) return std::nullopt;
    return Operation{static_cast<std::uint8_t>(table->second), {i.a, i.b, i.c}, bytes};
  }

  // Returns the expression that an instruction computes, and remembers it if it is more than the
  // instruction itself.
  std::optional<Expression> expression_of(const Instruction& i, std::size_t number) {
    const OpcodeInfo* info = find_opcode(i.opcode);
    if (info == nullptr || i.guard != Instruction::kNone || is_atomic(info->form))
      return std::nullopt;
    if (note_masked(i, *info, number)) return std::nullopt;
    if (std::optional<Expression> neighbour = neighbour_of(i, *info)) return neighbour;
    const std::optional<Operation> operation = operation_of(i, *info);
    if (!operation) return std::nullopt;
    if (note_neighbour(*operation, number)) return std::nullopt;
    // Replaces all operands by the expressions that they hold; if that takes too many registers,
    // only one of them, or none.
    const auto count = static_cast<std::uint32_t>(operation->slots.size());
    std::vector<std::uint32_t> choices = {(1u << count) - 1};
    for (std::uint32_t k = 0; k < count; ++k) choices.push_back(1u << k);
    choices.push_back(0);
    for (const std::uint32_t choice : choices) {
      std::optional<Expression> whole = combine(*operation, choice);
      if (!whole) continue;
      if (choice != 0 && !operation->moves) note(number, *whole);
      return whole;
    }
    return std::nullopt;
  }

  // The part of a division that a register holds, if x has not changed since.
  [[nodiscard]] const Division* part_in(std::uint32_t slot, Division::Part part,
                                        std::uint32_t bytes) const {
    const auto found = divisions_.find(slot);
    if (found == divisions_.end()) return nullptr;
    const Division& known = found->second;
    return known.part == part && known.bytes == bytes && now(known.x.slot) == known.x ? &known
                                                                                      : nullptr;
  }

  [[nodiscard]] std::optional<Division> division_of(const Instruction& i) const {
    const OpcodeInfo* info = find_opcode(i.opcode);
    if (info == nullptr || i.guard != Instruction::kNone || info->form != Form::binary ||
        !is_integer(info->d))
      return std::nullopt;
    const Mnemonic mnemonic = words_of(*info).mnemonic;
    const std::uint32_t bytes = bytes_of(info->d);
    if (bytes < 4 || bytes_of(info->a) != bytes) return std::nullopt;
    const auto constant = constants_.find(i.b);
    if (mnemonic == Mnemonic::div || mnemonic == Mnemonic::rem) {
      if (constant == constants_.end() || !std::has_single_bit(constant->second))
        return std::nullopt;
      const auto part =
          mnemonic == Mnemonic::div ? Division::Part::quotient : Division::Part::remainder;
      return Division{part, original(i.a, bytes), bytes, constant->second, is_signed(info->a)};
    }
    if (mnemonic != Mnemonic::mul || !words_of(*info).has(Modifier::lo)) return std::nullopt;
    const Division* quotient = part_in(i.a, Division::Part::quotient, bytes);
    if (quotient == nullptr || !is(i.b, quotient->divisor)) return std::nullopt;
    Division multiple = *quotient;
    multiple.part = Division::Part::multiple;
    return multiple;
  }

  // Notes x minus its remainder, and x minus the multiple of the divisor.
  bool note_masked(const Instruction& i, const OpcodeInfo& info, std::size_t number) {
    if (words_of(info).mnemonic != Mnemonic::sub || info.form != Form::binary ||
        !is_integer(info.d) || words_of(info).has(Modifier::sat))
      return false;
    const std::uint32_t bytes = bytes_of(info.d);
    const Division* remainder = part_in(i.b, Division::Part::remainder, bytes);
    const Division* part =
        remainder != nullptr ? remainder : part_in(i.b, Division::Part::multiple, bytes);
    if (part == nullptr || part->x != original(i.a, bytes)) return false;
    const std::uint64_t low = part->divisor - 1;
    found_[number] = {Kind::masked,
                      0,
                      {i.a, Instruction::kNone, Instruction::kNone},
                      remainder != nullptr ? ~low : low,
                      part->with_sign};
    return true;
  }

  // Returns -x or x - 1 as an expression.
  [[nodiscard]] std::optional<Expression> neighbour_of(const Instruction& i,
                                                       const OpcodeInfo& info) const {
    const Mnemonic mnemonic = words_of(info).mnemonic;
    const std::uint32_t bytes = bytes_of(info.d);
    if (bytes < 4 || !is_integer(info.d) || words_of(info).has(Modifier::sat)) return std::nullopt;
    const std::uint64_t minus_one = bytes == 8 ? ~std::uint64_t{0} : 0xffffffff;
    const auto made = [&](Kind kind, std::uint32_t slot) {
      return Expression{kind, 0, bytes, {original(slot, bytes)}};
    };
    if (mnemonic == Mnemonic::neg) return made(Kind::negative, i.a);
    if (info.form != Form::binary) return std::nullopt;
    if (mnemonic == Mnemonic::sub && is(i.a, 0)) return made(Kind::negative, i.b);
    if (mnemonic == Mnemonic::sub && is(i.b, 1)) return made(Kind::predecessor, i.a);
    if (mnemonic != Mnemonic::add) return std::nullopt;
    for (const auto& [one, other] : {std::pair{i.a, i.b}, std::pair{i.b, i.a}}) {
      if (is(other, minus_one)) return made(Kind::predecessor, one);
      const Expression* inverted = is(other, 1) ? inverse(one, bytes) : nullptr;
      if (inverted != nullptr) return Expression{Kind::negative, 0, bytes, inverted->leaves};
    }
    return std::nullopt;
  }

  // Returns the expression of a register that holds the inverse of another one; null if it does
  // not.
  [[nodiscard]] const Expression* inverse(std::uint32_t slot, std::uint32_t bytes) const {
    const Expression* known = held(slot, bytes);
    const bool inverts = known != nullptr && known->kind == Kind::bitwise &&
                         known->leaves.size() == 1 && known->table == kInverse;
    return inverts ? known : nullptr;
  }

  // Notes an operation on x, or its inverse, and its neighbour: compilers count the zeros below the
  // lowest set bit of x in ~x & (x - 1). These operations commute, except lop3.
  bool note_neighbour(const Operation& operation, std::size_t number) {
    if (operation.slots.size() != 2) return false;
    for (const auto& [one, other] : {std::pair{operation.slots[0], operation.slots[1]},
                                     std::pair{operation.slots[1], operation.slots[0]}}) {
      const Expression* neighbour = held(other, operation.bytes);
      if (neighbour == nullptr || neighbour->kind == Kind::bitwise) continue;
      const Expression* inverted = inverse(one, operation.bytes);
      const std::uint32_t x = inverted == nullptr ? one : inverted->leaves[0].slot;
      if (neighbour->leaves[0] != original(x, operation.bytes)) continue;
      const auto swapped = static_cast<std::uint8_t>(operation.table >> 4 | operation.table << 4);
      found_[number] = {neighbour->kind,
                        inverted == nullptr ? operation.table : swapped,
                        {x, Instruction::kNone, Instruction::kNone},
                        0,
                        false};
      return true;
    }
    return false;
  }

  void note(std::size_t number, const Expression& whole) {
    Combination combination{Kind::bitwise, whole.table, {}, 0, false};
    combination.slots.fill(Instruction::kNone);
    for (std::size_t k = 0; k < whole.leaves.size(); ++k)
      combination.slots.at(k) = whole.leaves[k].slot;
    found_[number] = combination;
  }

  // Returns the operation in which the operands that `choice` has a bit for are replaced by the
  // expressions that they hold. Empty if the expression of one of them is not known, or if there
  // are more than three registers.
  [[nodiscard]] std::optional<Expression> combine(const Operation& operation,
                                                  std::uint32_t choice) const {
    std::vector<Expression> operands;
    bool some = choice == 0;
    for (std::size_t k = 0; k < operation.slots.size(); ++k) {
      const std::uint32_t slot = operation.slots[k];
      const Expression* known = (choice >> k & 1) != 0 ? held(slot, operation.bytes) : nullptr;
      if (known != nullptr && known->kind != Kind::bitwise) known = nullptr;
      some = some || known != nullptr;
      operands.push_back(known != nullptr
                             ? *known
                             : Expression{Kind::bitwise, kItself[0], operation.bytes, {now(slot)}});
    }
    if (!some) return std::nullopt;
    Expression whole;
    whole.bytes = operation.bytes;
    for (const Expression& operand : operands) {
      for (const Value& leaf : operand.leaves) {
        if (std::find(whole.leaves.begin(), whole.leaves.end(), leaf) == whole.leaves.end())
          whole.leaves.push_back(leaf);
      }
    }
    if (whole.leaves.size() > 3) return std::nullopt;
    for (unsigned row = 0; row < 8; ++row) {
      unsigned inputs = 0;  // the operation's row
      for (std::size_t k = 0; k < operands.size(); ++k)
        inputs |= value_of(operands[k], whole.leaves, row) << (2 - k);
      whole.table = static_cast<std::uint8_t>(whole.table | (operation.table >> inputs & 1) << row);
    }
    return whole;
  }

  // The bit of an operand in a row of the table: bit 2 of a row is the first leaf's, as in lop3.
  [[nodiscard]] static unsigned value_of(const Expression& operand,
                                         const std::vector<Value>& leaves, unsigned row) {
    unsigned own = 0;
    for (std::size_t k = 0; k < operand.leaves.size(); ++k) {
      const auto at = std::find(leaves.begin(), leaves.end(), operand.leaves[k]) - leaves.begin();
      own |= (row >> (2 - at) & 1) != 0 ? 4u >> k : 0;
    }
    return operand.table >> own & 1;
  }

  const Program& program_;
  std::unordered_map<std::size_t, Combination>& found_;
  std::unordered_map<std::uint32_t, std::uint64_t> constants_;  // by slot
  std::unordered_map<std::uint32_t, Expression> held_;          // by slot
  std::unordered_map<std::uint32_t, Division> divisions_;       // by slot
  std::unordered_map<std::uint32_t, std::uint32_t> writes_;     // by slot, of the block
};

}  // namespace

Combinations::Combinations(const Program& program) {
  Finder finder(program, by_instruction_);
  for (const BasicBlock& block : program.blocks) finder.look_at(block);
}

}  // namespace warpmark::cpu
