// Undefined bits that operations derive, against all values that the operands may have: all
// operands of few bits, and random ones of many.
#include "inspect/values/partial_value.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace warpmark::cpu {
namespace {

constexpr std::uint32_t kWidth = 4;
constexpr std::uint64_t kEnd = std::uint64_t{1} << kWidth;

// Each value that a partial one may have.
std::vector<std::uint64_t> values_of(const PartialValue& a) {
  std::vector<std::uint64_t> values;
  std::uint64_t bits = a.undefined;
  while (true) {
    values.push_back(a.least() | bits);
    if (bits == 0) return values;
    bits = (bits - 1) & a.undefined;
  }
}

using Operation = std::function<std::uint64_t(std::uint64_t, std::uint64_t)>;
using Claim = std::function<std::uint64_t(const PartialValue&, const PartialValue&)>;

// The bits of the results that differ from one choice of the operands' undefined bits to another.
std::uint64_t truth(const Operation& operation, const PartialValue& a, const PartialValue& b) {
  std::uint64_t ones = 0, all = ~std::uint64_t{0};
  for (const std::uint64_t x : values_of(a)) {
    for (const std::uint64_t y : values_of(b)) {
      const std::uint64_t result = operation(x, y);
      ones |= result;
      all &= result;
    }
  }
  return ones & ~all;
}

struct Tally {
  int missed = 0;  ///< a bit said to be defined that is not: a mistake that is not reported
  int more = 0;    ///< claims of bits that cannot change
  int claims = 0;
  std::string first;
};

// All operands a, and with `both` all b; else b is zero.
Tally compare(const Operation& operation, const Claim& claim, bool both) {
  const std::uint64_t end = both ? kEnd : 1;
  Tally tally;
  for (std::uint64_t a = 0; a < kEnd; ++a) {
    for (std::uint64_t ua = 0; ua < kEnd; ++ua) {
      for (std::uint64_t b = 0; b < end; ++b) {
        for (std::uint64_t ub = 0; ub < end; ++ub) {
          const PartialValue x{a, ua}, y{b, ub};
          const std::uint64_t right = truth(operation, x, y), said = claim(x, y);
          ++tally.claims;
          if ((right & ~said) != 0) {
            ++tally.missed;
            if (tally.first.empty())
              tally.first = std::to_string(a) + "/" + std::to_string(ua) + " and " +
                            std::to_string(b) + "/" + std::to_string(ub);
          }
          if ((said & ~right) != 0) ++tally.more;
        }
      }
    }
  }
  return tally;
}

void expect_exact(const Operation& operation, const Claim& claim, bool both = true) {
  const Tally tally = compare(operation, claim, both);
  EXPECT_EQ(tally.missed, 0) << "first " << tally.first;
  EXPECT_EQ(tally.more, 0);
}

// Never misses a bit, and claims too many in fewer than one case of `of`.
void expect_sound(const Operation& operation, const Claim& claim, int of) {
  const Tally tally = compare(operation, claim, true);
  EXPECT_EQ(tally.missed, 0) << "first " << tally.first;
  EXPECT_LT(tally.more * of, tally.claims) << tally.more << " of " << tally.claims;
}

std::uint64_t cut(std::uint64_t value) {
  return value & (kEnd - 1);
}
std::int64_t as_signed(std::uint64_t value) {
  return static_cast<std::int64_t>(value << (64 - kWidth)) >> (64 - kWidth);
}

TEST(PartialValue, LogicIsExact) {
  for (const unsigned table : {0xc0u, 0xfcu, 0x3cu, 0x0fu, 0x30u, 0xe8u}) {
    // c is the same as b, so that tables of three operands are tried, too; then bits that are b's
    // and c's at once count twice, which two operands do not.
    const auto operation = [&](std::uint64_t a, std::uint64_t b) {
      std::uint64_t result = 0;
      for (unsigned bit = 0; bit < kWidth; ++bit) {
        const unsigned row = static_cast<unsigned>((a >> bit & 1) << 2 | (b >> bit & 1) << 1);
        result |= std::uint64_t{table >> row & 1} << bit;
      }
      return result;
    };
    expect_exact(operation, [&](const PartialValue& a, const PartialValue& b) {
      return cut(undefined_logic(static_cast<std::uint8_t>(table), a, b, {}));
    });
  }
}

TEST(PartialValue, SelectionByAMaskOfVariablesKeepsWhatIsNotSelected) {
  const PartialValue mask{0xff00, 0}, a{0x1200, 0x00ff}, b{0x0034, 0xff00};
  EXPECT_EQ(undefined_logic(0xca, mask, a, b), 0u);  // lop3's table of mask ? a : b
  EXPECT_EQ(undefined_logic(0xac, mask, a, b), 0xffffu);
}

TEST(PartialValue, AValueBesideItsNeighbourMissesNothing) {
  for (const unsigned table : {0xc0u, 0xfcu, 0x3cu, 0x30u}) {
    const auto small = static_cast<std::uint8_t>(table);
    const auto with = [small](std::uint64_t a, std::uint64_t b) {
      return cut(logic(small, a, b, 0));
    };
    const Tally negative =
        compare([&](auto a, auto) { return with(a, cut(~a + 1)); },
                [&](auto& a, auto&) { return undefined_with_negative(small, a, kWidth); }, false);
    const Tally predecessor = compare(
        [&](auto a, auto) { return with(a, cut(a - 1)); },
        [&](auto& a, auto&) { return undefined_with_predecessor(small, a, kWidth); }, false);
    for (const Tally& tally : {negative, predecessor})
      EXPECT_EQ(tally.missed, 0) << table << " first " << tally.first;
  }
  EXPECT_EQ(undefined_with_negative(0xc0, {0x08, 0xff00}, 16), 0u);          // x & -x
  EXPECT_EQ(undefined_with_negative(0xfc, {0x08, 0xff00}, 16), 0u);          // x | -x
  EXPECT_EQ(undefined_with_predecessor(0x3c, {0x08, 0xff00}, 16), 0u);       // x ^ (x - 1)
  EXPECT_EQ(undefined_with_predecessor(0xc0, {0x08, 0xff00}, 16), 0xff00u);  // x & (x - 1)
  EXPECT_NE(undefined_with_negative(0xc0, {0x80, 0x0001}, 16), 0u);
}

TEST(PartialValue, SumsAndDifferencesMissNothing) {
  expect_sound([](auto a, auto b) { return cut(a + b); },
               [](auto& a, auto& b) { return undefined_sum(a, b, kWidth); }, 5);
  expect_sound([](auto a, auto b) { return cut(a - b); },
               [](auto& a, auto& b) { return undefined_difference(a, b, kWidth); }, 5);
  // Sums of defined numbers, and sums in which nothing is carried.
  EXPECT_EQ(undefined_sum({0x00ffffff, 0xff000000}, {1, 0}, 32), 0xff000000u);
  EXPECT_EQ(undefined_sum({0x12000000, 0x00ffffff}, {0x01000000, 0}, 32), 0x00ffffffu);
  EXPECT_EQ(undefined_sum({0x0000ff00, 0x000000ff}, {1, 0}, 32), 0x0001ffffu);
}

TEST(PartialValue, CarriesAreUndefinedIfTheyMayDiffer) {
  for (const std::uint64_t carry : {0, 1, 2}) {
    const PartialValue in = carry == 2 ? PartialValue{0, 1} : PartialValue{carry, 0};
    for (std::uint64_t a = 0; a < kEnd * kEnd; ++a) {
      for (std::uint64_t b = 0; b < kEnd * kEnd; ++b) {
        const PartialValue x{a % kEnd, a / kEnd}, y{b % kEnd, b / kEnd};
        bool said = false;
        undefined_sum(x, y, kWidth, in, &said);
        bool zero = false, one = false;
        for (const std::uint64_t c : values_of(in)) {
          for (const std::uint64_t p : values_of(x)) {
            for (const std::uint64_t q : values_of(y)) ((p + q + c) >= kEnd ? one : zero) = true;
          }
        }
        ASSERT_EQ(said, zero && one) << a << " " << b << " " << carry;
      }
    }
  }
}

TEST(PartialValue, ProductsMissNothing) {
  expect_sound([](auto a, auto b) { return cut(a * b); },
               [](auto& a, auto& b) { return undefined_product(a, b, kWidth); }, 2);
  EXPECT_EQ(undefined_product({0x12, 0xff00}, {4, 0}, 32), 0x3fc00u);
  EXPECT_EQ(undefined_product({0, 0xff}, {10, 0}, 32), 0xffeu);
  EXPECT_EQ(undefined_product({0x12, 0xff00}, {0, 0}, 32), 0u);
}

TEST(PartialValue, ShiftsAreExact) {
  for (std::uint64_t by = 0; by < 2 * kWidth; ++by) {
    expect_exact([&](auto a, auto) { return by >= kWidth ? 0 : cut(a << by); },
                 [&](auto& a, auto&) { return undefined_shift_left(a, by, kWidth); }, false);
    expect_exact([&](auto a, auto) { return by >= kWidth ? 0 : a >> by; },
                 [&](auto& a, auto&) { return undefined_shift_right(a, by, kWidth, false); },
                 false);
    expect_exact(
        [&](auto a, auto) {
          return cut(static_cast<std::uint64_t>(as_signed(a) >> (by >= kWidth ? kWidth - 1 : by)));
        },
        [&](auto& a, auto&) { return undefined_shift_right(a, by, kWidth, true); }, false);
  }
}

// The PTX ISA's pseudo-code of bfe and bfi, for numbers of kWidth bits.
std::uint64_t extract(std::uint64_t a, std::uint32_t first, std::uint32_t count, bool is_signed) {
  std::uint64_t sign = 0;
  if (is_signed && count != 0) sign = a >> std::min(first + count - 1, kWidth - 1) & 1;
  std::uint64_t result = 0;
  for (std::uint32_t i = 0; i < kWidth; ++i) {
    const bool inside = i < count && first + i < kWidth;
    result |= (inside ? a >> (first + i) & 1 : sign) << i;
  }
  return result;
}

TEST(PartialValue, FieldsAreExact) {
  for (std::uint32_t first = 0; first <= kWidth; ++first) {
    for (std::uint32_t count = 0; count <= kWidth; ++count) {
      for (const bool is_signed : {false, true}) {
        expect_exact(
            [&](auto a, auto) { return extract(a, first, count, is_signed); },
            [&](auto& a, auto&) { return undefined_extract(a, first, count, kWidth, is_signed); });
      }
      const std::uint64_t field = cut(low_bits(count) << first);
      expect_exact([&](auto a, auto b) { return (b & ~field) | (cut(a << first) & field); },
                   [&](auto& a, auto& b) { return undefined_insert(a, b, first, count, kWidth); });
    }
  }
}

TEST(PartialValue, BytesArePermutedWithTheirSigns) {
  const PartialValue a{0, 0x00ff0080}, b{0, 0x000f0000};
  EXPECT_EQ(undefined_permute(a, b, 0x3210), 0x00ff0080u);
  EXPECT_EQ(undefined_permute(a, b, 0x7654), 0x000f0000u);
  EXPECT_EQ(undefined_permute(a, b, 0x6240), 0x0fff0080u);
  EXPECT_EQ(undefined_permute(a, b, 0x000e), 0x80808000u);
  EXPECT_EQ(undefined_permute(a, b, 0x111a), 0x000000ffu);
}

TEST(PartialValue, ComparisonsAreExact) {
  const auto truth_of = [](bool yes) { return std::uint64_t{yes}; };
  expect_exact([&](auto a, auto b) { return truth_of(a == b); },
               [&](auto& a, auto& b) { return truth_of(undefined_equality(a, b)); });
  for (const bool or_equal : {false, true}) {
    expect_exact(
        [&](auto a, auto b) { return truth_of(or_equal ? a <= b : a < b); },
        [&](auto& a, auto& b) { return truth_of(undefined_order(a, b, or_equal, kWidth, false)); });
    expect_exact(
        [&](auto a, auto b) {
          return truth_of(or_equal ? as_signed(a) <= as_signed(b) : as_signed(a) < as_signed(b));
        },
        [&](auto& a, auto& b) { return truth_of(undefined_order(a, b, or_equal, kWidth, true)); });
  }
}

TEST(PartialValue, ChoicesReversalsAndExtensions) {
  EXPECT_EQ(undefined_choice({0x12, 0}, {0x12, 0}), 0u);
  EXPECT_EQ(undefined_choice({0x12, 1}, {0x32, 0}), 0x21u);
  EXPECT_EQ(undefined_reverse({0, 0x3}, 32), 0xc0000000u);
  EXPECT_EQ(extended({0x80, 0x80}, 8, 32, true).undefined, 0xffffff80u);
  EXPECT_EQ(extended({0x80, 0x01}, 8, 32, true).value, 0xffffff80u);
  EXPECT_EQ(extended({0x80, 0x80}, 8, 32, false).undefined, 0x80u);
  EXPECT_EQ(extended({0, ~std::uint64_t{0}}, 64, 16, true).undefined, 0xffffu);
  EXPECT_EQ(between(5, 5), 0u);
  EXPECT_EQ(between(0, 32), 63u);
  EXPECT_EQ(between(32, 35), 3u);
}

}  // namespace
}  // namespace warpmark::cpu
