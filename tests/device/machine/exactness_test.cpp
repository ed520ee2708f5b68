// IEEE operations in every rounding, flushing and saturating form, against exact results.
//
// WARPMARK_TEST_POINTS sets how many random operands each form gets; ctest's device.exactness_long
// takes a million.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <random>

#include "device/machine/direct.hpp"
#include "device/machine/exact.hpp"
#include "device/support/operation.hpp"
#include "ptx/error.hpp"

namespace warpmark::cpu {
namespace {

constexpr std::pair<const char*, Direction> kDirections[] = {{"rn", Direction::nearest},
                                                             {"rz", Direction::zero},
                                                             {"rm", Direction::down},
                                                             {"rp", Direction::up}};

std::size_t points() {
  const char* wish = std::getenv("WARPMARK_TEST_POINTS");
  return wish == nullptr ? 3000 : std::strtoull(wish, nullptr, 10);
}

struct Number {
  Binary format;
  char kind;  ///< of DirectOperation
  [[nodiscard]] bool nan(U a) const { return (a & ~format.sign_bit()) > format.infinity(); }
  [[nodiscard]] bool infinite(U a) const { return (a & ~format.sign_bit()) == format.infinity(); }
  [[nodiscard]] bool negative(U a) const { return (a & format.sign_bit()) != 0; }
  [[nodiscard]] bool zero(U a) const { return (a & ~format.sign_bit()) == 0; }
  [[nodiscard]] U flush(U a) const {
    return (a & format.infinity()) == 0 ? a & format.sign_bit() : a;
  }
  [[nodiscard]] U least_normal() const { return U{1} << format.fraction; }
  [[nodiscard]] U one() const { return static_cast<U>(format.bias()) << format.fraction; }
  /// The canonical NaN; of binary64 the payload of the first of `sources` that has one (measured on
  /// an H200, see machine/numerics.hpp).
  [[nodiscard]] U quiet(std::initializer_list<U> sources) const {
    if (kind != 'F') return format.infinity() | ((U{1} << format.fraction) - 1);
    for (const U source : sources) {
      if (nan(source)) return source | U{1} << 51;
    }
    return 0xfff8000000000000;
  }
};
constexpr Number kSingle{kBinary32, 'f'}, kDouble{kBinary64, 'F'}, kHalf{kBinary16, 'h'},
    kBrain{kBfloat16, 'h'};

struct Form {
  Direction direction = Direction::nearest;
  bool flushes = false, saturates = false;
};

// Rounds, flushes and saturates an exact result. A result is flushed if it is below the least
// normal number after rounding to the format's bits as if exponents were unbounded (on an H200):
// here it is scaled far above the least exponent for that.
U finish(const Number& n, const Form& form, Exact exact, bool negative_zero) {
  U result = rounded(n.format, exact, form.direction, negative_zero);
  if (form.flushes && (result & ~n.format.sign_bit()) <= n.least_normal()) {
    const int up = n.format.fraction + 1;
    const U scaled =
        rounded(n.format, {ldexpq(exact.value, up), exact.beyond}, form.direction, negative_zero);
    const U bound = n.least_normal() + (static_cast<U>(up) << n.format.fraction);
    if ((scaled & ~n.format.sign_bit()) < bound) result &= n.format.sign_bit();
  }
  if (form.saturates) result = n.negative(result) ? 0 : std::min(result, n.one());
  return result;
}
U special(const Number& n, const Form& form, U result) {
  if (!form.saturates) return result;
  return n.nan(result) || n.negative(result) ? 0 : std::min(result, n.one());
}

U add(const Number& n, const Form& form, U a, U b) {
  if (n.nan(a) || n.nan(b)) return special(n, form, n.quiet({b, a}));
  if (n.infinite(a) && n.infinite(b) && a != b) return special(n, form, n.quiet({}));
  if (n.infinite(a) || n.infinite(b)) return special(n, form, n.infinite(a) ? a : b);
  // An exact zero: the sign of equal operands, else + but for rounding down.
  const bool negative = n.zero(a) && n.zero(b) && n.negative(a) == n.negative(b)
                            ? n.negative(a)
                            : form.direction == Direction::down;
  return finish(n, form, sum_of(value_in(n.format, a), value_in(n.format, b)), negative);
}
U multiply(const Number& n, const Form& form, U a, U b) {
  const U sign = (a ^ b) & n.format.sign_bit();
  if (n.nan(a) || n.nan(b)) return special(n, form, n.quiet({b, a}));
  if (n.infinite(a) || n.infinite(b)) {
    if (n.zero(a) || n.zero(b)) return special(n, form, n.quiet({}));
    return special(n, form, sign | n.format.infinity());
  }
  return finish(n, form, {value_in(n.format, a) * value_in(n.format, b), 0}, sign != 0);
}
U fuse(const Number& n, const Form& form, U a, U b, U c) {
  const U sign = (a ^ b) & n.format.sign_bit();
  if (n.nan(a) || n.nan(b) || n.nan(c)) return special(n, form, n.quiet({b, c, a}));
  if (n.infinite(a) || n.infinite(b)) {
    const bool invalid =
        n.zero(a) || n.zero(b) || (n.infinite(c) && (c & n.format.sign_bit()) != sign);
    return special(n, form, invalid ? n.quiet({}) : sign | n.format.infinity());
  }
  if (n.infinite(c)) return special(n, form, c);
  const bool zero = n.zero(a) || n.zero(b);
  const bool negative = zero && n.zero(c) && (sign != 0) == n.negative(c)
                            ? sign != 0
                            : form.direction == Direction::down;
  return finish(n, form,
                fused_of(value_in(n.format, a), value_in(n.format, b), value_in(n.format, c)),
                negative);
}
U divide(const Number& n, const Form& form, U a, U b) {
  const U sign = (a ^ b) & n.format.sign_bit();
  if (n.nan(a) || n.nan(b)) return n.quiet({a, b});
  if ((n.infinite(a) && n.infinite(b)) || (n.zero(a) && n.zero(b))) return n.quiet({});
  if (n.infinite(a) || n.zero(b)) return sign | n.format.infinity();
  if (n.infinite(b)) return sign;
  return finish(n, form, quotient_of(value_in(n.format, a), value_in(n.format, b)), sign != 0);
}
U root(const Number& n, const Form& form, U a) {
  if (n.nan(a)) return n.quiet({a});
  if (n.zero(a)) return a;
  if (n.negative(a)) return n.quiet({});
  if (n.infinite(a)) return a;
  return finish(n, form, root_of(value_in(n.format, a)), false);
}

using Operation = std::function<U(const Form&, U, U, U)>;

// Operands where roundings happen: all edges with each other, random bits, numbers of near
// exponents, and addends that all but cancel a product.
std::vector<std::array<U, 3>> operands(const Number& n, int count, unsigned seed) {
  std::vector<U> edges;
  for (const U magnitude :
       {U{0}, U{1}, U{2}, (U{1} << n.format.fraction) - 1, U{1} << n.format.fraction,
        (U{1} << n.format.fraction) + 1, n.one() - 1, n.one(), n.one() + 1,
        n.one() + (U{1} << n.format.fraction), n.one() + (U{3} << (n.format.fraction - 1)),
        n.one() - (U{1} << n.format.fraction), n.format.infinity() - 1, n.format.infinity(),
        n.format.infinity() + 1, n.format.infinity() | U{1} << (n.format.fraction - 1)}) {
    edges.push_back(magnitude);
    edges.push_back(magnitude | n.format.sign_bit());
  }
  std::vector<std::array<U, 3>> table;
  for (const U a : edges) {
    if (count == 1) table.push_back({a, 0, 0});
    for (const U b : edges) {
      if (count == 2) table.push_back({a, b, 0});
      for (const U c : edges) {
        if (count == 3) table.push_back({a, b, c});
      }
    }
  }
  std::mt19937_64 random(seed);
  const U all = n.format.sign_bit() * 2 - 1;
  const U fraction = (U{1} << n.format.fraction) - 1;
  const auto near = [&](int spread) {
    const auto exponent =
        static_cast<U>(n.format.bias() + static_cast<int>(random() % (2 * spread)) - spread);
    return (random() & (n.format.sign_bit() | fraction)) | exponent << n.format.fraction;
  };
  const std::size_t wanted = table.size() + points();
  while (table.size() < wanted || table.size() % 32 != 0) {
    switch (random() % 4) {
      case 0:
        table.push_back({random() & all, random() & all, random() & all});
        break;
      case 1:
        table.push_back({near(4), near(4), near(4)});
        break;
      case 2: {  // results that are subnormal, or nearly
        const int spread = std::min(n.format.bias() - 1, n.format.fraction + 4);
        const U a = near(2), b = (random() & (n.format.sign_bit() | fraction)) |
                                 static_cast<U>(1 + random() % static_cast<U>(spread))
                                     << n.format.fraction;
        table.push_back({a, b, near(3) >> (random() % 3 == 0 ? 2 : 0) & all});
        break;
      }
      default: {
        const U a = near(3), b = near(3);
        const U product = rounded(n.format, {value_in(n.format, a) * value_in(n.format, b), 0},
                                  Direction::nearest);
        table.push_back({a, b, (product ^ n.format.sign_bit()) + random() % 5 - 2});
      }
    }
  }
  return table;
}

void compare(const std::string& operation, const Number& n, int count, const Form& form,
             const Operation& reference) {
  const unsigned seed = 20240901;
  std::vector<DirectOperation> levels;
  const std::string kinds(static_cast<std::size_t>(count) + 1, n.kind);
  for (const int level : {2, 3, 4}) {
    if (handlers_of_level(level, Watch::bounds) == nullptr) continue;
    try {
      levels.emplace_back(operation, kinds, level);
    } catch (const PtxError& error) {
      ADD_FAILURE() << error.what();
      return;
    }
  }
  const auto table = operands(n, count, seed);
  const U all = n.format.sign_bit() * 2 - 1;
  int shown = 0;
  for (std::size_t first = 0; first + 32 <= table.size() && shown < 3; first += 32) {
    for (DirectOperation& level : levels) {
      for (std::size_t lane = 0; lane < 32; ++lane)
        for (int o = 0; o < count; ++o)
          level.set(static_cast<std::size_t>(o) + 1, lane, table[first + lane][o]);
      level.run();
    }
    for (std::size_t lane = 0; lane < 32; ++lane) {
      auto [a, b, c] = table[first + lane];
      if (form.flushes) {
        a = n.flush(a);
        b = n.flush(b);
        c = n.flush(c);
      }
      const U want = reference(form, a, b, c);
      for (DirectOperation& level : levels) {
        const U got = level.get(lane) & all;
        if (got == want) continue;
        ++shown;
        ADD_FAILURE() << operation << std::hex << " of " << table[first + lane][0] << ", "
                      << table[first + lane][1] << ", " << table[first + lane][2] << ": got " << got
                      << ", want " << want << " (seed " << std::dec << seed << ")";
      }
    }
  }
}

// Every form of one operation that the type has.
void every_form(const std::string& name, const Number& n, const std::string& type, int count,
                bool saturates, const Operation& reference) {
  for (const auto& [suffix, direction] : kDirections) {
    for (const bool flushes : {false, true}) {
      if (flushes && n.kind != 'f') continue;
      for (const bool saturated : {false, true}) {
        if (saturated && !saturates) continue;
        compare(
            name + "." + suffix + (flushes ? ".ftz" : "") + (saturated ? ".sat" : "") + "." + type,
            n, count, {direction, flushes, saturated}, reference);
      }
    }
  }
}

struct Real : ::testing::TestWithParam<std::pair<const char*, Number>> {
  std::string type = GetParam().first;
  Number n = GetParam().second;
  bool single = n.kind == 'f';
};
INSTANTIATE_TEST_SUITE_P(Formats, Real,
                         ::testing::Values(std::pair("f32", kSingle), std::pair("f64", kDouble)),
                         [](const auto& formats) { return std::string(formats.param.first); });

TEST_P(Real, Sums) {
  every_form("add", n, type, 2, single,
             [&](const Form& f, U a, U b, U) { return add(n, f, a, b); });
}
TEST_P(Real, Differences) {
  // A NaN's sign is not turned.
  every_form("sub", n, type, 2, single, [&](const Form& f, U a, U b, U) {
    return add(n, f, a, n.nan(b) ? b : b ^ n.format.sign_bit());
  });
}
TEST_P(Real, Products) {
  every_form("mul", n, type, 2, single,
             [&](const Form& f, U a, U b, U) { return multiply(n, f, a, b); });
}
TEST_P(Real, FusedProducts) {
  every_form("fma", n, type, 3, single,
             [&](const Form& f, U a, U b, U c) { return fuse(n, f, a, b, c); });
}
TEST_P(Real, Quotients) {
  every_form("div", n, type, 2, false,
             [&](const Form& f, U a, U b, U) { return divide(n, f, a, b); });
}
TEST_P(Real, Reciprocals) {
  every_form("rcp", n, type, 1, false,
             [&](const Form& f, U a, U, U) { return divide(n, f, n.one(), a); });
}
TEST_P(Real, Roots) {
  every_form("sqrt", n, type, 1, false, [&](const Form& f, U a, U, U) { return root(n, f, a); });
}

struct Small : ::testing::TestWithParam<std::pair<const char*, Number>> {
  std::string type = GetParam().first;
  Number n = GetParam().second;
};
INSTANTIATE_TEST_SUITE_P(Formats, Small,
                         ::testing::Values(std::pair("f16", kHalf), std::pair("bf16", kBrain)),
                         [](const auto& formats) { return std::string(formats.param.first); });

TEST_P(Small, SumsProductsAndFusedProducts) {
  for (const char* form : {"", ".ftz", ".sat", ".ftz.sat"}) {
    const std::string suffix = form;
    if (!suffix.empty() && type == "bf16") continue;
    const Form f{Direction::nearest, suffix.starts_with(".ftz"), suffix.ends_with(".sat")};
    compare("add" + suffix + "." + type, n, 2, f,
            [&](const Form& g, U a, U b, U) { return add(n, g, a, b); });
    compare("sub" + suffix + "." + type, n, 2, f, [&](const Form& g, U a, U b, U) {
      return add(n, g, a, n.nan(b) ? b : b ^ n.format.sign_bit());
    });
    compare("mul" + suffix + "." + type, n, 2, f,
            [&](const Form& g, U a, U b, U) { return multiply(n, g, a, b); });
    compare("fma.rn" + suffix + "." + type, n, 3, f,
            [&](const Form& g, U a, U b, U c) { return fuse(n, g, a, b, c); });
  }
}

// All 2^16 operands of an operation of one.
TEST_P(Small, EveryOperandOfUnaryOperations) {
  const auto all = [&](const std::string& operation, char result,
                       const std::function<U(U)>& reference) {
    for (const int level : {2, 3, 4}) {
      if (handlers_of_level(level, Watch::bounds) == nullptr) continue;
      DirectOperation direct(operation, {result, 'h'}, level);
      for (U first = 0; first < 1 << 16; first += 32) {
        for (U lane = 0; lane < 32; ++lane) direct.set(1, lane, first + lane);
        direct.run();
        for (U lane = 0; lane < 32; ++lane)
          ASSERT_EQ(direct.get(lane), reference(first + lane))
              << operation << " of " << std::hex << first + lane << " at level " << level;
      }
    }
  };
  const U nan = n.quiet({});
  all("neg." + type, 'h', [&](U a) { return n.nan(a) ? nan : a ^ 0x8000; });
  all("abs." + type, 'h', [&](U a) { return n.nan(a) ? nan : a & 0x7fff; });
  const auto widened = [&](const Number& to, U a) -> U {
    if (n.infinite(a)) return (n.negative(a) ? to.format.sign_bit() : 0) | to.format.infinity();
    return rounded(to.format, {value_in(n.format, a), 0}, Direction::nearest, n.negative(a));
  };
  all("cvt.f32." + type, 'f', [&](U a) {
    // A bfloat16 NaN keeps its payload, only the exponent's place moves.
    return n.nan(a) ? (type == "bf16" ? a << 16 : U{0x7fffffff}) : widened(kSingle, a);
  });
  const auto whole = [&](const std::string& suffix, Quad (*round)(Quad)) {
    all("cvt." + suffix + "." + type + "." + type, 'h', [&, round](U a) -> U {
      if (n.nan(a)) return nan;
      if (n.infinite(a)) return a;
      return rounded(n.format, {round(value_in(n.format, a)), 0}, Direction::nearest,
                     n.negative(a));
    });
    all("cvt." + suffix + ".s32." + type, 'r', [&, round](U a) -> U {
      if (n.nan(a)) return 0;
      if (n.infinite(a)) return n.negative(a) ? 0x80000000 : 0x7fffffff;
      const Quad value = round(value_in(n.format, a));
      if (value >= 0x7fffffff) return 0x7fffffff;
      if (value <= -0x1p31) return 0x80000000;
      return static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
    });
  };
  whole("rni", rintq);
  whole("rzi", truncq);
  whole("rmi", floorq);
  whole("rpi", ceilq);
}

// Conversions between the real formats and from integers, in every rounding.
TEST(Conversions, ToRealFormats) {
  struct Target {
    const char* type;
    Number n;
  };
  std::mt19937_64 random(20240902);
  const std::size_t count = (points() + 1023) / 32 * 32;
  for (const Target& target : {Target{"f16", kHalf}, Target{"bf16", kBrain}, Target{"f32", kSingle},
                               Target{"f64", kDouble}}) {
    for (const auto& [suffix, direction] : kDirections) {
      for (const std::string from : {"f32", "f64", "s32", "u32", "s64", "u64"}) {
        const bool same =
            from == target.type || (from == "f32" && std::string(target.type) == "f64");
        if (same || (std::string(target.type) == "f64" && from.ends_with("32"))) continue;
        const bool wide = from.ends_with("64");
        const char kind = from == "f32" ? 'f' : from == "f64" ? 'F' : wide ? 'R' : 'r';
        const std::string operation = std::string("cvt.") + suffix + "." + target.type + "." + from;
        std::vector<DirectOperation> levels;
        for (const int level : {2, 3, 4}) {
          if (handlers_of_level(level, Watch::bounds) != nullptr)
            levels.emplace_back(operation, std::string{target.n.kind, kind}, level);
        }
        for (std::size_t done = 0; done < count; done += 32) {
          U inputs[32];
          for (U& input : inputs) {
            input = random() >> random() % 64;
            if (kind == 'f' || kind == 'F') {  // exponents about the target's whole range
              const Binary& source = kind == 'f' ? kBinary32 : kBinary64;
              const int span = std::min(source.bias() - 1,
                                        target.n.format.bias() + target.n.format.fraction + 2);
              const auto exponent = static_cast<U>(
                  source.bias() - span + static_cast<int>(random() % static_cast<U>(2 * span + 1)));
              input = (random() & (source.sign_bit() | ((U{1} << source.fraction) - 1))) |
                      exponent << source.fraction;
              if (random() % 4 == 0) {  // halves between two numbers of the target
                const int lost = source.fraction - target.n.format.fraction;
                input = (input >> (lost - 1) | (random() & 1)) << (lost - 1);
              }
            } else if (!wide) {
              input &= 0xffffffff;
            }
          }
          for (DirectOperation& level : levels) {
            for (std::size_t lane = 0; lane < 32; ++lane) level.set(1, lane, inputs[lane]);
            level.run();
          }
          for (std::size_t lane = 0; lane < 32; ++lane) {
            const U a = inputs[lane];
            const Quad value = kind == 'f'     ? value_in(kBinary32, a)
                               : kind == 'F'   ? value_in(kBinary64, a)
                               : from == "s32" ? static_cast<Quad>(static_cast<std::int32_t>(a))
                               : from == "s64" ? static_cast<Quad>(static_cast<std::int64_t>(a))
                                               : static_cast<Quad>(a);
            const U want = rounded(target.n.format, {value, 0}, direction);
            for (DirectOperation& level : levels)
              ASSERT_EQ(level.get(lane), want) << operation << " of " << std::hex << a;
          }
        }
      }
    }
  }
}

// The reference itself, on cases worked out by hand.
TEST(Reference, RoundsAsIeeeSays) {
  EXPECT_EQ(rounded(kBinary32, {1, 1}, Direction::up), 0x3f800001u);
  EXPECT_EQ(rounded(kBinary32, {1, -1}, Direction::zero), 0x3f7fffffu);
  EXPECT_EQ(rounded(kBinary32, {1, -1}, Direction::nearest), 0x3f800000u);
  EXPECT_EQ(rounded(kBinary32, {-1, -1}, Direction::down), 0xbf800001u);
  EXPECT_EQ(rounded(kBinary32, {0x1.000001p0, 0}, Direction::nearest), 0x3f800000u);   // tie: even
  EXPECT_EQ(rounded(kBinary32, {0x1.000001p0, 1}, Direction::nearest), 0x3f800001u);   // above it
  EXPECT_EQ(rounded(kBinary32, {0x1.000003p0, -1}, Direction::nearest), 0x3f800001u);  // below
  EXPECT_EQ(rounded(kBinary32, {0x1p-150, 0}, Direction::nearest), 0u);
  EXPECT_EQ(rounded(kBinary32, {0x1p-150, 1}, Direction::nearest), 1u);
  EXPECT_EQ(rounded(kBinary32, {0x1p128, -1}, Direction::zero), 0x7f7fffffu);
  EXPECT_EQ(rounded(kBinary32, {0x1.ffffffp127, 0}, Direction::nearest), 0x7f800000u);
  EXPECT_EQ(rounded(kBinary16, {65519, 0}, Direction::nearest), 0x7bffu);
  EXPECT_EQ(rounded(kBinary16, {65520, 0}, Direction::nearest), 0x7c00u);
}

}  // namespace
}  // namespace warpmark::cpu
