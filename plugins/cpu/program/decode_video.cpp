// Decoding of the video instructions (PTX ISA 9.7.19 and 9.7.20): numbers of 8, 16 or 32 bits that
// are selected from registers, one operation on each, a limit, and a second operation or a merge.
// Each step is an operation of opcodes.def, so that what is known of those holds for the whole.
//
// GPUs have next to none of them since sm_50: ptxas puts other instructions in their place, which
// for some forms of those of one number do not do what the manual says. Results are those of its
// code (CUDA 13.0, sm_90), as it is what a GPU executes. `ptxas` marks these places below.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "program/decoder.hpp"

namespace warpmark::cpu {
namespace {

// Bits beyond those that the manual computes in, 34, and beyond a word.
constexpr std::uint32_t kBeyond34 = 30, kBeyondWord = 32;

// Bits of a register that a selector such as b2 or h1 names; "" is the whole.
struct Part {
  std::uint32_t first = 0, bits = 32;
};

Part part_of(std::string_view selector) {
  if (selector.empty()) return {};
  const std::uint32_t bits = selector[0] == 'b' ? 8 : 16;
  return {static_cast<std::uint32_t>(selector[1] - '0') * bits, bits};
}

bool is_part(std::string_view selector) {
  if (selector.size() != 2) return false;
  const char last = selector[0] == 'b' ? '3' : selector[0] == 'h' ? '1' : '\0';
  return selector[1] >= '0' && selector[1] <= last;
}

// The operation on one of several numbers in each register: vadd for vadd2 and vadd4.
Mnemonic operation_of(const InstructionFacts& facts) {
  return mnemonic_named(facts.name.substr(0, facts.name.find_last_not_of("24") + 1));
}

Opcode comparison_of_word(Modifier word, bool wide) {
  const auto pick = [&](Opcode narrow, Opcode of_wide) { return wide ? of_wide : narrow; };
  return word == Modifier::eq   ? pick(Opcode::setp_eq_s32, Opcode::setp_eq_s64)
         : word == Modifier::ne ? pick(Opcode::setp_ne_s32, Opcode::setp_ne_s64)
         : word == Modifier::lt ? pick(Opcode::setp_lt_s32, Opcode::setp_lt_s64)
         : word == Modifier::le ? pick(Opcode::setp_le_s32, Opcode::setp_le_s64)
         : word == Modifier::gt ? pick(Opcode::setp_gt_s32, Opcode::setp_gt_s64)
                                : pick(Opcode::setp_ge_s32, Opcode::setp_ge_s64);
}

/// One video instruction. The types are those of d, a and b; vset has none of d, and ptxas takes
/// a's for c.
class Video {
 public:
  explicit Video(Emitter& out) : out_(out), facts_(out.facts()), operation_(operation_of(facts_)) {
    for (const Type type : facts_.types) signed_.push_back(type == Type::s32);
    if (operation_ == Mnemonic::vset) {
      signed_.insert(signed_.begin(), signed_.front());
      for (const Modifier word :
           {Modifier::eq, Modifier::ne, Modifier::lt, Modifier::le, Modifier::gt, Modifier::ge}) {
        if (facts_.has(word)) relation_ = word;
      }
    }
    for (const Modifier word : {Modifier::add, Modifier::min, Modifier::max}) {
      if (facts_.has(word)) second_ = word;
    }
  }

  // One number of each register.
  void scalar() {
    check_scalar();
    std::uint32_t result = kNone;
    if (operation_ == Mnemonic::vset) {
      result = truth(comparison_of_word(relation_, true), extended(1), extended(2));
      result = wide(Opcode::cvt_u64_u32, result);
    } else {
      result = operated(operation_, extended(1), extended(2));
    }
    const Part to = part_of(selector(0));
    if (facts_.has(Modifier::sat)) result = saturated(result, to.bits);
    const std::uint32_t d = destination();
    if (second_ == Modifier::add) return put(Opcode::add_32, d, low(result), whole(3, Type::u32));
    if (second_ != Modifier::none) return second(d, result);
    if (to.bits == 32) return put(Opcode::cvt_u32_u64, d, result);
    merge(d, low(result), to);
  }

  // vmad: a × b + c, or its negation's, with up to 66 bits between.
  void multiply_add() {
    const bool product = operand(1).minus != operand(2).minus, addend = operand(3).minus;
    const bool plus_one = facts_.has(Modifier::po);
    out_.expect_operands(4);
    if (operand(0).minus) out_.invalid("the result must be a register");
    check_negations(product, addend, plus_one);
    for (const std::size_t i : {0u, 3u}) {
      if (!selector(i).empty()) out_.invalid("a selector cannot stand here");
    }
    const bool is_signed = signed_[1] || signed_[2] || product || addend;
    // ptxas: words without signs are taken to have one.
    std::uint32_t result = wide(Opcode::mul_lo_64, as_signed(1), as_signed(2));
    if (product) result = wide(Opcode::neg_s64, result);
    std::uint32_t c = whole(3, Type::u32);
    if (addend) c = narrow(Opcode::not_32, c);
    result = wide(Opcode::add_64, result, wide(Opcode::cvt_s64_s32, c));
    if (plus_one || addend) result = wide(Opcode::add_64, result, number(1));
    const std::uint32_t by = facts_.has(Modifier::shr7) ? 7 : facts_.has(Modifier::shr15) ? 15 : 0;
    if (by != 0) result = wide(is_signed ? Opcode::shr_s64 : Opcode::shr_u64, result, count(by));
    if (facts_.has(Modifier::sat)) result = limited(result, is_signed, 32);
    put(Opcode::cvt_u32_u64, destination(), result);
  }

  // Two or four numbers of each register.
  void lanes() {
    out_.expect_operands(4);
    out_.check_is_register(3);
    lanes_ = static_cast<std::uint32_t>(facts_.name.back() - '0');
    const std::uint32_t mask = lane_mask(selector(0));
    const auto of_a = selected(1), of_b = selected(2);
    const std::uint32_t sources[2] = {whole(1, Type::u32), whole(2, Type::u32)};
    std::uint32_t result = whole(3, Type::u32);
    const auto lane = [&](std::uint32_t chosen, bool sign) {
      const std::uint32_t from = sources[chosen / lanes_], bits = 32 / lanes_;
      return narrow(sign ? Opcode::bfe_s32 : Opcode::bfe_u32, from, count(chosen % lanes_ * bits),
                    count(bits));
    };
    for (std::uint32_t i = 0; i < lanes_; ++i) {
      if ((mask >> i & 1) == 0) continue;
      const std::uint32_t bits = 32 / lanes_;
      const std::uint32_t one = of_lane(lane(of_a.at(i), signed_[1]), lane(of_b.at(i), signed_[2]));
      if (facts_.has(Modifier::add)) {
        result = narrow(Opcode::add_32, result, one);
      } else {
        const std::uint32_t merged = out_.temporary(false);
        insert(merged, one, result, {i * bits, bits});
        result = merged;
      }
    }
    put(Opcode::mov_b32, destination(), result);
  }

 private:
  static constexpr std::uint32_t kNone = Instruction::kNone;

  [[nodiscard]] const Operand& operand(std::size_t index) const { return out_.operand(index); }
  // The selector after the register's name: b2 of %r1.b2.
  [[nodiscard]] std::string_view selector(std::size_t index) const {
    const Operand& one = operand(index);
    return one.kind == OperandKind::part ? one.text.substr(one.text.rfind('.') + 1) : "";
  }
  // The same operand without its selector.
  [[nodiscard]] Operand bare(std::size_t index) const {
    Operand one = operand(index);
    if (one.kind == OperandKind::part) one.kind = OperandKind::reg;
    return one;
  }

  void check_scalar() const {
    const bool merges = !selector(0).empty(), third = merges || second_ != Modifier::none;
    out_.expect_operands(third ? 4 : 3, 4);
    for (std::size_t i = 0; i < 3; ++i) {
      if (const std::string_view one = selector(i); !one.empty() && !is_part(one))
        out_.invalid("'." + std::string(one) + "' selects no part of a register");
    }
    if (merges && second_ != Modifier::none) out_.invalid("a merge has no second operation");
    if (out_.operands() < 4) return;
    if (!selector(3).empty()) out_.invalid("a selector cannot stand here");
    if (!third) out_.source(3, Type::u32);  // which nothing uses
  }

  void check_negations(bool product, bool addend, bool plus_one) const {
    if (addend && product) out_.invalid("the product or c is negated, not both");
    if (plus_one && (product || addend)) out_.invalid(".po negates nothing");
    for (const std::size_t i : {1u, 2u}) {
      if (const std::string_view one = selector(i); !one.empty() && !is_part(one))
        out_.invalid("'." + std::string(one) + "' selects no part of a register");
    }
  }

  // The lanes that a mask such as .h10 or .b20 names, each once and the highest first.
  [[nodiscard]] std::uint32_t lane_mask(std::string_view mask) const {
    if (mask.empty()) return (1U << lanes_) - 1;
    bool good = mask[0] == (lanes_ == 2 ? 'h' : 'b') && mask.size() > 1;
    std::uint32_t lanes = 0, above = lanes_;
    for (const char digit : mask.substr(1)) {
      const auto lane = static_cast<std::uint32_t>(digit - '0');
      good = good && lane < above;
      above = lane;
      if (good) lanes |= 1U << lane;
    }
    if (!good) out_.invalid("'." + std::string(mask) + "' is no mask");
    return lanes;
  }

  // By lane, which number of a and b, counted through, is operand `index`'s: .h32, .b7654.
  [[nodiscard]] std::array<std::uint32_t, 4> selected(std::size_t index) const {
    if (operand(index).kind != OperandKind::part) out_.check_is_register(index);
    const std::string_view text = selector(index);
    std::array<std::uint32_t, 4> chosen{};
    bool good = text.empty() || (text.size() == lanes_ + 1 && text[0] == (lanes_ == 2 ? 'h' : 'b'));
    for (std::uint32_t i = 0; i < lanes_ && good; ++i) {
      const auto digit = text.empty() ? i + (index == 2 ? lanes_ : 0)
                                      : static_cast<std::uint32_t>(text[lanes_ - i] - '0');
      good = digit < 2 * lanes_;
      chosen.at(i) = digit;
    }
    if (!good) out_.invalid("'." + std::string(text) + "' is no selector");
    return chosen;
  }

  // --- registers

  std::uint32_t number(std::uint64_t value) { return out_.constant(value, true); }
  std::uint32_t count(std::uint32_t value) { return out_.constant(value, false); }

  void put(Opcode opcode, std::uint32_t d, std::uint32_t a, std::uint32_t b = kNone,
           std::uint32_t c = kNone) {
    out_.emit(opcode, d, a, b, c);
  }
  std::uint32_t narrow(Opcode opcode, std::uint32_t a, std::uint32_t b = kNone,
                       std::uint32_t c = kNone) {
    const std::uint32_t d = out_.temporary(false);
    put(opcode, d, a, b, c);
    return d;
  }
  std::uint32_t wide(Opcode opcode, std::uint32_t a, std::uint32_t b = kNone) {
    const std::uint32_t d = out_.temporary(true);
    put(opcode, d, a, b);
    return d;
  }
  std::uint32_t low(std::uint32_t a) { return narrow(Opcode::cvt_u32_u64, a); }

  std::uint32_t destination() {
    const Operand to = bare(0);
    return out_.destination(to, Type::u32);
  }
  // A register or number of 32 bits.
  std::uint32_t whole(std::size_t index, Type type) {
    const Operand one = bare(index);
    if (one.kind == OperandKind::reg && one.value != 0)
      out_.invalid("a register takes no offset here");
    return out_.source(one, type);
  }

  // Operand `index`, or the part of it, in a word.
  std::uint32_t in_word(std::size_t index) {
    const bool sign = signed_[index];
    const Part part = part_of(selector(index));
    const std::uint32_t value = whole(index, sign ? Type::s32 : Type::u32);
    if (part.bits == 32) return value;
    return narrow(sign ? Opcode::bfe_s32 : Opcode::bfe_u32, value, count(part.first),
                  count(part.bits));
  }
  // The same as a number of 64 bits.
  std::uint32_t extended(std::size_t index) {
    return wide(signed_[index] ? Opcode::cvt_s64_s32 : Opcode::cvt_u64_u32, in_word(index));
  }
  std::uint32_t as_signed(std::size_t index) { return wide(Opcode::cvt_s64_s32, in_word(index)); }

  // --- steps

  std::uint32_t operated(Mnemonic operation, std::uint32_t a, std::uint32_t b) {
    if (operation == Mnemonic::vadd) return wide(Opcode::add_64, a, b);
    if (operation == Mnemonic::vsub) return wide(Opcode::sub_64, a, b);
    if (operation == Mnemonic::vabsdiff) return wide(Opcode::abs_s64, wide(Opcode::sub_64, a, b));
    if (operation == Mnemonic::vmin) return wide(Opcode::min_s64, a, b);
    if (operation == Mnemonic::vmax) return wide(Opcode::max_s64, a, b);
    const std::uint32_t by = facts_.has(Modifier::clamp)
                                 ? narrow(Opcode::min_u32, low(b), count(32))
                                 : narrow(Opcode::and_32, low(b), count(31));
    return wide(operation == Mnemonic::vshr ? Opcode::shr_s64 : Opcode::shl_64, a, by);
  }
  [[nodiscard]] bool shifts() const {
    return operation_ == Mnemonic::vshl || operation_ == Mnemonic::vshr;
  }

  // The low 64 - `beyond` bits, with their sign.
  std::uint32_t cut(std::uint32_t value, std::uint32_t beyond) {
    return wide(Opcode::shr_s64, wide(Opcode::shl_64, value, count(beyond)), count(beyond));
  }

  std::uint32_t limited(std::uint32_t value, bool sign, std::uint32_t bits) {
    const std::int64_t most = (std::int64_t{1} << (sign ? bits - 1 : bits)) - 1;
    const std::int64_t least = sign ? -most - 1 : 0;
    value = wide(Opcode::max_s64, value, number(static_cast<std::uint64_t>(least)));
    return wide(Opcode::min_s64, value, number(static_cast<std::uint64_t>(most)));
  }

  // .sat of a result of 32 bits, or of one that is merged into less.
  std::uint32_t saturated(std::uint32_t value, std::uint32_t bits) {
    if (operation_ == Mnemonic::vshl) value = cut(value, kBeyond34);
    if (shifts()) return limited(value, signed_[0], 32);  // ptxas: whatever is merged
    if (bits != 32) {  // ptxas: what is below the range becomes the greatest
      const std::uint64_t most = (std::uint64_t{1} << (signed_[0] ? bits - 1 : bits)) - 1;
      return wide(Opcode::min_u64, value, number(most));
    }
    if (signed_[0]) return limited(value, true, 32);
    return wide(Opcode::max_s64, value, number(0));  // ptxas: nothing limits it above
  }

  // d = the smaller or greater of the result and c, which is of d's type.
  void second(std::uint32_t d, std::uint32_t result) {
    // ptxas: of these it compares the word with its sign, as if it were beyond all words.
    if (operation_ == Mnemonic::vadd || operation_ == Mnemonic::vsub ||
        (shifts() && facts_.has(Modifier::sat)))
      result = cut(result, kBeyondWord);
    const bool sign = signed_[0], least = second_ == Modifier::min;
    const std::uint32_t c =
        wide(sign ? Opcode::cvt_s64_s32 : Opcode::cvt_u64_u32, whole(3, Type::u32));
    const Opcode choice = sign ? (least ? Opcode::min_s64 : Opcode::max_s64)
                               : (least ? Opcode::min_u64 : Opcode::max_u64);
    put(Opcode::cvt_u32_u64, d, wide(choice, result, c));
  }

  // d = c with the result in the place of a part.
  void merge(std::uint32_t d, std::uint32_t result, Part part) {
    const std::uint32_t c = whole(3, Type::u32);
    if (part.first == 16 && part.bits == 16)
      return insert(d, c, result, {0, 16});  // ptxas: the result's upper half
    insert(d, result, c, part);
  }

  // d = `into` with `value` in the place of a part of it.
  void insert(std::uint32_t d, std::uint32_t value, std::uint32_t into, Part part) {
    Instruction insertion;
    insertion.opcode = Opcode::bfi_32;
    insertion.d = d;
    insertion.a = value;
    insertion.b = into;
    insertion.c = count(part.first);
    insertion.e = count(part.bits);
    out_.emit(insertion);
  }

  // 1 where the comparison holds, else 0.
  std::uint32_t truth(Opcode comparison, std::uint32_t a, std::uint32_t b) {
    return narrow(Opcode::selp_b32, count(1), count(0), narrow(comparison, a, b));
  }

  // The operation on two numbers of at most 17 bits.
  std::uint32_t of_lane(std::uint32_t a, std::uint32_t b) {
    std::uint32_t result = kNone;
    if (operation_ == Mnemonic::vset) return truth(comparison_of_word(relation_, false), a, b);
    if (operation_ == Mnemonic::vadd || operation_ == Mnemonic::vavrg)
      result = narrow(Opcode::add_32, a, b);
    if (operation_ == Mnemonic::vsub || operation_ == Mnemonic::vabsdiff)
      result = narrow(Opcode::sub_32, a, b);
    if (operation_ == Mnemonic::vabsdiff) result = narrow(Opcode::abs_s32, result);
    if (operation_ == Mnemonic::vmin) result = narrow(Opcode::min_s32, a, b);
    if (operation_ == Mnemonic::vmax) result = narrow(Opcode::max_s32, a, b);
    if (operation_ == Mnemonic::vavrg) {  // a half is rounded up from zero on, below it down
      const std::uint32_t below = narrow(Opcode::shr_s32, result, count(31));
      result = narrow(Opcode::add_32, result, narrow(Opcode::add_32, below, count(1)));
      result = narrow(Opcode::shr_s32, result, count(1));
    }
    if (!facts_.has(Modifier::sat)) return result;
    const std::uint32_t bits = 32 / lanes_;
    const std::uint32_t most = (1U << (signed_[0] ? bits - 1 : bits)) - 1;
    result = narrow(Opcode::max_s32, result, count(signed_[0] ? ~most : 0));
    return narrow(Opcode::min_s32, result, count(most));
  }

  Emitter& out_;
  const InstructionFacts& facts_;
  Mnemonic operation_;                  ///< vadd of vadd2
  Modifier second_ = Modifier::none;    ///< add, min, max or nothing
  Modifier relation_ = Modifier::none;  ///< of vset
  std::vector<bool> signed_;            ///< d, a and b
  std::uint32_t lanes_ = 1;
};

}  // namespace

void decode_video(Emitter& out) {
  // The forms that CUDA C++ uses have dedicated operations.
  const OpcodeInfo* const own = find_in_any_order(out.statement().opcode);
  const auto* const first = out.function.operands.data() + out.statement().first_operand;
  if (own != nullptr && std::none_of(first, first + out.operands(), [](const Operand& one) {
        return one.kind == OperandKind::part;
      }))
    return arithmetic(out, *own);
  Video instruction(out);
  const std::string_view name = out.facts().name;
  if (out.facts().mnemonic == Mnemonic::vmad)
    instruction.multiply_add();
  else if (name.ends_with('2') || name.ends_with('4'))
    instruction.lanes();
  else
    instruction.scalar();
}

}  // namespace warpmark::cpu
