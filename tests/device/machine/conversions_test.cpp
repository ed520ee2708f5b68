// Conversions without a handler of their own: saturation, flushing, packed and tiny formats, tf32.
//
// References search the list of all numbers of a format, or round in the host's own arithmetic;
// nothing is shared with the device's bit manipulations.
#include <algorithm>
#include <cfenv>
#include <cmath>
#include <map>

#include "device/support/operation.hpp"

namespace warpmark::cpu {
namespace {

enum class Mode { nearest, away, zero, down, up };

struct Format {
  int fraction, exponent, bias;
  bool infinities, nans;  ///< e4m3: only the all-ones pattern is a NaN
  U nan;
};
const Format kHalf = {10, 5, 15, true, true, 0x7fff}, kBrain = {7, 8, 127, true, true, 0x7fff},
             kE4m3 = {3, 4, 7, false, true, 0x7f}, kE5m2 = {2, 5, 15, true, true, 0x7f},
             kE2m1 = {1, 2, 1, false, false, 7}, kE2m3 = {3, 2, 1, false, false, 0x1f},
             kE3m2 = {2, 3, 3, false, false, 0x1f};

// The finite magnitudes of a format in ascending order, which is that of their patterns.
const std::vector<double>& magnitudes(const Format& format) {
  static std::map<U, std::vector<double>> known;
  std::vector<double>& all = known[static_cast<U>(format.fraction * 256 + format.exponent)];
  const U count = U{1} << (format.fraction + format.exponent);
  for (U pattern = all.size(); pattern < count; ++pattern) {
    const int exponent = static_cast<int>(pattern >> format.fraction);
    const auto fraction = static_cast<double>(pattern & ((U{1} << format.fraction) - 1));
    if (format.infinities && exponent == (1 << format.exponent) - 1) break;
    if (!format.infinities && format.nans && pattern == count - 1) break;
    const double scale = std::ldexp(1.0, std::max(exponent, 1) - format.bias - format.fraction);
    all.push_back(scale * (fraction + (exponent > 0 ? std::ldexp(1.0, format.fraction) : 0)));
  }
  return all;
}

double decoded(U pattern, const Format& format) {
  const U sign = U{1} << (format.fraction + format.exponent);
  const U magnitude = pattern & (sign - 1);
  const std::vector<double>& all = magnitudes(format);
  const double value = magnitude < all.size() ? all[magnitude]
                       : format.infinities && magnitude == all.size()
                           ? std::numeric_limits<double>::infinity()
                           : std::nan("");
  return (pattern & sign) != 0 ? -value : value;
}

U encoded(double value, const Format& format, Mode mode, bool finite, bool relu = false) {
  if (std::isnan(value)) return format.nan;
  const bool negative = std::signbit(value);
  if (negative && relu) return 0;
  const U sign = negative ? U{1} << (format.fraction + format.exponent) : 0;
  const std::vector<double>& all = magnitudes(format);
  const double magnitude = std::fabs(value);
  // One step beyond the greatest number, where an infinity would round from.
  const double top = all.back(), step = top - all[all.size() - 2];
  const auto above = static_cast<U>(std::upper_bound(all.begin(), all.end(), magnitude) -
                                    all.begin());  // first pattern whose number is greater
  const U below = above - 1;
  if (std::isinf(magnitude)) return sign | (finite ? below : all.size());
  const double low = all[below], high = above < all.size() ? all[above] : top + step;
  bool up = false;
  const double middle = low + (high - low) / 2;
  if (magnitude != low) {
    switch (mode) {
      case Mode::nearest:
        up = magnitude > middle || (magnitude == middle && (below & 1) != 0);
        break;
      case Mode::away:
        up = magnitude >= middle;
        break;
      case Mode::zero:
        break;
      case Mode::down:
        up = negative;
        break;
      case Mode::up:
        up = !negative;
        break;
    }
  }
  const U result = up ? above : below;
  return sign | (finite ? std::min<U>(result, all.size() - 1) : result);
}

// Numbers around every number of the format and every middle between two, as binary32.
std::vector<std::array<U, 4>> around(const Format& format) {
  std::vector<std::array<U, 4>> table;
  const std::vector<double>& all = magnitudes(format);
  const auto add = [&](float value) {
    for (const float x :
         {value, std::nextafter(value, 0.0f), std::nextafter(value, HUGE_VALF), -value})
      table.push_back(
          {std::bit_cast<std::uint32_t>(x), std::bit_cast<std::uint32_t>(-x / 2), 0, 0});
  };
  const std::size_t stride = std::max<std::size_t>(1, all.size() / 256);
  for (std::size_t i = 0; i + 1 < all.size(); i += stride) {
    add(static_cast<float>(all[i]));
    add(static_cast<float>((all[i] + all[i + 1]) / 2));
  }
  add(static_cast<float>(all.back()));
  add(static_cast<float>(all.back() * 1.03));
  add(static_cast<float>(all.back() * 1.25));
  return table;
}

TEST(Conversions, TinyFormatsFromSinglesAndHalves) {
  struct Row {
    const char* name;
    const Format& format;
    bool from_halves;
  };
  for (const Row& row : {Row{"e4m3x2", kE4m3, true}, Row{"e5m2x2", kE5m2, true},
                         Row{"e2m3x2", kE2m3, false}, Row{"e3m2x2", kE3m2, false}}) {
    for (const bool relu : {false, true}) {
      const std::string name = std::string("cvt.rn.satfinite.") + (relu ? "relu." : "") + row.name;
      const auto one = [&](double x) { return encoded(x, row.format, Mode::nearest, true, relu); };
      check(name + ".f32", "hff",
            Reference4([&](U a, U b, U, U) { return one(f32(a)) << 8 | one(f32(b)); }),
            around(row.format));
      if (!row.from_halves) continue;
      check(name + ".f16x2", "hr", Reference4([&](U a, U, U, U) {
              return one(decoded(a >> 16, kHalf)) << 8 | one(decoded(a & 0xffff, kHalf));
            }));
    }
  }
  const auto four = [](U a) { return encoded(f32(a), kE2m1, Mode::nearest, true); };
  check("cvt.rn.satfinite.e2m1x2.f32 %b1, $1, $2; cvt.u32.u8 $0, %b1", "rff",
        Reference4([&](U a, U b, U, U) { return four(a) << 4 | four(b); }), around(kE2m1));
}

TEST(Conversions, TinyFormatsToHalves) {
  std::vector<std::array<U, 4>> all;
  for (U i = 0; i < 65536; i += 5) all.push_back({i, 0, 0, 0});
  for (const auto& [name, format] :
       {std::pair<std::string, const Format&>{"e4m3x2", kE4m3}, {"e5m2x2", kE5m2}}) {
    const Format& tiny = format;
    for (const bool relu : {false, true}) {
      const auto one = [&](U bits) {
        return encoded(decoded(bits, tiny), kHalf, Mode::nearest, false, relu);
      };
      check(std::string("cvt.rn.") + (relu ? "relu." : "") + "f16x2." + name, "rh",
            Reference4([&](U a, U, U, U) { return one(a >> 8 & 0xff) << 16 | one(a & 0xff); }),
            all);
    }
  }
  check("cvt.u8.u32 %b1, $1; cvt.rn.f16x2.e2m1x2 $0, %b1", "rr", Reference4([&](U a, U, U, U) {
          const auto one = [&](U bits) {
            return encoded(decoded(bits, kE2m1), kHalf, Mode::nearest, false);
          };
          return one(a >> 4 & 15) << 16 | one(a & 15);
        }));
}

TEST(Conversions, PackedAndClampedHalves) {
  for (const auto& [name, format] :
       {std::pair<std::string, const Format&>{"f16", kHalf}, {"bf16", kBrain}}) {
    const Format& small = format;
    for (const auto& [word, mode] : {std::pair{"rn", Mode::nearest}, {"rz", Mode::zero}}) {
      for (const bool relu : {false, true}) {
        for (const bool finite : {false, true}) {
          const Mode rounding = mode;
          const auto one = [&](U a) { return encoded(f32(a), small, rounding, finite, relu); };
          const std::string modifiers = std::string(".") + word + (finite ? ".satfinite" : "") +
                                        (relu ? ".relu" : "") + "." + name;
          check("cvt" + modifiers + "x2.f32", "rff",
                Reference4([&](U a, U b, U, U) { return one(a) << 16 | one(b); }), around(small));
        }
      }
    }
  }
  // .sat: to [0, 1], where NaN and what is negative are +0.
  const auto clamped = [](double x) { return x > 0 ? std::min(x, 1.0) : 0.0; };
  const auto half = [](double x, Mode mode) { return encoded(x, kHalf, mode, false); };
  for (const auto& [word, mode] :
       {std::pair{"rn", Mode::nearest}, {"rz", Mode::zero}, {"rm", Mode::down}, {"rp", Mode::up}}) {
    const Mode rounding = mode;
    const std::string cvt = std::string("cvt.") + word;
    check(cvt + ".sat.f16.f32", "hf",
          Reference4([&](U a, U, U, U) { return half(clamped(f32(a)), rounding); }), around(kHalf));
    check(cvt + ".ftz.f16.f32", "hf", Reference4([&](U a, U, U, U) {
            const float x = std::fpclassify(f32(a)) == FP_SUBNORMAL ? f32(a & 0x80000000) : f32(a);
            return half(x, rounding);
          }));
    check(cvt + ".sat.f16.f64", "hF",
          Reference4([&](U a, U, U, U) { return half(clamped(f64(a)), rounding); }));
    check(cvt + ".sat.f16.s32", "hr", Reference4([&](U a, U, U, U) {
            return half(clamped(static_cast<std::int32_t>(a)), rounding);
          }));
  }
  check("cvt.rni.sat.f16.f16", "hh", Reference4([&](U a, U, U, U) {
          return half(clamped(std::nearbyint(decoded(a, kHalf))), Mode::nearest);
        }));
  check("cvt.sat.f32.f16", "fh", Reference4([&](U a, U, U, U) {
          return canonical(static_cast<float>(clamped(decoded(a, kHalf))));
        }));
  check("cvt.sat.f64.f16", "Fh",
        Reference4([&](U a, U, U, U) { return canonical(clamped(decoded(a, kHalf))); }));
  check("cvt.sat.f64.f64", "FF",
        Reference4([&](U a, U, U, U) { return canonical(clamped(f64(a))); }));
  check("cvt.rmi.ftz.sat.f32.f32", "ff", Reference4([&](U a, U, U, U) {
          return canonical(static_cast<float>(clamped(std::floor(f32(a)))));
        }));
  check("cvt.rp.ftz.sat.f32.f64", "fF", Reference4([&](U a, U, U, U) {
          std::fesetround(FE_UPWARD);
          volatile double source = f64(a);
          volatile float x = static_cast<float>(source);
          std::fesetround(FE_TONEAREST);
          // Below the last number of 24 bits before 2^-126 nothing is rounded up to that.
          const bool below = std::fabs(f64(a)) <= 0x1p-126 - 0x1p-150;
          const float flushed = below ? 0.0f : float(x);
          return canonical(static_cast<float>(clamped(flushed)));
        }));
  check(
      "cvt.rz.sat.f32.s64", "fR", Reference4([&](U a, U, U, U) {
        return canonical(std::clamp(static_cast<float>(static_cast<std::int64_t>(a)), 0.0f, 1.0f));
      }));
  check("cvt.ftz.sat.f64.f32", "Ff", Reference4([&](U a, U, U, U) {
          return canonical(std::fpclassify(f32(a)) == FP_SUBNORMAL ? 0.0 : clamped(f32(a)));
        }));
  check("cvt.f16.bf16", "hh",
        Reference4([&](U a, U, U, U) { return half(decoded(a, kBrain), Mode::nearest); }));
  check("cvt.rp.f16.bf16", "hh",
        Reference4([&](U a, U, U, U) { return half(decoded(a, kBrain), Mode::up); }));
  check("cvt.rm.ftz.bf16.f32", "hf", Reference4([&](U a, U, U, U) {
          const float x = std::fpclassify(f32(a)) == FP_SUBNORMAL ? f32(a & 0x80000000) : f32(a);
          return encoded(x, kBrain, Mode::down, false);
        }));
}

TEST(Conversions, TensorSingles) {
  // tf32 is binary32 with 10 bits of fraction, the rest 0 but in a NaN.
  const auto tensor = [](U a, Mode mode, bool relu, bool finite) -> U {
    const float x = f32(a);
    // An H200 cuts off what .rna is given even if it is a NaN, of which an infinity may be left.
    if (std::isnan(x)) return mode == Mode::away && !finite ? a & 0xffffe000 : 0x7fffffff;
    if (relu && std::signbit(x)) return 0;
    const U cut = a & 0xffffe000, rest = a & 0x1fff;
    if (std::isinf(x)) return finite ? (a & 0x80000000) | 0x7f7fe000 : a;
    const bool up = mode == Mode::nearest ? rest > 0x1000 || (rest == 0x1000 && (a & 0x2000) != 0)
                    : mode == Mode::away  ? rest >= 0x1000
                                          : false;
    const U result = cut + (up ? 0x2000 : 0);
    return finite && (result & 0x7f800000) == 0x7f800000 ? (a & 0x80000000) | 0x7f7fe000 : result;
  };
  check("cvt.rna.tf32.f32", "rf",
        Reference4([&](U a, U, U, U) { return tensor(a, Mode::away, false, false); }));
  check("cvt.rna.satfinite.tf32.f32", "rf",
        Reference4([&](U a, U, U, U) { return tensor(a, Mode::away, false, true); }));
  check("cvt.rn.tf32.f32", "rf",
        Reference4([&](U a, U, U, U) { return tensor(a, Mode::nearest, false, false); }));
  check("cvt.rz.relu.tf32.f32", "rf",
        Reference4([&](U a, U, U, U) { return tensor(a, Mode::zero, true, false); }));
}

TEST(Conversions, Packing) {
  using S = std::int32_t;
  const auto clamp = [](U a, S low, S high) {
    return static_cast<U>(std::clamp(static_cast<S>(a), low, high));
  };
  check("cvt.pack.sat.s16.s32", "rrr", Reference4([&](U a, U b, U, U) {
          return (clamp(a, -32768, 32767) & 0xffff) << 16 | (clamp(b, -32768, 32767) & 0xffff);
        }));
  check("cvt.pack.sat.u16.s32", "rrr",
        Reference4([&](U a, U b, U, U) { return clamp(a, 0, 65535) << 16 | clamp(b, 0, 65535); }));
  check("cvt.pack.sat.u8.s32.b32", "rrrr", Reference4([&](U a, U b, U c, U) {
          return c << 16 | clamp(a, 0, 255) << 8 | clamp(b, 0, 255);
        }));
  check("cvt.pack.sat.s4.s32.b32", "rrrr", Reference4([&](U a, U b, U c, U) {
          return c << 8 | (clamp(a, -8, 7) & 15) << 4 | (clamp(b, -8, 7) & 15);
        }));
}

TEST(Conversions, SaturatingIntegers) {
  check("cvt.rzi.sat.u8.f32", "hf", Reference4([](U a, U, U, U) {
          const float x = f32(a);
          return x > 0 ? static_cast<U>(std::min(std::trunc(x), 255.0f)) : 0;
        }));
  check("cvt.sat.u32.s8 $0, $1", "rh", Reference4([](U a, U, U, U) {
          return static_cast<U>(std::max<int>(0, static_cast<std::int8_t>(a)));
        }));
  check("cvt.sat.s8.u8 $0, $1", "hh",
        Reference4([](U a, U, U, U) { return std::min<U>(a & 0xff, 127); }));
}

// bfloat16 and bytes, whose registers have exactly their size.
TEST(Conversions, BytesAndBfloat16) {
  std::vector<std::array<U, 4>> all;
  for (U pattern = 0; pattern < 0x10000; ++pattern) all.push_back({pattern, 0, 0, 0});
  struct Row {
    const char* mode;
    float (*round)(float);
  };
  for (const Row& row : {Row{"rni", [](float x) { return std::nearbyint(x); }},
                         Row{"rzi", [](float x) { return std::trunc(x); }},
                         Row{"rmi", [](float x) { return std::floor(x); }},
                         Row{"rpi", [](float x) { return std::ceil(x); }}}) {
    for (const bool sign : {false, true}) {
      const std::string type = sign ? "s8" : "u8";
      const float least = sign ? -128 : 0, most = sign ? 127 : 255;
      check(std::string("cvt.") + row.mode + "." + type + ".bf16 %b1, $1; cvt.s32." + type +
                " $0, %b1",
            "rh", Reference4([&](U a, U, U, U) {
              const float value = f32(a << 16);
              if (std::isnan(value)) return U{0};
              return static_cast<U>(static_cast<int>(std::clamp(row.round(value), least, most)));
            }),
            all);
    }
  }
  for (const std::string mode : {"rn", "rz", "rm", "rp"}) {  // each byte is a bfloat16
    check("cvt.u8.u32 %b1, $1; cvt." + mode + ".bf16.u8 $0, %b1", "hr", [](U a, U, U) {
      return U{std::bit_cast<std::uint32_t>(static_cast<float>(a & 0xff))} >> 16;
    });
    check("cvt.u8.u32 %b1, $1; cvt." + mode + ".bf16.s8 $0, %b1", "hr", [](U a, U, U) {
      return U{std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int8_t>(a)))} >> 16;
    });
  }
}

}  // namespace
}  // namespace warpmark::cpu
