// Maps each operation to its function of partial_value.hpp.
#include "inspect/values/bit_flow.hpp"

#include <algorithm>
#include <bit>

#include "program/data_flow.hpp"

namespace warpmark::cpu {
namespace {

std::uint32_t width_of(Type type) {
  return 8 * bytes_of(type);
}

using Operands = std::array<PartialValue, BitFlow::kOperands>;

// Computes what an instruction does with all undefined bits zero, and with all of them one.
template <typename Function>
std::pair<std::uint64_t, std::uint64_t> extremes(const Operands& x, Function function) {
  return {function(x[0].least(), x[1].least(), x[2].least()),
          function(x[0].most(), x[1].most(), x[2].most())};
}

constexpr std::uint8_t kAnd = 0xc0;  // the table of lop3

class Result {
 public:
  /// Sets the flow of the result.
  using Rule = void (Result::*)();

  Result(const OpcodeInfo& info, const Operands& operands)
      : info_(info), x_(operands), width_(width_of(info.d)), signed_(is_signed(info.a)) {}

  BitFlow get(Rule rule) {
    (this->*rule)();
    flow_.undefined &= low_bits(width_);
    // Registers hold values of narrow types sign-extended.
    if (width_ < 32) {
      const bool sign = is_signed(info_.d);
      const auto extend = [&](std::uint64_t bits) {
        return extended({0, bits}, width_, 32, sign).undefined;
      };
      flow_.undefined = extend(flow_.undefined);
      for (std::uint64_t& bits : flow_.copied) bits = extend(bits);
    }
    for (std::uint64_t& bits : flow_.copied) bits &= flow_.undefined;
    return flow_;
  }

  // --- rules

  // Any undefined bit makes the whole undefined.
  void other() {
    whole();
    flow_.carry = flow_.undefined != 0;
  }

  void move() { copy(x_[0].undefined); }
  void convert() {
    flow_.low_part = width_of(info_.a) == 8 && width_ > 8;
    copy(wide(x_[0]).undefined);
  }

  // `Table` is lop3's, for operands a and b.
  template <std::uint8_t Table>
  void logic() {
    logic(Table, {});
  }
  void lop3() {
    if (x_[3].undefined != 0) return whole();
    logic(static_cast<std::uint8_t>(x_[3].value), x_[2]);
  }

  void add() {
    flow_.undefined = undefined_sum(x_[0], x_[1], width_, carry_in(), carry_out());
    if (!chained()) find_copies([](auto x, auto y, auto) { return x + y; });
    flow_.joined = true;
  }

  // A carry chain has the carry of a + ~b + 1.
  void subtract() {
    const auto &a = x_[0], &b = x_[1];
    if (chained()) {
      const bool first = info_.e != Type::pred;
      const PartialValue inverse{~b.value & low_bits(width_), b.undefined};
      flow_.undefined =
          undefined_sum(a, inverse, width_, first ? PartialValue{1, 0} : carry_in(), carry_out());
      return;
    }
    flow_.undefined = undefined_difference(a, b, width_);
    if (b.undefined == 0) find_copies([](auto x, auto y, auto) { return x - y; });
  }

  void negate() { flow_.undefined = undefined_difference({}, x_[0], width_); }

  void multiply() { flow_.undefined = undefined_product(wide(x_[0]), wide(x_[1]), width_); }
  void multiply_add() {
    const PartialValue product = partial_product(wide(x_[0]), wide(x_[1]), width_);
    flow_.undefined = undefined_sum(product, x_[2], width_, carry_in(), carry_out());
  }
  void multiply_high() {
    if (width_ > 32) return whole();
    const auto twice = [&](const PartialValue& a) {
      return extended(a, width_, 2 * width_, signed_);
    };
    flow_.undefined = undefined_product(twice(x_[0]), twice(x_[1]), 2 * width_) >> width_;
  }

  template <bool Left>
  void shift() {
    if (x_[1].undefined != 0) return whole();
    const std::uint64_t by = x_[1].value;
    flow_.undefined = Left ? undefined_shift_left(x_[0], by, width_)
                           : undefined_shift_right(x_[0], by, width_, signed_);
    if (by % 8 == 0) copied_from_both();
  }
  template <bool Left>
  void funnel_shift() {
    if (x_[2].undefined != 0) return whole();
    const bool wraps = words_of(info_).has(Modifier::wrap);
    const std::uint64_t by = wraps ? x_[2].value & 31 : std::min<std::uint64_t>(x_[2].value, 32);
    const PartialValue both{x_[1].value << 32 | x_[0].value,
                            x_[1].undefined << 32 | x_[0].undefined};
    flow_.undefined = Left ? undefined_shift_left(both, by, 64) >> 32
                           : undefined_shift_right(both, by, 64, false);
    if (by % 8 == 0) copied_from_both();
  }

  // A field of whole bytes is a copy of them.
  void extract() {
    const PartialValue &first = x_[1], &count = x_[2];
    if (first.undefined != 0 || count.undefined != 0) return whole();
    const std::uint32_t from = first.value & 0xff, bits = count.value & 0xff;
    flow_.undefined = undefined_extract(x_[0], from, bits, width_, signed_);
    flow_.copied[0] = whole_bytes(from, bits) ? flow_.undefined : 0;
    flow_.low_part = true;
  }
  void insert() {
    const PartialValue &first = x_[2], &count = x_[3];
    if (first.undefined != 0 || count.undefined != 0) return whole();
    const std::uint32_t from = first.value & 0xff, bits = count.value & 0xff;
    flow_.undefined = undefined_insert(x_[0], x_[1], from, bits, width_);
    const std::uint64_t inside = from < width_ ? low_bits(bits) << from : 0;
    flow_.copied[0] = whole_bytes(from, bits) ? inside : 0;
    flow_.copied[1] = ~inside;
    flow_.joined = true;
  }

  void permute() {
    const PartialValue& selectors = x_[2];
    if (selectors.undefined != 0) return whole();
    const auto chosen = static_cast<std::uint32_t>(selectors.value);
    flow_.undefined = undefined_permute(x_[0], x_[1], chosen);
    // A permutation with zero bytes extends a number.
    const bool zeros = (x_[1].most() == 0 && x_[0].undefined != 0);
    (zeros ? flow_.low_part : flow_.joined) = true;
    for (std::uint32_t byte = 0; byte < 4; ++byte) {
      const std::uint32_t selector = chosen >> (4 * byte) & 0xf;
      const std::uint64_t bits = std::uint64_t{0xff} << (8 * byte);
      if (selector < 8) flow_.copied.at(selector / 4) |= bits;
    }
  }

  void reverse() { flow_.undefined = undefined_reverse(x_[0], width_); }
  void population() {
    flow_.undefined = between(static_cast<std::uint64_t>(std::popcount(x_[0].least())),
                              static_cast<std::uint64_t>(std::popcount(x_[0].most())));
  }
  void count_leading_zeros() {
    flow_.undefined = between(leading_zeros(x_[0].least()), leading_zeros(x_[0].most()));
  }
  // Zero has no leading bit, which gives -1: every bit of the result may change.
  void leading_bit() {
    const PartialValue& a = x_[0];
    const bool shifts = words_of(info_).has(Modifier::shiftamt);
    if (a.undefined == 0) return;
    if (signed_ || a.least() == 0) return whole();
    const auto bit = [&](std::uint64_t value) {
      return shifts ? leading_zeros(value) : static_cast<std::uint64_t>(std::bit_width(value)) - 1;
    };
    flow_.undefined = between(bit(a.least()), bit(a.most()));
  }

  // dp4a: a product of bytes is zero where one of them is zero.
  void dot() {
    flow_.undefined = x_[2].undefined;
    for (std::uint32_t byte = 0; byte < 32; byte += 8) {
      const auto part = [&](const PartialValue& x) {
        return PartialValue{x.value >> byte & 0xff, x.undefined >> byte & 0xff};
      };
      if (undefined_product(part(x_[0]), part(x_[1]), 8) != 0) return whole();
    }
  }

  // Numbers of `Bits` bits, each by itself.
  template <std::uint32_t Bits>
  void by_lanes() {
    by_lanes(Bits);
  }
  void halves() { by_lanes(width_ / 2); }
  // Two numbers become halves.
  void join() {
    flow_.undefined = (x_[0].undefined != 0 ? 0xffff0000 : 0) | (x_[1].undefined != 0 ? 0xffff : 0);
  }

  template <bool Least>
  void extreme() {
    const auto &a = x_[0], &b = x_[1];
    const std::uint64_t choice = undefined_choice(a, b);
    if (!any()) return;
    const std::uint64_t sign = signed_ ? std::uint64_t{1} << (width_ - 1) : 0;
    const PartialValue p{a.value ^ sign, a.undefined}, q{b.value ^ sign, b.undefined};
    const auto pick = [&](std::uint64_t x, std::uint64_t y) {
      return Least ? std::min(x, y) : std::max(x, y);
    };
    flow_.undefined = choice & between(pick(p.least(), q.least()), pick(p.most(), q.most()));
  }

  template <bool Remainder>
  void divide() {
    const auto &a = x_[0], &b = x_[1];
    if (!any()) return;
    if (signed_ || b.undefined != 0 || b.value == 0) return whole();
    // Division by a power of two in unoptimised code is a shift or a mask.
    if (std::has_single_bit(b.value)) {
      const auto by = static_cast<std::uint32_t>(std::countr_zero(b.value));
      flow_.undefined = Remainder ? a.undefined & (b.value - 1) : a.undefined >> by;
      return;
    }
    flow_.undefined =
        Remainder ? between(0, b.value - 1) : between(a.least() / b.value, a.most() / b.value);
  }

  void is_zero() { flow_.undefined = any() && x_[0].least() == 0 ? 1 : 0; }

  // slct: by the sign of c.
  void choose() {
    const std::uint64_t sign = std::uint64_t{1} << 31;
    const bool number = info_.c == Type::s32;
    if (number ? (x_[2].undefined & sign) != 0 : x_[2].undefined != 0) {
      flow_.undefined = undefined_choice(x_[0], x_[1]);
      return;
    }
    const std::uint64_t value = x_[2].value, magnitude = value & ~sign;
    const bool flushes = words_of(info_).has(Modifier::ftz);
    const bool zero = magnitude == 0 || (flushes && magnitude < 0x00800000);
    const bool first = number ? (value & sign) == 0 : zero || value <= 0x7f800000;
    const std::size_t k = first ? 0 : 1;
    flow_.undefined = flow_.copied.at(k) = x_.at(k).undefined;
  }

 private:
  [[nodiscard]] bool any() const {
    return std::any_of(x_.begin(), x_.end(), [](const auto& x) { return x.undefined != 0; });
  }
  void whole() { flow_.undefined = any() ? ~std::uint64_t{0} : 0; }

  // Finds result bits that equal an operand's bits, whatever the undefined bits are.
  template <typename Function>
  void find_copies(Function function) {
    const auto [zeros, ones] = extremes(x_, function);
    for (std::size_t k = 0; k < 3; ++k) {
      flow_.copied.at(k) = x_.at(k).undefined & flow_.undefined & ~(zeros ^ x_.at(k).least()) &
                           ~(ones ^ x_.at(k).most());
    }
  }

  void copy(std::uint64_t undefined) { flow_.undefined = flow_.copied[0] = undefined; }

  void logic(std::uint8_t table, const PartialValue& c) {
    const auto &a = x_[0], &b = x_[1];
    flow_.undefined = undefined_logic(table, a, b, c);
    if (flow_.undefined == 0) return;
    find_copies([&](auto x, auto y, auto z) { return warpmark::cpu::logic(table, x, y, z); });
    // Low bits that are cut out of a value are no copy of it.
    const auto cuts = [&](const PartialValue& mask) {
      return mask.undefined == 0 && mask.value != low_bits(width_) &&
             (mask.value & (mask.value + 1)) == 0;
    };
    flow_.low_part = table == kAnd && (cuts(a) || cuts(b));
    flow_.joined = table != kAnd;
  }

  [[nodiscard]] bool chained() const {
    return info_.form == Form::carry2 || info_.form == Form::carry3;
  }
  [[nodiscard]] PartialValue carry_in() const { return chained() ? x_[3] : PartialValue{}; }
  [[nodiscard]] bool* carry_out() { return chained() ? &flow_.carry : nullptr; }

  [[nodiscard]] std::uint64_t leading_zeros(std::uint64_t a) const {
    return static_cast<std::uint64_t>(std::countl_zero(a)) - (64 - width_of(info_.a));
  }

  // Numbers of `lane` bits, each by itself.
  void by_lanes(std::uint32_t lane) {
    for (std::uint32_t from = 0; from < width_; from += lane) {
      const std::uint64_t bits = low_bits(lane) << from;
      if (std::any_of(x_.begin(), x_.end(),
                      [&](const PartialValue& x) { return (x.undefined & bits) != 0; }))
        flow_.undefined |= bits;
    }
  }

  // An operand as wide as the result.
  [[nodiscard]] PartialValue wide(const PartialValue& a) const {
    return extended(a, width_of(info_.a), width_, signed_);
  }

  static bool whole_bytes(std::uint32_t from, std::uint32_t bits) {
    return from % 8 == 0 && bits % 8 == 0;
  }
  void copied_from_both() {
    for (std::size_t k = 0; k < 2; ++k)
      flow_.copied.at(k) = x_.at(k).undefined != 0 ? flow_.undefined : 0;
  }

  const OpcodeInfo& info_;
  const Operands& x_;
  std::uint32_t width_;
  bool signed_;
  BitFlow flow_;
};

struct BitRow {
  FlowTypes types;
  Result::Rule rule;
};
constexpr BitRow kBitRows[] = {
#define FLOW(mnemonic, word, types, flow, bits) {FlowTypes::types, &Result::bits},
#include "program/flows.def"
};

struct Meaning {
  Result::Rule rule = &Result::other;
  bool cancels = false;  ///< itself
};

Result::Rule rule_of(const OpcodeInfo& info) {
  const InstructionFacts& words = words_of(info);
  const std::size_t number = flow_row(info);
  const BitRow row =
      number == kNoFlowRow ? BitRow{FlowTypes::integers, &Result::other} : kBitRows[number];
  if (row.types == FlowTypes::any) return row.rule;
  if (words.mnemonic == Mnemonic::cvt && info.form == Form::binary && info.a == Type::f32)
    return &Result::join;
  if (words.is_packed()) return &Result::halves;
  for (const Modifier limit : {Modifier::sat, Modifier::satfinite, Modifier::relu, Modifier::add})
    if (words.has(limit)) return &Result::other;
  return row.rule;
}

Meaning meaning_of(const OpcodeInfo& info) {
  const bool integers = is_integer(info.d) && is_integer(info.a);
  const Mnemonic mnemonic = words_of(info).mnemonic;
  return {rule_of(info), integers && (mnemonic == Mnemonic::xor_ || mnemonic == Mnemonic::sub)};
}

const Meaning& known_meaning(const OpcodeInfo& info) {
  static const auto table = [] {
    std::array<Meaning, static_cast<std::size_t>(Opcode::count)> meanings;
    for (std::size_t i = 0; i < meanings.size(); ++i) {
      const OpcodeInfo* known = find_opcode(static_cast<Opcode>(i));
      if (known != nullptr && !is_atomic(known->form)) meanings.at(i) = meaning_of(*known);
    }
    return meanings;
  }();
  return table.at(static_cast<std::size_t>(info.opcode));
}

}  // namespace

BitFlow flow_of_bits(const OpcodeInfo& info, const Operands& operands) {
  return Result(info, operands).get(known_meaning(info).rule);
}

BitFlow flow_of_combination(const OpcodeInfo& info, const Combination& combination,
                            const std::array<PartialValue, 3>& registers) {
  const auto& [a, b, c] = registers;
  if (combination.kind == Combination::Kind::bitwise)
    return Result(info, {a, b, c, {combination.table, 0}}).get(&Result::lop3);
  if (combination.kind == Combination::Kind::masked) {
    // The quotient of a negative number depends on the value of the remainder.
    const std::uint64_t sign = std::uint64_t{1} << (width_of(info.d) - 1);
    if (combination.with_sign && (a.most() & sign) != 0)
      return Result(info, {a, {}, {}, {}}).get(&Result::other);
    const PartialValue mask{combination.mask & low_bits(width_of(info.d)), 0};
    return Result(info, {a, mask, {}, {}}).get(&Result::logic<kAnd>);
  }
  BitFlow flow;
  flow.undefined = combination.kind == Combination::Kind::negative
                       ? undefined_with_negative(combination.table, a, width_of(info.d))
                       : undefined_with_predecessor(combination.table, a, width_of(info.d));
  return flow;
}

bool cancels_itself(const OpcodeInfo& info) {
  return known_meaning(info).cancels;
}

bool undefined_comparison(const OpcodeInfo& info, const PartialValue& a, const PartialValue& b) {
  if ((a.undefined | b.undefined) == 0) return false;
  if (!is_integer(info.a)) return true;
  const std::uint32_t width = width_of(info.a);
  const Modifier relation = words_of(info).modifiers.front();
  const bool number = is_signed(info.a);
  if (relation == Modifier::eq || relation == Modifier::ne) return undefined_equality(a, b);
  if (relation == Modifier::lt || relation == Modifier::lo)
    return undefined_order(a, b, false, width, number);
  if (relation == Modifier::le || relation == Modifier::ls)
    return undefined_order(a, b, true, width, number);
  if (relation == Modifier::gt || relation == Modifier::hi)
    return undefined_order(b, a, false, width, number);
  if (relation == Modifier::ge || relation == Modifier::hs)
    return undefined_order(b, a, true, width, number);
  return true;
}

}  // namespace warpmark::cpu
