// Which function of partial_value.hpp stands for which operation.
#include "inspect/bit_flow.hpp"

#include <algorithm>
#include <bit>
#include <string_view>

namespace warpmark::cpu {
namespace {

enum class Kind : std::uint8_t {
  other,  ///< any undefined bit makes the whole undefined
  move,
  convert,  ///< of integers
  logic,    ///< tables of kLogic
  lop3,
  add,
  subtract,
  negate,
  multiply,
  multiply_high,
  multiply_add,
  shift_left,
  shift_right,
  funnel_left,
  funnel_right,
  extract,
  insert,
  permute,
  reverse,
  population,
  leading_zeros,
  leading_bit,
  dot,
  differences,
  least,
  greatest,
  divide,
  remainder,
  is_zero,
  choose,
  halves,  ///< two numbers of half the width, each by itself
  join,    ///< two numbers become halves
};

struct Meaning {
  Kind kind = Kind::other;
  std::uint8_t table = 0;  ///< of logic
  bool is_signed = false;  ///< of a
  bool carries = false;    ///< reads the carry
  bool cancels = false;    ///< itself
};

struct FlowWord {
  std::string_view begins;
  Kind kind;
  std::uint8_t table = 0;
};

// Beginnings of names. Tables are lop3's, for operands a and b.
constexpr FlowWord kFlowWords[] = {
    {"and.", Kind::logic, 0xc0},
    {"or.", Kind::logic, 0xfc},
    {"xor.", Kind::logic, 0x3c},
    {"not.", Kind::logic, 0x0f},
    {"lop3.", Kind::lop3},
    {"add.", Kind::add},
    {"addc.", Kind::add},
    {"sub.", Kind::subtract},
    {"subc.", Kind::subtract},
    {"neg.", Kind::negate},
    {"mul.lo.", Kind::multiply},
    {"mul.wide.", Kind::multiply},
    {"mul.hi.", Kind::multiply_high},
    {"mad.lo.", Kind::multiply_add},
    {"mad.wide.", Kind::multiply_add},
    {"madc.lo.", Kind::multiply_add},
    {"shl.", Kind::shift_left},
    {"shr.", Kind::shift_right},
    {"shf.l.", Kind::funnel_left},
    {"shf.r.", Kind::funnel_right},
    {"bfe.", Kind::extract},
    {"bfi.", Kind::insert},
    {"brev.", Kind::reverse},
    {"popc.", Kind::population},
    {"clz.", Kind::leading_zeros},
    {"bfind.", Kind::leading_bit},
    {"dp4a.", Kind::dot},
    {"vabsdiff", Kind::differences},
    {"min.", Kind::least},
    {"max.", Kind::greatest},
    {"div.", Kind::divide},
    {"rem.", Kind::remainder},
    {"cnot.", Kind::is_zero},
};

Meaning meaning_of(const OpcodeInfo& info) {
  const std::string_view names = info.names, name = names.substr(0, names.find(' '));
  const bool integers = is_integer(info.d) && is_integer(info.a);
  const std::string_view first = name.substr(0, name.find('.'));
  const bool chain = info.form == Form::carry2 || info.form == Form::carry3;
  Meaning meaning{Kind::other, 0, is_signed(info.a), chain && first.ends_with('c'),
                  integers && (first == "xor" || first == "sub")};
  if (name.starts_with("mov.")) meaning.kind = Kind::move;
  if (name.starts_with("slct.")) meaning.kind = Kind::choose;
  if (name.find("x2.f32") != name.npos && info.form == Form::binary) meaning.kind = Kind::join;
  if (name.ends_with("x2")) meaning.kind = Kind::halves;
  if (name == "prmt.b32") meaning.kind = Kind::permute;
  if (meaning.kind != Kind::other || !integers || name.find(".sat") != name.npos ||
      name.find(".relu") != name.npos)
    return meaning;
  if (name.starts_with("cvt.")) meaning.kind = Kind::convert;
  for (const FlowWord& word : kFlowWords) {
    if (!name.starts_with(word.begins)) continue;
    meaning.kind = word.kind;
    meaning.table = word.table;
  }
  return meaning;
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

class Result {
 public:
  Result(const OpcodeInfo& info, const Operands& operands)
      : info_(info), x_(operands), width_(width_of(info.d)) {}

  BitFlow get() {
    const Meaning& meaning = known_meaning(info_);
    compute(meaning);
    flow_.undefined &= low_bits(width_);
    // Registers of narrow types hold them with their sign.
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

 private:
  [[nodiscard]] bool any() const {
    return std::any_of(x_.begin(), x_.end(), [](const auto& x) { return x.undefined != 0; });
  }
  void whole() { flow_.undefined = any() ? ~std::uint64_t{0} : 0; }

  // Bits that are an operand's, whatever the undefined ones are.
  template <typename Function>
  void find_copies(Function function) {
    const auto [zeros, ones] = extremes(x_, function);
    for (std::size_t k = 0; k < 3; ++k) {
      flow_.copied.at(k) = x_.at(k).undefined & flow_.undefined & ~(zeros ^ x_.at(k).least()) &
                           ~(ones ^ x_.at(k).most());
    }
  }

  void compute(const Meaning& meaning) {
    const auto &a = x_[0], &b = x_[1], &c = x_[2], &e = x_[3];
    switch (meaning.kind) {
      case Kind::move:
        return copy(a.undefined);
      case Kind::convert:
        flow_.low_part = width_of(info_.a) == 8 && width_ > 8;
        return copy(extended(a, width_of(info_.a), width_, meaning.is_signed).undefined);
      case Kind::logic:
        return logic(meaning.table, {});
      case Kind::lop3:
        if (e.undefined != 0) return whole();
        return logic(static_cast<std::uint8_t>(e.value), c);
      case Kind::add:
        return sum(a, b);
      case Kind::subtract:
        return difference(a, b);
      case Kind::negate:
        flow_.undefined = undefined_difference({}, a, width_);
        return;
      case Kind::multiply:
        flow_.undefined = undefined_product(wide(a, meaning), wide(b, meaning), width_);
        return;
      case Kind::multiply_high:
        return high_product(meaning);
      case Kind::multiply_add: {
        const PartialValue product = partial_product(wide(a, meaning), wide(b, meaning), width_);
        flow_.undefined = undefined_sum(product, c, width_, carry_in(), carry_out());
        return;
      }
      case Kind::shift_left:
      case Kind::shift_right:
      case Kind::funnel_left:
      case Kind::funnel_right:
        return shift(meaning);
      case Kind::extract:
      case Kind::insert:
        return field(meaning);
      case Kind::permute:
        return permute();
      case Kind::reverse:
        flow_.undefined = undefined_reverse(a, width_);
        return;
      case Kind::population:
        flow_.undefined = between(static_cast<std::uint64_t>(std::popcount(a.least())),
                                  static_cast<std::uint64_t>(std::popcount(a.most())));
        return;
      case Kind::leading_zeros:
        flow_.undefined = between(leading_zeros(a.least()), leading_zeros(a.most()));
        return;
      case Kind::leading_bit:
        return leading_bit(meaning);
      case Kind::dot:
        return dot();
      case Kind::differences:
        return differences();
      case Kind::least:
      case Kind::greatest:
        return extreme(meaning);
      case Kind::divide:
      case Kind::remainder:
        return quotient(meaning);
      case Kind::is_zero:
        flow_.undefined = any() && a.least() == 0 ? 1 : 0;
        return;
      case Kind::choose:
        return choose();
      case Kind::halves:
        return by_lanes(width_ / 2);
      case Kind::join:
        flow_.undefined = (a.undefined != 0 ? 0xffff0000 : 0) | (b.undefined != 0 ? 0xffff : 0);
        return;
      case Kind::other:
        break;
    }
    whole();
    flow_.carry = flow_.undefined != 0;
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
    flow_.low_part = table == 0xc0 && (cuts(a) || cuts(b));
    flow_.joined = table != 0xc0;
  }

  [[nodiscard]] bool chained() const {
    return info_.form == Form::carry2 || info_.form == Form::carry3;
  }
  [[nodiscard]] PartialValue carry_in() const { return chained() ? x_[3] : PartialValue{}; }
  [[nodiscard]] bool* carry_out() { return chained() ? &flow_.carry : nullptr; }

  void sum(const PartialValue& a, const PartialValue& b) {
    flow_.undefined = undefined_sum(a, b, width_, carry_in(), carry_out());
    if (!chained()) find_copies([](auto x, auto y, auto) { return x + y; });
    flow_.joined = true;
  }
  // A chain has the carry of a + ~b + 1.
  void difference(const PartialValue& a, const PartialValue& b) {
    if (chained()) {
      const bool first = info_.names.starts_with("sub.");
      const PartialValue inverse{~b.value & low_bits(width_), b.undefined};
      flow_.undefined =
          undefined_sum(a, inverse, width_, first ? PartialValue{1, 0} : carry_in(), carry_out());
      return;
    }
    flow_.undefined = undefined_difference(a, b, width_);
    if (b.undefined == 0) find_copies([](auto x, auto y, auto) { return x - y; });
  }

  [[nodiscard]] std::uint64_t leading_zeros(std::uint64_t a) const {
    return static_cast<std::uint64_t>(std::countl_zero(a)) - (64 - width_of(info_.a));
  }

  // Zero has none, which is -1: as far from the others as can be.
  void leading_bit(const Meaning& meaning) {
    const PartialValue& a = x_[0];
    const bool shifts = info_.names.find(".shiftamt") != std::string_view::npos;
    if (a.undefined == 0) return;
    if (meaning.is_signed || a.least() == 0) return whole();
    const auto bit = [&](std::uint64_t value) {
      return shifts ? leading_zeros(value) : static_cast<std::uint64_t>(std::bit_width(value)) - 1;
    };
    flow_.undefined = between(bit(a.least()), bit(a.most()));
  }

  // dp4a: a product of bytes is nothing where one is zero.
  void dot() {
    flow_.undefined = x_[2].undefined;
    for (std::uint32_t byte = 0; byte < 32; byte += 8) {
      const auto part = [&](const PartialValue& x) {
        return PartialValue{x.value >> byte & 0xff, x.undefined >> byte & 0xff};
      };
      if (undefined_product(part(x_[0]), part(x_[1]), 8) != 0) return whole();
    }
  }

  // vabsdiff2 and 4: lane by lane, or their sum.
  void differences() {
    if (info_.names.find(".add") != std::string_view::npos) return whole();
    by_lanes(info_.names[8] == '2' ? 16 : 8);
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
  [[nodiscard]] PartialValue wide(const PartialValue& a, const Meaning& meaning) const {
    return extended(a, width_of(info_.a), width_, meaning.is_signed);
  }

  void high_product(const Meaning& meaning) {
    if (width_ > 32) return whole();
    const auto twice = [&](const PartialValue& a) {
      return extended(a, width_, 2 * width_, meaning.is_signed);
    };
    flow_.undefined = undefined_product(twice(x_[0]), twice(x_[1]), 2 * width_) >> width_;
  }

  void shift(const Meaning& meaning) {
    const bool funnel = meaning.kind == Kind::funnel_left || meaning.kind == Kind::funnel_right;
    const PartialValue& amount = funnel ? x_[2] : x_[1];
    if (amount.undefined != 0) return whole();
    std::uint64_t by = amount.value;
    if (funnel) {
      const bool wraps = info_.names.find(".wrap.") != std::string_view::npos;
      by = wraps ? by & 31 : std::min<std::uint64_t>(by, 32);
      const PartialValue both{x_[1].value << 32 | x_[0].value,
                              x_[1].undefined << 32 | x_[0].undefined};
      flow_.undefined = meaning.kind == Kind::funnel_left
                            ? undefined_shift_left(both, by, 64) >> 32
                            : undefined_shift_right(both, by, 64, false);
    } else if (meaning.kind == Kind::shift_left) {
      flow_.undefined = undefined_shift_left(x_[0], by, width_);
    } else {
      flow_.undefined = undefined_shift_right(x_[0], by, width_, meaning.is_signed);
    }
    if (by % 8 == 0) copied_from_both();
  }
  void copied_from_both() {
    for (std::size_t k = 0; k < 2; ++k)
      flow_.copied.at(k) = x_.at(k).undefined != 0 ? flow_.undefined : 0;
  }

  // A field of whole bytes is a copy of them.
  void field(const Meaning& meaning) {
    const bool inserts = meaning.kind == Kind::insert;
    const PartialValue &first = inserts ? x_[2] : x_[1], &count = inserts ? x_[3] : x_[2];
    if (first.undefined != 0 || count.undefined != 0) return whole();
    const std::uint32_t from = first.value & 0xff, bits = count.value & 0xff;
    const bool bytes = from % 8 == 0 && bits % 8 == 0;
    if (inserts) {
      flow_.undefined = undefined_insert(x_[0], x_[1], from, bits, width_);
      const std::uint64_t inside = from < width_ ? low_bits(bits) << from : 0;
      flow_.copied[0] = bytes ? inside : 0;
      flow_.copied[1] = ~inside;
      flow_.joined = true;
      return;
    }
    flow_.undefined = undefined_extract(x_[0], from, bits, width_, meaning.is_signed);
    flow_.copied[0] = bytes ? flow_.undefined : 0;
    flow_.low_part = true;
  }

  void permute() {
    const PartialValue& selectors = x_[2];
    if (selectors.undefined != 0) return whole();
    const auto chosen = static_cast<std::uint32_t>(selectors.value);
    flow_.undefined = undefined_permute(x_[0], x_[1], chosen);
    // With bytes of zeros it extends a number.
    const bool zeros = (x_[1].most() == 0 && x_[0].undefined != 0);
    (zeros ? flow_.low_part : flow_.joined) = true;
    for (std::uint32_t byte = 0; byte < 4; ++byte) {
      const std::uint32_t selector = chosen >> (4 * byte) & 0xf;
      const std::uint64_t bits = std::uint64_t{0xff} << (8 * byte);
      if (selector < 8) flow_.copied.at(selector / 4) |= bits;
    }
  }

  void extreme(const Meaning& meaning) {
    const auto &a = x_[0], &b = x_[1];
    const std::uint64_t choice = undefined_choice(a, b);
    if (!any()) return;
    const std::uint64_t sign = meaning.is_signed ? std::uint64_t{1} << (width_ - 1) : 0;
    const PartialValue p{a.value ^ sign, a.undefined}, q{b.value ^ sign, b.undefined};
    const auto pick = [&](std::uint64_t x, std::uint64_t y) {
      return meaning.kind == Kind::least ? std::min(x, y) : std::max(x, y);
    };
    flow_.undefined = choice & between(pick(p.least(), q.least()), pick(p.most(), q.most()));
  }

  void quotient(const Meaning& meaning) {
    const auto &a = x_[0], &b = x_[1];
    if (!any()) return;
    if (meaning.is_signed || b.undefined != 0 || b.value == 0) return whole();
    flow_.undefined = meaning.kind == Kind::divide
                          ? between(a.least() / b.value, a.most() / b.value)
                          : between(0, b.value - 1);
  }

  // slct: by the sign of c.
  void choose() {
    const std::uint64_t sign = std::uint64_t{1} << 31;
    const bool number = info_.c == Type::s32;
    if (number ? (x_[2].undefined & sign) != 0 : x_[2].undefined != 0) {
      flow_.undefined = undefined_choice(x_[0], x_[1]);
      return;
    }
    const std::uint64_t value = x_[2].value, magnitude = value & ~sign;
    const bool flushes = info_.names.find(".ftz") != std::string_view::npos;
    const bool zero = magnitude == 0 || (flushes && magnitude < 0x00800000);
    const bool first = number ? (value & sign) == 0 : zero || value <= 0x7f800000;
    const std::size_t k = first ? 0 : 1;
    flow_.undefined = flow_.copied.at(k) = x_.at(k).undefined;
  }

  const OpcodeInfo& info_;
  const Operands& x_;
  std::uint32_t width_;
  BitFlow flow_;
};

}  // namespace

BitFlow flow_of_bits(const OpcodeInfo& info, const Operands& operands) {
  return Result(info, operands).get();
}

bool reads_carry(const OpcodeInfo& info) {
  return known_meaning(info).carries;
}

bool cancels_itself(const OpcodeInfo& info) {
  return known_meaning(info).cancels;
}

bool undefined_comparison(const OpcodeInfo& info, const PartialValue& a, const PartialValue& b) {
  if ((a.undefined | b.undefined) == 0) return false;
  if (!is_integer(info.a)) return true;
  const std::uint32_t width = width_of(info.a);
  const std::string_view name = info.names;
  const bool number = is_signed(info.a);
  const auto is = [&](std::string_view word) { return name.starts_with(word); };
  if (is("setp.eq.") || is("setp.ne.")) return undefined_equality(a, b);
  if (is("setp.lt.") || is("setp.lo.")) return undefined_order(a, b, false, width, number);
  if (is("setp.le.") || is("setp.ls.")) return undefined_order(a, b, true, width, number);
  if (is("setp.gt.") || is("setp.hi.")) return undefined_order(b, a, false, width, number);
  if (is("setp.ge.") || is("setp.hs.")) return undefined_order(b, a, true, width, number);
  return true;
}

}  // namespace warpmark::cpu
