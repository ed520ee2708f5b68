// Partly defined integers, and the undefined bits of operations on them.
#pragma once

#include <cstdint>

#include "memory/bits.hpp"

namespace warpmark::cpu {

/// An integer of up to 64 bits. `undefined` has a one for each bit without a value; those bits of
/// `value` do not matter. Bits beyond its width are zero in both.
///
/// The functions below take operands of `width` bits and return the undefined bits of the result:
/// at least every bit that undefined operand bits can change. Where a comment says "exactly", they
/// return no other bits.
struct PartialValue {
  std::uint64_t value = 0, undefined = 0;
  /// The least and the greatest value that it may have, as an unsigned number.
  [[nodiscard]] std::uint64_t least() const { return value & ~undefined; }
  [[nodiscard]] std::uint64_t most() const { return value | undefined; }
};

/// The undefined bits of a number that lies between `least` and `most`.
std::uint64_t between(std::uint64_t least, std::uint64_t most);

/// A value of `from` bits as one of `to` bits, more or fewer, exactly.
PartialValue extended(const PartialValue& a, std::uint32_t from, std::uint32_t to, bool is_signed);

/// Any function of three bits, bit by bit; `table` as lop3's (PTX ISA).
std::uint64_t logic(std::uint8_t table, std::uint64_t a, std::uint64_t b, std::uint64_t c);
/// The same, exactly.
std::uint64_t undefined_logic(std::uint8_t table, const PartialValue& a, const PartialValue& b,
                              const PartialValue& c);

/// A function of x and -x, or of x and x - 1, bit by bit: bits above the lowest set bit of x are
/// inverted or the same in the other, and those below it do not depend on what is above.
std::uint64_t undefined_with_negative(std::uint8_t table, const PartialValue& x,
                                      std::uint32_t width);
std::uint64_t undefined_with_predecessor(std::uint8_t table, const PartialValue& x,
                                         std::uint32_t width);

/// a + b + carry, the carry a bit. Sets `carry_out`, if given, to whether the carry out is
/// undefined.
std::uint64_t undefined_sum(const PartialValue& a, const PartialValue& b, std::uint32_t width,
                            const PartialValue& carry = {}, bool* carry_out = nullptr);
/// a - b.
std::uint64_t undefined_difference(const PartialValue& a, const PartialValue& b,
                                   std::uint32_t width);
/// The low `width` bits of a · b.
std::uint64_t undefined_product(const PartialValue& a, const PartialValue& b, std::uint32_t width);
/// The same as a value, whose undefined bits may be anything.
PartialValue partial_product(const PartialValue& a, const PartialValue& b, std::uint32_t width);

/// Shifts by a defined number of bits, exactly; by `width` and more they leave zeros, or signs.
std::uint64_t undefined_shift_left(const PartialValue& a, std::uint64_t by, std::uint32_t width);
std::uint64_t undefined_shift_right(const PartialValue& a, std::uint64_t by, std::uint32_t width,
                                    bool is_signed);

/// Bits [first, first + count) of a, as bfe has them, exactly.
std::uint64_t undefined_extract(const PartialValue& a, std::uint32_t first, std::uint32_t count,
                                std::uint32_t width, bool is_signed);
/// b with bits [first, first + count) from a, as bfi has it, exactly.
std::uint64_t undefined_insert(const PartialValue& a, const PartialValue& b, std::uint32_t first,
                               std::uint32_t count, std::uint32_t width);
/// prmt: four bytes of b and a, in the default mode, exactly. A selector's sign bit counts.
std::uint64_t undefined_permute(const PartialValue& a, const PartialValue& b,
                                std::uint32_t selectors);
/// The bits in reverse order, exactly.
std::uint64_t undefined_reverse(const PartialValue& a, std::uint32_t width);

/// One of two values, where it is not known which, exactly.
std::uint64_t undefined_choice(const PartialValue& a, const PartialValue& b);

/// Comparisons, exactly: whether undefined bits can change the outcome.
bool undefined_equality(const PartialValue& a, const PartialValue& b);
/// a < b, and with `or_equal` a <= b.
bool undefined_order(const PartialValue& a, const PartialValue& b, bool or_equal,
                     std::uint32_t width, bool is_signed);

}  // namespace warpmark::cpu
