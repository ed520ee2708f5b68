// The bounds of sums are those of "Using Valgrind to detect undefined value errors with
// bit-precision" (Seward and Nethercote, 2005), section 2.5; logic tries both values of each bit.
#include "inspect/values/partial_value.hpp"

#include <algorithm>
#include <bit>

namespace warpmark::cpu {
namespace {

__extension__ typedef unsigned __int128 Wide;

std::uint64_t sign_bit(std::uint32_t width) {
  return width == 0 ? 0 : std::uint64_t{1} << (width - 1);
}

// Signed numbers are ordered like unsigned ones with the sign bit inverted.
PartialValue as_unsigned(const PartialValue& a, std::uint32_t width, bool is_signed) {
  return is_signed ? PartialValue{a.value ^ sign_bit(width), a.undefined} : a;
}

}  // namespace

std::uint64_t between(std::uint64_t least, std::uint64_t most) {
  return low_bits(static_cast<std::uint32_t>(std::bit_width(least ^ most)));
}

PartialValue extended(const PartialValue& a, std::uint32_t from, std::uint32_t to, bool is_signed) {
  const auto extend = [&](std::uint64_t bits) {
    bits &= low_bits(from);
    if (is_signed && to > from && (bits & sign_bit(from)) != 0) bits |= ~low_bits(from);
    return bits & low_bits(to);
  };
  return {extend(a.value), extend(a.undefined)};
}

std::uint64_t logic(std::uint8_t table, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  std::uint64_t result = 0;
  for (unsigned row = 0; row < 8; ++row) {
    if ((table >> row & 1) == 0) continue;
    result |= ((row & 4) != 0 ? a : ~a) & ((row & 2) != 0 ? b : ~b) & ((row & 1) != 0 ? c : ~c);
  }
  return result;
}

std::uint64_t undefined_logic(std::uint8_t table, const PartialValue& a, const PartialValue& b,
                              const PartialValue& c) {
  const std::uint64_t first = logic(table, a.least(), b.least(), c.least());
  std::uint64_t differs = 0;
  for (unsigned choice = 1; choice < 8; ++choice) {
    differs |= first ^ logic(table, (choice & 4) != 0 ? a.most() : a.least(),
                             (choice & 2) != 0 ? b.most() : b.least(),
                             (choice & 1) != 0 ? c.most() : c.least());
  }
  return differs;
}

namespace {

// The undefined bits of a function of x and a value whose bits above the lowest set bit of x are
// those of x, or their inverse. `other` is used for that value if the lowest set bit is not known.
std::uint64_t undefined_beside(std::uint8_t table, const PartialValue& x, bool inverted,
                               const PartialValue& other) {
  const std::uint64_t lowest = x.least() & (~x.least() + 1);
  if (lowest == 0 || (x.undefined & (lowest - 1)) != 0) return undefined_logic(table, x, other, {});
  const std::uint64_t zero = inverted ? ~std::uint64_t{0} : 0;  // the other's bit beside a zero
  const std::uint64_t differs =
      logic(table, 0, zero, 0) ^ logic(table, ~std::uint64_t{0}, ~zero, 0);
  return x.undefined & differs;
}

}  // namespace

std::uint64_t undefined_with_negative(std::uint8_t table, const PartialValue& x,
                                      std::uint32_t width) {
  const PartialValue negative{(~x.value + 1) & low_bits(width), undefined_difference({}, x, width)};
  return undefined_beside(table, x, true, negative) & low_bits(width);
}

std::uint64_t undefined_with_predecessor(std::uint8_t table, const PartialValue& x,
                                         std::uint32_t width) {
  const PartialValue less{(x.value - 1) & low_bits(width), undefined_difference(x, {1, 0}, width)};
  return undefined_beside(table, x, false, less) & low_bits(width);
}

std::uint64_t undefined_sum(const PartialValue& a, const PartialValue& b, std::uint32_t width,
                            const PartialValue& carry, bool* carry_out) {
  const Wide least = Wide{a.least()} + b.least() + carry.least();
  const Wide most = Wide{a.most()} + b.most() + carry.most();
  if (carry_out != nullptr) *carry_out = (((least ^ most) >> width) & 1) != 0;
  const auto changes = static_cast<std::uint64_t>(least ^ most);
  return (a.undefined | b.undefined | changes) & low_bits(width);
}

std::uint64_t undefined_difference(const PartialValue& a, const PartialValue& b,
                                   std::uint32_t width) {
  const std::uint64_t changes = (a.least() - b.most()) ^ (a.most() - b.least());
  return (a.undefined | b.undefined | changes) & low_bits(width);
}

std::uint64_t undefined_product(const PartialValue& a, const PartialValue& b, std::uint32_t width) {
  if ((a.undefined | b.undefined) == 0 || a.most() == 0 || b.most() == 0) return 0;
  // Multiplication by a power of two is a shift, which is exact.
  for (const auto& [one, other] : {std::pair{a, b}, std::pair{b, a}}) {
    if (one.undefined == 0 && std::has_single_bit(one.value))
      return undefined_shift_left(other, static_cast<std::uint64_t>(std::countr_zero(one.value)),
                                  width);
  }
  // Bits below the lowest undefined bit of one operand times the lowest bit that may be set in the
  // other do not change. Bits above those of the greatest product are zero.
  const auto zeros = [](const PartialValue& x) {
    return x.most() == 0 ? 64 : std::countr_zero(x.most());
  };
  const auto first = [](const PartialValue& x) {
    return x.undefined == 0 ? 64 : std::countr_zero(x.undefined);
  };
  const int lowest = std::min(first(a) + zeros(b), first(b) + zeros(a));
  const auto greatest = Wide{a.most()} * b.most();
  const std::uint64_t reached = (greatest >> 64) != 0
                                    ? ~std::uint64_t{0}
                                    : low_bits(static_cast<std::uint32_t>(
                                          std::bit_width(static_cast<std::uint64_t>(greatest))));
  if (lowest >= 64) return 0;
  return (~std::uint64_t{0} << lowest) & reached & low_bits(width);
}

PartialValue partial_product(const PartialValue& a, const PartialValue& b, std::uint32_t width) {
  return {a.value * b.value & low_bits(width), undefined_product(a, b, width)};
}

std::uint64_t undefined_shift_left(const PartialValue& a, std::uint64_t by, std::uint32_t width) {
  return by >= width ? 0 : a.undefined << by & low_bits(width);
}

std::uint64_t undefined_shift_right(const PartialValue& a, std::uint64_t by, std::uint32_t width,
                                    bool is_signed) {
  const bool sign = is_signed && (a.undefined & sign_bit(width)) != 0;
  if (by >= width) return sign ? low_bits(width) : 0;
  const std::uint64_t moved = a.undefined >> by;
  return sign ? moved | (low_bits(width) & ~low_bits(width - static_cast<std::uint32_t>(by)))
              : moved;
}

std::uint64_t undefined_extract(const PartialValue& a, std::uint32_t first, std::uint32_t count,
                                std::uint32_t width, bool is_signed) {
  if (count == 0) return 0;
  const std::uint64_t taken = undefined_shift_right(a, first, width, false) & low_bits(count);
  if (!is_signed) return taken;
  // PTX ISA, bfe: bits beyond the field repeat its last bit, or the value's last bit if that comes
  // first.
  const std::uint32_t last = std::min(first + count - 1, width - 1);
  const bool sign = (a.undefined >> last & 1) != 0;
  const std::uint32_t held = last < first ? 0 : last - first + 1;
  return sign ? (taken | ~low_bits(held)) & low_bits(width) : taken;
}

std::uint64_t undefined_insert(const PartialValue& a, const PartialValue& b, std::uint32_t first,
                               std::uint32_t count, std::uint32_t width) {
  if (first >= width) return b.undefined;
  const std::uint64_t field = low_bits(count) << first & low_bits(width);
  return (b.undefined & ~field) | (a.undefined << first & field);
}

std::uint64_t undefined_permute(const PartialValue& a, const PartialValue& b,
                                std::uint32_t selectors) {
  const std::uint64_t both = a.undefined | b.undefined << 32;
  std::uint64_t result = 0;
  for (std::uint32_t byte = 0; byte < 4; ++byte) {
    const std::uint32_t selector = selectors >> (4 * byte) & 0xf;
    std::uint64_t bits = both >> (8 * (selector & 7)) & 0xff;
    if ((selector & 8) != 0) bits = (bits & 0x80) != 0 ? 0xff : 0;
    result |= bits << (8 * byte);
  }
  return result;
}

std::uint64_t undefined_reverse(const PartialValue& a, std::uint32_t width) {
  std::uint64_t result = 0;
  for (std::uint32_t bit = 0; bit < width; ++bit)
    result |= (a.undefined >> bit & 1) << (width - 1 - bit);
  return result;
}

std::uint64_t undefined_choice(const PartialValue& a, const PartialValue& b) {
  return a.undefined | b.undefined | (a.value ^ b.value);
}

bool undefined_equality(const PartialValue& a, const PartialValue& b) {
  const std::uint64_t undefined = a.undefined | b.undefined;
  return undefined != 0 && ((a.value ^ b.value) & ~undefined) == 0;
}

bool undefined_order(const PartialValue& a, const PartialValue& b, bool or_equal,
                     std::uint32_t width, bool is_signed) {
  const PartialValue x = as_unsigned(a, width, is_signed), y = as_unsigned(b, width, is_signed);
  const auto holds = [&](std::uint64_t left, std::uint64_t right) {
    return or_equal ? left <= right : left < right;
  };
  return holds(x.least(), y.most()) != holds(x.most(), y.least());
}

}  // namespace warpmark::cpu
