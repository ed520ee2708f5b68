// The handler of products of warpgroups (wgmma.mma_async), d = a · b + d, for one warp's 16 rows.
// Compiled once for each WARPMARK_ISA; see numerics.hpp for what that forbids.
//
// Sums are made as those of mma (matrix_product.cpp): products are exact in binary64 and are added
// up there in the order of k, d is added last, and the sum is rounded once, to nearest even.
// Integers are sums of binary64, too, which holds them exactly. Sums of 8-bit real numbers are made
// as public measurements of Hopper's tensor cores tell (docs/cpu-numerics.md): see SmallSums.
#include "machine/wgmma.hpp"

#include "machine/formats.hpp"
#include "machine/handlers.hpp"
#include "machine/small_floats.hpp"

namespace warpmark::cpu::WARPMARK_ISA {
namespace {

#if defined(__AVX512F__)
constexpr u32 kVector = 64;
#elif defined(__AVX__)
constexpr u32 kVector = 32;
#else
constexpr u32 kVector = 16;
#endif
typedef f64 Reals __attribute__((vector_size(kVector)));
constexpr u32 kEach = kVector / sizeof(f64);  // a divisor of 8, and so of each n
constexpr u32 kRows = WarpProduct::kRows;
constexpr u32 kMostK = WarpProduct::kMostK, kMostN = WarpProduct::kMostN;

WARPMARK_INLINE Reals load(const f64* from) {
  Reals all;
  __builtin_memcpy(&all, from, sizeof all);
  return all;
}
WARPMARK_INLINE void store(f64* to, Reals all) {
  __builtin_memcpy(to, &all, sizeof all);
}

// --- Elements as binary64

struct SmallTables {
  f64 e4m3[256], e5m2[256];
  SmallTables() {
    for (u32 pattern = 0; pattern < 256; ++pattern) {
      e4m3[pattern] = number(Format::e4m3, pattern);
      e5m2[pattern] = number(Format::e5m2, pattern);
    }
  }
  static f64 number(Format format, u32 pattern) {
    return real(encode_real(Format::f64, decode_real(format, pattern), Rounding::nearest, false));
  }
};
const SmallTables& small_tables() {
  static const SmallTables tables;
  return tables;
}

// f16 by a multiplication, which also places the subnormal ones: 2^112 between the two biases.
WARPMARK_INLINE f64 real_of_half(u16 half) {
  const u32 magnitude = (half & 0x7fffu) << 13, sign = (half & 0x8000u) << 16;
  const u32 finite = bits(real(magnitude) * 0x1p112f);
  return real((magnitude >= 0x0f800000u ? magnitude | 0x7f800000u : finite) | sign);
}

template <typename T, typename Value>
WARPMARK_INLINE void convert(const std::byte* from, u32 count, f64* to, Value value) {
  for (u32 at = 0; at < count; ++at) {
    T pattern;
    __builtin_memcpy(&pattern, from + at * sizeof pattern, sizeof pattern);
    to[at] = value(pattern);
  }
}

void convert(Element type, const std::byte* from, u32 count, f64* to) {
  switch (type) {
    case Element::f16:
      return convert<u16>(from, count, to, [](u16 half) { return real_of_half(half); });
    case Element::bf16:
      return convert<u16>(from, count, to, [](u16 half) { return f64{real(u32{half} << 16)}; });
    case Element::tf32:  // the low 13 bits do not exist
      return convert<u32>(from, count, to, [](u32 word) { return f64{real(word & 0xffffe000)}; });
    case Element::s8:
      return convert<s8>(from, count, to, [](s8 byte) { return static_cast<f64>(byte); });
    case Element::u8:
      return convert<u8>(from, count, to, [](u8 byte) { return static_cast<f64>(byte); });
    default: {
      const SmallTables& tables = small_tables();
      const f64* const table = type == Element::e4m3 ? tables.e4m3 : tables.e5m2;
      return convert<u8>(from, count, to, [&](u8 byte) { return table[byte]; });
    }
  }
}

constexpr u32 bytes_of(Element type) {
  return type == Element::tf32 ? 4 : type == Element::f16 || type == Element::bf16 ? 2 : 1;
}

void negate(f64* numbers, u32 count) {
  for (u32 at = 0; at < count; ++at) numbers[at] = -numbers[at];
}

// Rows of a, `kept` numbers each.
void fill_a(const WarpProduct& product, f64* a) {
  const u32 bytes = bytes_of(product.type_a);
  if (!product.a_transposed) {
    convert(product.type_a, product.a, kRows * product.kept, a);
  } else {
    f64 column[kRows];
    for (u32 k = 0; k < product.kept; ++k) {
      convert(product.type_a, product.a + k * kRows * bytes, kRows, column);
      for (u32 row = 0; row < kRows; ++row) a[row * product.kept + k] = column[row];
    }
  }
  if (product.a_negated) negate(a, kRows * product.kept);
}

// Rows of b, n numbers each.
void fill_b(const WarpProduct& product) {
  const u32 bytes = bytes_of(product.type_b), n = product.n, k = product.k;
  f64* const b = product.rows_of_b;
  if (product.b_transposed) {
    convert(product.type_b, product.b, n * k, b);
  } else {
    f64 column[kMostK];
    for (u32 at = 0; at < n; ++at) {
      convert(product.type_b, product.b + at * k * bytes, k, column);
      for (u32 row = 0; row < k; ++row) b[row * n + at] = column[row];
    }
  }
  if (product.b_negated) negate(b, n * k);
  *product.has_rows_of_b = true;
}

// --- Sums, as rows of n

// Some rows and vectors of columns at a time, which fill a processor's registers.
template <u32 Rows, u32 Vectors>
WARPMARK_INLINE void sum_part(const f64* a, u32 kept, const f64* b, u32 n, f64* sums) {
  Reals sum[Rows][Vectors] = {};
  for (u32 k = 0; k < kept; ++k) {
    Reals right[Vectors];
    for (u32 v = 0; v < Vectors; ++v) right[v] = load(b + k * n + v * kEach);
    for (u32 row = 0; row < Rows; ++row) {
      const Reals left = a[row * kept + k] - Reals{};
      for (u32 v = 0; v < Vectors; ++v) sum[row][v] += left * right[v];
    }
  }
  for (u32 row = 0; row < Rows; ++row)
    for (u32 v = 0; v < Vectors; ++v) store(sums + row * n + v * kEach, sum[row][v]);
}

void sum_dense(const WarpProduct& product, const f64* a, f64* sums) {
  constexpr u32 kTogether = 4, kVectors = 2;
  const u32 n = product.n;
  for (u32 row = 0; row < kRows; row += kTogether) {
    const f64* const left = a + row * product.kept;
    u32 column = 0;
    for (; column + kVectors * kEach <= n; column += kVectors * kEach)
      sum_part<kTogether, kVectors>(left, product.kept, product.rows_of_b + column, n,
                                    sums + row * n + column);
    for (; column < n; column += kEach)
      sum_part<kTogether, 1>(left, product.kept, product.rows_of_b + column, n,
                             sums + row * n + column);
  }
}

// A kept element meets the element of b at its place; the others of b meet nothing.
void sum_sparse(const WarpProduct& product, const f64* a, f64* sums) {
  const u32 n = product.n;
  for (u32 row = 0; row < kRows; ++row) {
    for (u32 column = 0; column < n; column += kEach) {
      Reals sum = {};
      for (u32 k = 0; k < product.kept; ++k) {
        const Reals left = a[row * product.kept + k] - Reals{};
        sum += left * load(product.rows_of_b + product.places[row][k] * n + column);
      }
      store(sums + row * n + column, sum);
    }
  }
}

constexpr s32 kFraction = 13;  // bits of what is added up, behind the greatest exponent
constexpr f64 kNoExponent = -1e9;

WARPMARK_INLINE f64 exponent_of(f64 number) {
  const auto exponent = static_cast<s32>(bits(number) >> 52 & 0x7ff);
  return exponent == 0 ? kNoExponent : static_cast<f64>(exponent - 1023);
}
WARPMARK_INLINE f64 power_of_two_of(f64 exponent) {
  return real(static_cast<u64>(static_cast<s32>(exponent) + 1023) << 52);
}
// Below 2^31: a product is below 4 units of its exponent.
WARPMARK_INLINE f64 cut(f64 number) {
  return static_cast<f64>(static_cast<s32>(number));
}
WARPMARK_INLINE f64 shortened(f64 number) {
  const u64 pattern = bits(number);
  const bool finite = (pattern >> 52 & 0x7ff) != 0x7ff;
  return finite ? real(pattern & ~u64{0} << (52 - kFraction)) : number;
}
WARPMARK_INLINE u32 place_of(const WarpProduct& product, u32 row, u32 k) {
  return product.sparse ? product.places[row][k] : k;
}

// Sums of products of 8-bit real numbers: all of them and d are aligned to the one of the greatest
// exponent, that of a product being the sum of those of its factors, and what lies below 13 bits
// behind that one is cut off. The sum is cut off to 13 bits of fraction, too.
struct SmallSums {
  f64 exponents_a[kRows * kMostK], exponents_b[kMostK * kMostN];

  void sum(const WarpProduct& product, const f64* a, f64* sums, const f64* before) {
    const u32 n = product.n, kept = product.kept;
    for (u32 at = 0; at < kRows * kept; ++at) exponents_a[at] = exponent_of(a[at]);
    for (u32 at = 0; at < product.k * n; ++at) exponents_b[at] = exponent_of(product.rows_of_b[at]);
    for (u32 row = 0; row < kRows; ++row)
      sum_row(product, row, a + row * kept, before + row * n, sums + row * n);
  }

  // `sums` are those without any cut: what is infinite or no number is so here, too.
  void sum_row(const WarpProduct& product, u32 row, const f64* a, const f64* before, f64* sums) {
    const u32 n = product.n, kept = product.kept;
    f64 most[kMostN], scale[kMostN], sum[kMostN];
    for (u32 column = 0; column < n; ++column) most[column] = exponent_of(before[column]);
    for (u32 k = 0; k < kept; ++k) {
      const f64 own = exponents_a[row * kept + k];
      const f64* const others = exponents_b + place_of(product, row, k) * n;
      for (u32 column = 0; column < n; ++column) {
        const f64 one = own + others[column];
        most[column] = one > most[column] ? one : most[column];
      }
    }
    for (u32 column = 0; column < n; ++column) {
      most[column] = most[column] > kNoExponent / 2 ? most[column] : 0;
      scale[column] = power_of_two_of(kFraction - most[column]);
      sum[column] = cut(before[column] * scale[column]);
    }
    for (u32 k = 0; k < kept; ++k) {
      const f64 own = a[k];
      const f64* const others = product.rows_of_b + place_of(product, row, k) * n;
      for (u32 column = 0; column < n; ++column)
        sum[column] += cut(own * others[column] * scale[column]);
    }
    for (u32 column = 0; column < n; ++column) {
      const f64 whole = sums[column] + before[column];
      const bool finite = __builtin_fabs(whole) < __builtin_inf();
      sums[column] = finite ? sum[column] * power_of_two_of(most[column] - kFraction) : whole;
    }
  }
};

// --- d in its registers: register 4g + 2h + j of lane 4r + c has row 8h + r and column 8g + 2c + j
// of d; of f16 register 2g + h has both columns.

template <typename Pattern>
WARPMARK_INLINE void scatter(Lanes& w, const WarpProduct& product, Pattern pattern) {
  for (u32 group = 0; group < product.n / 8; ++group) {
    for (u32 row = 0; row < kRows; ++row) {
      const u32 half = row / 8, lanes = row % 8 * 4;
      const u32 at = row * product.n + group * 8;
      u32 words[8];
      for (u32 column = 0; column < 8; ++column) words[column] = pattern(at + column);
      if (product.type_d == Element::f16) {
        const u32 packed[4] = {words[0] | words[1] << 16, words[2] | words[3] << 16,
                               words[4] | words[5] << 16, words[6] | words[7] << 16};
        __builtin_memcpy(w.registers + product.d[2 * group + half] + lanes * 4, packed,
                         sizeof packed);
        continue;
      }
      for (u32 j = 0; j < 2; ++j) {
        const u32 each[4] = {words[j], words[j + 2], words[j + 4], words[j + 6]};
        __builtin_memcpy(w.registers + product.d[4 * group + 2 * half + j] + lanes * 4, each,
                         sizeof each);
      }
    }
  }
}

template <typename Value>
WARPMARK_INLINE void gather(const Lanes& w, const WarpProduct& product, f64* to, Value value) {
  for (u32 group = 0; group < product.n / 8; ++group) {
    for (u32 row = 0; row < kRows; ++row) {
      const u32 half = row / 8, lanes = row % 8 * 4;
      f64* const at = to + row * product.n + group * 8;
      for (u32 j = 0; j < 2; ++j) {
        u32 each[4];
        const bool packed = product.type_d == Element::f16;
        const u32 slot = product.d[packed ? 2 * group + half : 4 * group + 2 * half + j];
        __builtin_memcpy(each, w.registers + slot + lanes * 4, sizeof each);
        for (u32 pair = 0; pair < 4; ++pair)
          at[2 * pair + j] = value(packed ? each[pair] >> (16 * j) & 0xffff : each[pair]);
      }
    }
  }
}

void gather(const Lanes& w, const WarpProduct& product, f64* to) {
  switch (product.type_d) {
    case Element::f16:
      return gather(w, product, to, [](u32 word) { return real_of_half(static_cast<u16>(word)); });
    case Element::s32:
      return gather(w, product, to,
                    [](u32 word) { return static_cast<f64>(static_cast<s32>(word)); });
    default:
      return gather(w, product, to, [](u32 word) { return f64{real(word)}; });
  }
}

// Sums of integers, exact in binary64.
WARPMARK_INLINE u32 integer_of(f64 sum, bool saturate) {
  s64 whole = static_cast<s64>(sum);
  if (saturate) {
    constexpr s64 kMost = 0x7fffffff, kLeast = -kMost - 1;
    whole = whole > kMost ? kMost : whole < kLeast ? kLeast : whole;
  }
  return static_cast<u32>(whole);
}

// Single bits: the ones that a row and a column have in common.
void count_bits(const WarpProduct& product, f64* sums) {
  constexpr u32 kWords = WarpProduct::kBytesOfRow / sizeof(u64);
  for (u32 row = 0; row < kRows; ++row) {
    u64 left[kWords];
    __builtin_memcpy(left, product.a + row * sizeof left, sizeof left);
    for (u32 column = 0; column < product.n; ++column) {
      u64 right[kWords];
      __builtin_memcpy(right, product.b + column * sizeof right, sizeof right);
      s32 count = 0;
      for (u32 k = 0; k < kWords; ++k) count += __builtin_popcountll(left[k] & right[k]);
      sums[row * product.n + column] = count;
    }
  }
}

void sum_up(const WarpProduct& product, f64* sums) {
  if (product.type_a == Element::b1) return count_bits(product, sums);
  f64 a[kRows * kMostK];
  fill_a(product, a);
  if (!*product.has_rows_of_b) fill_b(product);
  if (product.sparse)
    sum_sparse(product, a, sums);
  else
    sum_dense(product, a, sums);
}

void write(Lanes& w, const WarpProduct& product, const f64* sums) {
  const bool saturate = product.saturate;
  switch (product.type_d) {
    case Element::f16:
      return scatter(w, product, [&](u32 at) { return u32{to_f16(sums[at]).pattern}; });
    case Element::s32:
      return scatter(w, product, [&](u32 at) { return integer_of(sums[at], saturate); });
    default:
      return scatter(w, product, [&](u32 at) { return bits(quiet(static_cast<f32>(sums[at]))); });
  }
}

void sum_small(const WarpProduct& product, const f64* before, f64* sums) {
  f64 a[kRows * kMostK];
  fill_a(product, a);
  SmallSums small;
  small.sum(product, a, sums, before);
  if (product.type_d == Element::f16) return;
  for (u32 at = 0; at < kRows * product.n; ++at) sums[at] = shortened(sums[at]);
}

// Lanes that take no part keep what they have.
void put_back(Lanes& w, const WarpProduct& product, const u32 (*kept)[32], u32 registers) {
  for (u32 at = 0; at < registers; ++at) {
    for (u32 lane = 0; lane < 32; ++lane) {
      if ((w.mask >> lane & 1) == 0)
        write_lane<u32>(w.registers, product.d[at], lane, kept[at][lane]);
    }
  }
}

void multiply(Lanes& w, const Instruction& i) {
  WarpProduct product;
  if (!collect(w, i, product)) return;
  alignas(64) f64 sums[kRows * kMostN];
  alignas(64) f64 before[kRows * kMostN];
  sum_up(product, sums);
  const bool small = product.type_a == Element::e4m3 || product.type_a == Element::e5m2;
  if (product.accumulates)
    gather(w, product, before);
  else if (small)
    __builtin_memset(before, 0, sizeof before);
  if (small)
    sum_small(product, before, sums);
  else if (product.accumulates)
    for (u32 at = 0; at < kRows * product.n; ++at) sums[at] += before[at];
  if (w.mask == 0xffffffff) return write(w, product, sums);
  const u32 registers = product.n / (product.type_d == Element::f16 ? 4 : 2);
  u32 kept[kMostN / 2][32];
  for (u32 at = 0; at < registers; ++at)
    __builtin_memcpy(kept[at], w.registers + product.d[at], sizeof kept[at]);
  write(w, product, sums);
  put_back(w, product, kept, registers);
}

}  // namespace

void fill_wgmma(HandlerTable& table) {
  table.set(Opcode::matrix_group_multiply, multiply);
}

}  // namespace warpmark::cpu::WARPMARK_ISA
