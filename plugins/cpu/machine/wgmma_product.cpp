// The handler of products of warpgroups (wgmma.mma_async), d = a · b + d, for one warp's 16 rows.
// Compiled once for each WARPMARK_ISA; see numerics.hpp for what that forbids.
//
// Sums of real numbers are those of aligned_sums.hpp. Sums of integers are exact in binary32, since
// a row has at most 64 products of 16 bits, and the addend comes to them as an integer.
#include "machine/wgmma.hpp"

#include "machine/aligned_sums.hpp"
#include "machine/formats.hpp"
#include "machine/handlers.hpp"
#include "machine/small_floats.hpp"

namespace warpmark::cpu::WARPMARK_ISA {
namespace {

#if defined(__AVX__)
constexpr u32 kVector = 32;
#else
constexpr u32 kVector = 16;
#endif
typedef f32 Reals __attribute__((vector_size(kVector)));
constexpr u32 kEach = kVector / sizeof(f32);  // a divisor of 8, and so of each n
constexpr u32 kRows = WarpProduct::kRows;
constexpr u32 kMostK = WarpProduct::kMostK, kMostN = WarpProduct::kMostN;

WARPMARK_INLINE Reals load(const f32* from) {
  Reals all;
  __builtin_memcpy(&all, from, sizeof all);
  return all;
}

// --- Elements as binary32, which holds all of them

struct SmallTables {
  f32 e4m3[256], e5m2[256];
  SmallTables() {
    for (u32 pattern = 0; pattern < 256; ++pattern) {
      e4m3[pattern] = number(Format::e4m3, pattern);
      e5m2[pattern] = number(Format::e5m2, pattern);
    }
  }
  static f32 number(Format format, u32 pattern) {
    const Number number = decode_real(format, pattern);
    return real(static_cast<u32>(encode_real(Format::f32, number, Rounding::nearest, false)));
  }
};
const SmallTables& small_tables() {
  static const SmallTables tables;
  return tables;
}

// f16 by a multiplication, which also places the subnormal ones: 2^112 between the two biases.
WARPMARK_INLINE f32 real_of_half(u16 half) {
  const u32 magnitude = (half & 0x7fffu) << 13, sign = (half & 0x8000u) << 16;
  const u32 finite = bits(real(magnitude) * 0x1p112f);
  return real((magnitude >= 0x0f800000u ? magnitude | 0x7f800000u : finite) | sign);
}

template <typename T, typename Value>
WARPMARK_INLINE void convert(const std::byte* from, u32 count, f32* to, Value value) {
  for (u32 at = 0; at < count; ++at) {
    T pattern;
    __builtin_memcpy(&pattern, from + at * sizeof pattern, sizeof pattern);
    to[at] = value(pattern);
  }
}

void convert(Element type, const std::byte* from, u32 count, f32* to) {
  switch (type) {
    case Element::f16:
      return convert<u16>(from, count, to, [](u16 half) { return real_of_half(half); });
    case Element::bf16:
      return convert<u16>(from, count, to, [](u16 half) { return real(u32{half} << 16); });
    case Element::tf32:  // the low 13 bits do not exist
      return convert<u32>(from, count, to, [](u32 word) { return real(word & 0xffffe000); });
    case Element::s8:
      return convert<s8>(from, count, to, [](s8 byte) { return static_cast<f32>(byte); });
    case Element::u8:
      return convert<u8>(from, count, to, [](u8 byte) { return static_cast<f32>(byte); });
    default: {
      const SmallTables& tables = small_tables();
      const f32* const table = type == Element::e4m3 ? tables.e4m3 : tables.e5m2;
      return convert<u8>(from, count, to, [&](u8 byte) { return table[byte]; });
    }
  }
}

constexpr u32 bytes_of(Element type) {
  return type == Element::tf32 ? 4 : type == Element::f16 || type == Element::bf16 ? 2 : 1;
}

void negate(f32* numbers, u32 count) {
  for (u32 at = 0; at < count; ++at) numbers[at] = -numbers[at];
}

// Rows of a, `kept` numbers each.
void fill_a(const WarpProduct& product, f32* a) {
  const u32 bytes = bytes_of(product.type_a);
  if (!product.a_transposed) {
    convert(product.type_a, product.a, kRows * product.kept, a);
  } else {
    f32 column[kRows];
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
  f32* const b = product.b_rows->numbers;
  if (product.b_transposed) {
    convert(product.type_b, product.b, n * k, b);
  } else {
    f32 column[kMostK];
    for (u32 at = 0; at < n; ++at) {
      convert(product.type_b, product.b + at * k * bytes, k, column);
      for (u32 row = 0; row < k; ++row) b[row * n + at] = column[row];
    }
  }
  if (product.b_negated) negate(b, n * k);
  if (product.type_d != Element::s32) {
    const s32 least = least_exponent_of(product.type_b);
    product.b_rows->narrow = exponents_of(b, n * k, least, product.b_rows->exponents).narrow();
  }
  product.b_rows->filled = true;
}

// --- Sums, as rows of n

WARPMARK_INLINE void add_integer(const WarpProduct& product, s32 products, u32& sum) {
  constexpr s64 kMost = 0x7fffffff, kLeast = -kMost - 1;
  const s64 whole = s64{products} + static_cast<s32>(sum);
  const s64 limited = whole > kMost ? kMost : whole < kLeast ? kLeast : whole;
  sum = static_cast<u32>(product.saturate ? limited : whole);
}

void sum_integers(const WarpProduct& product, const f32* a, u32* sums) {
  const u32 n = product.n;
  for (u32 row = 0; row < kRows; ++row) {
    for (u32 column = 0; column < n; column += kEach) {
      Reals sum = {};
      for (u32 k = 0; k < product.kept; ++k) {
        const u32 place = product.sparse ? product.places[row][k] : k;
        sum += a[row * product.kept + k] * load(product.b_rows->numbers + place * n + column);
      }
      for (u32 at = 0; at < kEach; ++at)
        add_integer(product, static_cast<s32>(sum[at]), sums[row * n + column + at]);
    }
  }
}

// Hopper keeps 13 bits of fraction of 8-bit numbers, both of the parts and of the sum.
constexpr s32 fraction_of(Element type) {
  return type == Element::e4m3 || type == Element::e5m2 ? 13 : 25;
}

void sum_reals(const WarpProduct& product, const f32* a, u32* sums) {
  s16 exponents[kRows * kMostK];
  const s32 least = least_exponent_of(product.type_a);
  RowOfSums row;
  row.kept = product.kept;
  row.n = product.n;
  row.narrow =
      exponents_of(a, kRows * product.kept, least, exponents).narrow() && product.b_rows->narrow;
  row.b = product.b_rows->numbers;
  row.exponents_b = product.b_rows->exponents;
  row.fraction = fraction_of(product.type_a);
  row.least_addend = least_exponent_of(product.type_d);
  row.to_half = product.type_d == Element::f16;
  for (u32 at = 0; at < kRows; ++at) {
    row.a = a + at * product.kept;
    row.exponents_a = exponents + at * product.kept;
    row.places = product.sparse ? product.places[at] : nullptr;
    f32 before[kMostN];
    for (u32 column = 0; column < product.n; ++column)
      before[column] = row.to_half ? real_of_half(static_cast<u16>(sums[at * product.n + column]))
                                   : real(sums[at * product.n + column]);
    add_row(row, before, sums + at * product.n);
  }
}

// --- d in its registers: register 4g + 2h + j of lane 4r + c has row 8h + r and column 8g + 2c + j
// of d; of f16 register 2g + h has both columns.

WARPMARK_INLINE void scatter(Lanes& w, const WarpProduct& product, const u32* patterns) {
  for (u32 group = 0; group < product.n / 8; ++group) {
    for (u32 row = 0; row < kRows; ++row) {
      const u32 half = row / 8, lanes = row % 8 * 4;
      const u32* const words = patterns + row * product.n + group * 8;
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

void gather(const Lanes& w, const WarpProduct& product, u32* patterns) {
  for (u32 group = 0; group < product.n / 8; ++group) {
    for (u32 row = 0; row < kRows; ++row) {
      const u32 half = row / 8, lanes = row % 8 * 4;
      u32* const at = patterns + row * product.n + group * 8;
      u32 even[4], odd[4];
      if (product.type_d == Element::f16) {
        __builtin_memcpy(even, w.registers + product.d[2 * group + half] + lanes * 4, sizeof even);
        for (u32 pair = 0; pair < 4; ++pair) odd[pair] = even[pair] >> 16, even[pair] &= 0xffff;
      } else {
        const u32* const slots = product.d + 4 * group + 2 * half;
        __builtin_memcpy(even, w.registers + slots[0] + lanes * 4, sizeof even);
        __builtin_memcpy(odd, w.registers + slots[1] + lanes * 4, sizeof odd);
      }
      for (u32 pair = 0; pair < 4; ++pair) at[2 * pair] = even[pair], at[2 * pair + 1] = odd[pair];
    }
  }
}

// Single bits: the ones that a row and a column have in common.
void count_bits(const WarpProduct& product, u32* sums) {
  constexpr u32 kWords = WarpProduct::kBytesOfRow / sizeof(u64);
  for (u32 row = 0; row < kRows; ++row) {
    u64 left[kWords];
    __builtin_memcpy(left, product.a + row * sizeof left, sizeof left);
    for (u32 column = 0; column < product.n; ++column) {
      u64 right[kWords];
      __builtin_memcpy(right, product.b + column * sizeof right, sizeof right);
      s32 count = 0;
      for (u32 k = 0; k < kWords; ++k) count += __builtin_popcountll(left[k] & right[k]);
      sums[row * product.n + column] += static_cast<u32>(count);
    }
  }
}

// Adds the products to `sums`, which are patterns of d's type.
void sum_up(const WarpProduct& product, u32* sums) {
  if (product.type_a == Element::b1) return count_bits(product, sums);
  f32 a[kRows * kMostK];
  fill_a(product, a);
  if (!product.b_rows->filled) fill_b(product);
  if (product.type_d == Element::s32)
    sum_integers(product, a, sums);
  else
    sum_reals(product, a, sums);
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
  alignas(64) u32 sums[kRows * kMostN];
  if (product.accumulates)
    gather(w, product, sums);
  else
    __builtin_memset(sums, 0, sizeof(u32) * kRows * product.n);
  sum_up(product, sums);
  if (w.mask == 0xffffffff) return scatter(w, product, sums);
  const u32 registers = product.n / (product.type_d == Element::f16 ? 4 : 2);
  u32 kept[kMostN / 2][32];
  for (u32 at = 0; at < registers; ++at)
    __builtin_memcpy(kept[at], w.registers + product.d[at], sizeof kept[at]);
  scatter(w, product, sums);
  put_back(w, product, kept, registers);
}

}  // namespace

void fill_wgmma(HandlerTable& table) {
  table.set(Opcode::matrix_group_multiply, multiply);
}

}  // namespace warpmark::cpu::WARPMARK_ISA
