#include "prelude.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace warpmark::array {

namespace {

struct Helper {
  const char* name;
  const char* needs;  // the name of an earlier one, or ""
  const char* text;
};

// The algorithms are those of NumPy's sources (npy_math_internal.h.src, loops.c.src), so that the
// results are its own: the sign of zero, NaN, division by zero and wrapping integers included.
constexpr std::array kHelpers = {
    Helper{"wide", "", R"(
// Integers wrap: they are computed in an unsigned type that is not promoted further.
template <class T> struct Wide { using Type = unsigned; };
template <> struct Wide<long long> { using Type = unsigned long long; };
template <> struct Wide<unsigned long long> { using Type = unsigned long long; };
template <> struct Wide<float> { using Type = float; };
template <> struct Wide<double> { using Type = double; };
template <class T> using wide = typename Wide<T>::Type;
)"},
    Helper{"rounded", "", R"(
// A value of float16, which is kept as float: the result of one operation, rounded.
__device__ __forceinline__ float rounded(float a) { return __half2float(__float2half_rn(a)); }
__device__ __forceinline__ float rounded(double a) { return __half2float(__double2half(a)); }
)"},
    Helper{"add", "wide", "T add(T a, T b) { return T(wide<T>(a) + wide<T>(b)); }"},
    Helper{"subtract", "wide", "T subtract(T a, T b) { return T(wide<T>(a) - wide<T>(b)); }"},
    Helper{"multiply", "wide", "T multiply(T a, T b) { return T(wide<T>(a) * wide<T>(b)); }"},
    Helper{"negative", "wide", "T negative(T a) { return T(-wide<T>(a)); }"},
    Helper{"square", "wide", "T square(T a) { return T(wide<T>(a) * wide<T>(a)); }"},
    Helper{"absolute", "wide", "T absolute(T a) { return a < 0 ? T(-wide<T>(a)) : a; }"},
    Helper{"sign", "", "T sign(T a) { return a > 0 ? T(1) : a == 0 ? T(0) : T(-1); }"},
    Helper{"sign_real", "",
           "T sign_real(T a) { return a > 0 ? T(1) : a < 0 ? T(-1) : a == 0 ? T(0) : a; }"},
    Helper{"maximum", "", "T maximum(T a, T b) { return a >= b ? a : b; }"},
    Helper{"minimum", "", "T minimum(T a, T b) { return a <= b ? a : b; }"},
    Helper{"maximum_real", "", "T maximum_real(T a, T b) { return a >= b || a != a ? a : b; }"},
    Helper{"minimum_real", "", "T minimum_real(T a, T b) { return a <= b || a != a ? a : b; }"},
    Helper{"fmax_real", "", "T fmax_real(T a, T b) { return a >= b || b != b ? a : b; }"},
    Helper{"fmin_real", "", "T fmin_real(T a, T b) { return a <= b || b != b ? a : b; }"},
    Helper{"is_nan", "", "bool is_nan(T a) { return a != a; }"},
    Helper{"is_finite", "", "bool is_finite(T a) { return a - a == 0; }"},
    Helper{"is_infinite", "", "bool is_infinite(T a) { return a == a && a - a != 0; }"},
    Helper{"sign_bit", "", "bool sign_bit(T a) { return ::copysign(T(1), a) < 0; }"},
    Helper{"logical_not", "", "bool logical_not(T a) { return !a; }"},
    Helper{"invert", "", "T invert(T a) { return T(~a); }"},
    Helper{"left_shift", "wide", R"(T left_shift(T a, T b) {
  return wide<T>(b) < 8 * sizeof(T) ? T(wide<T>(a) << wide<T>(b)) : T(0);
})"},
    Helper{"right_shift", "wide", R"(T right_shift(T a, T b) {
  return wide<T>(b) < 8 * sizeof(T) ? T(a >> b) : a < 0 ? T(-1) : T(0);
})"},
    Helper{"floor_divide", "wide", R"(T floor_divide(T a, T b) {
  if (b == 0) return 0;
  if (T(-1) < 0 && b == T(-1)) return T(-wide<T>(a));
  return T(a / b - (a % b != 0 && (a < 0) != (b < 0)));
})"},
    Helper{"remainder", "", R"(T remainder(T a, T b) {
  if (b == 0 || (T(-1) < 0 && b == T(-1))) return 0;
  const T rest = T(a % b);
  return rest != 0 && (rest < 0) != (b < 0) ? T(rest + b) : rest;
})"},
    Helper{"fmod_integer", "", R"(T fmod_integer(T a, T b) {
  return b == 0 || (T(-1) < 0 && b == T(-1)) ? T(0) : T(a % b);
})"},
    Helper{"remainder_real", "", R"(T remainder_real(T a, T b) {
  T rest = ::fmod(a, b);
  if (b == 0) return rest;
  if (rest != 0) return (b < 0) != (rest < 0) ? rest + b : rest;
  return ::copysign(T(0), b);
})"},
    // A quotient that is rounded to nearest has the right whole part, or the next one away from
    // zero; the remainder, which is exact, tells by its sign. So one division does for most.
    Helper{"whole_quotient", "", R"(
__device__ __forceinline__ float divided(float a, float b) { return __fdiv_rn(a, b); }
__device__ __forceinline__ double divided(double a, double b) { return __ddiv_rn(a, b); }
__device__ __forceinline__ float fused(float a, float b, float c) { return __fmaf_rn(a, b, c); }
__device__ __forceinline__ double fused(double a, double b, double c) { return __fma_rn(a, b, c); }
template <class T> __device__ __forceinline__ bool whole_quotient(T a, T b, T &quotient) {
  const T divided = warpmark::divided(a, b);
  const T whole = ::trunc(divided), rest = fused(-whole, b, a);
  const T most = sizeof(T) == 4 ? T(4194304) : T(2251799813685248);
  if (!(::fabs(divided) < most) || rest != rest) return false;
  const bool is_negative = (a < 0) != (b < 0), is_beyond = (rest < 0) != (a < 0);
  const T floor = rest != 0 && is_beyond != is_negative ? whole - T(1) : whole;
  quotient = floor == 0 ? ::copysign(T(0), divided) : floor;
  return true;
}
)"},
    Helper{"floor_divide_real", "whole_quotient", R"(T floor_divide_real(T a, T b) {
  if (b == 0) return a / b;
  T known;
  if (whole_quotient(a, b, known)) return known;
  const T rest = ::fmod(a, b);
  T quotient = (a - rest) / b;
  if (rest != 0 && (b < 0) != (rest < 0)) quotient -= T(1);
  if (quotient == 0) return ::copysign(T(0), a / b);
  const T whole = ::floor(quotient);
  return quotient - whole > T(0.5) ? whole + T(1) : whole;
})"},
    Helper{"power", "wide", R"(T power(T a, T b) {
  wide<T> result = 1, factor = wide<T>(a);
  for (; b > 0; b = T(b >> 1)) {
    if (b & 1) result *= factor;
    factor *= factor;
  }
  return T(result);
})"},
    Helper{"scaled", "", R"(T scaled(T a, long long exponent) {
  return ::ldexp(a, int(exponent < -100000 ? -100000 : exponent > 100000 ? 100000 : exponent));
})"},
    Helper{"mantissa", "", R"(T mantissa(T a) {
  int exponent = 0;
  return a - a == 0 ? ::frexp(a, &exponent) : a;
})"},
    Helper{"exponent", "", R"(int exponent(T a) {
  int exponent = 0;
  if (a - a == 0) ::frexp(a, &exponent);
  return exponent;
})"},
    Helper{"fraction", "", R"(T fraction(T a) {
  T whole;
  return ::modf(a, &whole);
})"},
    Helper{"whole_part", "", R"(T whole_part(T a) {
  T whole;
  ::modf(a, &whole);
  return whole;
})"},
};

}  // namespace

bool in_prelude(const std::string& name) {
  return std::ranges::any_of(kHelpers, [&](const Helper& helper) { return name == helper.name; });
}

std::string prelude(const std::set<std::string>& names) {
  std::set<std::string> needed = names;
  for (const Helper& helper : kHelpers) {
    if (names.contains(helper.name) && *helper.needs != '\0') needed.insert(helper.needs);
  }
  std::string text;
  for (const Helper& helper : kHelpers) {
    if (!needed.contains(helper.name)) continue;
    const std::string_view body(helper.text);
    text += body.front() == '\n'
                ? std::string(body.substr(1))
                : "template <class T> __device__ __forceinline__ " + std::string(body) + "\n";
  }
  const std::string header = needed.contains("rounded") ? "#include <cuda_fp16.h>\n" : "";
  return text.empty() ? ""
                      : header + "namespace warpmark {\n\n" + text + "\n}  // namespace warpmark\n";
}

}  // namespace warpmark::array
