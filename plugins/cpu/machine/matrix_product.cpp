// The handler of products of fragments, d = a · b + c.
//
// The PTX ISA leaves open how sums are made. Those of real numbers are Hopper's (aligned_sums.hpp),
// in steps of 32 bytes of k, each from the rounded sum of the one before. binary64 inputs form a
// chain of fused multiply-adds from c on, in the order of k. Where blocks have factors (sm_120), sums
// are made in binary64 in the order of k, with c last, and are rounded once to nearest even: no
// such device was asked.
#include <xmmintrin.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

#include "machine/block.hpp"
#include "machine/handlers.hpp"
#include "memory/lanes.hpp"
#include "program/matrix.hpp"
#include "program/sparse_matrix.hpp"

#define WARPMARK_ISA matrix_product
#include "machine/aligned_sums.hpp"
#include "machine/formats.hpp"
#include "machine/small_floats.hpp"

namespace warpmark::cpu {
namespace {

using namespace matrix_product;

constexpr u32 kMost = 16 * 64;       // elements of one input of four bits or more, or of a sum
constexpr u32 kMostBits = 16 * 256;  // … of single bits
constexpr u32 kMostK = 128, kMostColumns = 32;
constexpr u32 kBytesOfStep = 32;  // of a row of a, which Hopper adds up in one go
constexpr u32 kColumns = 8;       // of which every shape has a multiple

// For each element of a part, by register, lane and place in the register, where it is in a dense
// matrix: a, c and d by row; b by row, too, so that the elements that one of a meets lie together.
// The products of mma.m8n8k4 follow one another.
class Layout {
 public:
  explicit Layout(const MatrixForm& form) {
    for (const Part part : {Part::a, Part::b, Part::c, Part::d}) {
      std::vector<u16>& places = places_[static_cast<u32>(part)];
      const u32 rows = form.rows(part), columns = form.columns(part), packed = form.packed(part);
      for (u32 reg = 0; reg < form.registers(part); ++reg) {
        for (u32 lane = 0; lane < 32; ++lane) {
          for (u32 at = 0; at < packed; ++at) {
            const Position place = position_of(form, part, lane, reg * packed + at);
            places.push_back(
                static_cast<u16>((place.product * rows + place.row) * columns + place.column));
          }
        }
      }
    }
  }
  [[nodiscard]] const u16* places(Part part) const {
    return places_[static_cast<u32>(part)].data();
  }

  // The layout of the form in an instruction's `imm`. There are few forms, and a kernel uses one or
  // two.
  static const Layout& of(const Instruction& i) {
    static thread_local s64 last_form = 0;
    static thread_local const Layout* last = nullptr;
    if (last != nullptr && last_form == i.imm) return *last;
    static std::mutex mutex;
    static auto* const all = new std::map<s64, std::unique_ptr<const Layout>>;  // outlives threads
    const std::lock_guard lock(mutex);
    std::unique_ptr<const Layout>& found = (*all)[i.imm];
    if (found == nullptr) found = std::make_unique<const Layout>(i.form<MatrixForm>());
    last_form = i.imm;
    return *(last = found.get());
  }

 private:
  std::vector<u16> places_[4];
};

// f32: none of the small formats.
constexpr Format format_of(Element type) {
  switch (type) {
    case Element::e4m3:
      return Format::e4m3;
    case Element::e5m2:
      return Format::e5m2;
    case Element::e2m3:
      return Format::e2m3;
    case Element::e3m2:
      return Format::e3m2;
    case Element::e2m1:
      return Format::e2m1;
    default:
      return Format::f32;
  }
}

template <Element Type>
WARPMARK_INLINE f64 real_of(u64 pattern) {
  if constexpr (Type == Element::f16) {
    return widen(f16{static_cast<u16>(pattern)});
  } else if constexpr (Type == Element::bf16) {
    return widen(bf16{static_cast<u16>(pattern)});
  } else if constexpr (Type == Element::tf32) {  // the low 13 bits do not exist
    return real(static_cast<u32>(pattern) & 0xffffe000);
  } else if constexpr (format_of(Type) != Format::f32) {
    // 8 bits at most, of which numbers of 6 bits are the low ones.
    static const std::vector<f64> values = [] {
      std::vector<f64> all(256);
      for (u32 one = 0; one < 256; ++one) {
        const u64 bits = one & ((1u << layout_of(format_of(Type)).width) - 1);
        const Number number = decode_real(format_of(Type), bits);
        all[one] = real(encode_real(Format::f64, number, Rounding::nearest, false));
      }
      return all;
    }();
    return values[pattern & 0xff];
  } else if constexpr (Type == Element::f64) {
    return real(pattern);
  } else {
    return real(static_cast<u32>(pattern));
  }
}
template <Element Type>
WARPMARK_INLINE s32 integer_of(u64 pattern) {
  if constexpr (Type == Element::s8) return static_cast<s8>(pattern);
  if constexpr (Type == Element::s4) return static_cast<s32>(pattern << 28) >> 28;
  return static_cast<s32>(pattern);
}

// The values of one part, into a dense matrix.
template <u32 width, typename T, typename Value>
WARPMARK_INLINE void gather(const Lanes& w, const u32* slots, u32 registers, const u16* places,
                            T* to, Value value) {
  for (u32 reg = 0; reg < registers; ++reg) {
    for (u32 lane = 0; lane < 32; ++lane) {
      if constexpr (width == 64) {
        to[*places++] = value(read_lane<u64>(w.registers, slots[reg], lane));
      } else {
        const u32 word = read_lane<u32>(w.registers, slots[reg], lane);
        constexpr u32 mask = width == 32 ? ~0u : (1u << width) - 1;
        for (u32 at = 0; at < 32; at += width) to[*places++] = value(word >> at & mask);
      }
    }
  }
}
template <Element Type, typename Real>
void gather_reals(const Lanes& w, const u32* slots, u32 registers, const u16* places, Real* to) {
  gather<bits_of(Type)>(w, slots, registers, places, to,
                        [](u64 pattern) { return static_cast<Real>(real_of<Type>(pattern)); });
}
template <Element Type>
void gather_integers(const Lanes& w, const u32* slots, u32 registers, const u16* places, s32* to) {
  gather<bits_of(Type)>(w, slots, registers, places, to,
                        [](u64 pattern) { return integer_of<Type>(pattern); });
}

template <typename Real>
void gather_reals(Element type, bool in_bytes, const Lanes& w, const u32* slots, u32 registers,
                  const u16* places, Real* to) {
  if (type == Element::e2m1 && in_bytes) {  // in the middle of the byte
    return gather<8>(w, slots, registers, places, to, [](u64 pattern) {
      return static_cast<Real>(real_of<Element::e2m1>(pattern >> 2 & 0xf));
    });
  }
  switch (type) {
    case Element::f16:
      return gather_reals<Element::f16>(w, slots, registers, places, to);
    case Element::bf16:
      return gather_reals<Element::bf16>(w, slots, registers, places, to);
    case Element::tf32:
      return gather_reals<Element::tf32>(w, slots, registers, places, to);
    case Element::e4m3:
      return gather_reals<Element::e4m3>(w, slots, registers, places, to);
    case Element::e5m2:
      return gather_reals<Element::e5m2>(w, slots, registers, places, to);
    case Element::e2m3:
      return gather_reals<Element::e2m3>(w, slots, registers, places, to);
    case Element::e3m2:
      return gather_reals<Element::e3m2>(w, slots, registers, places, to);
    case Element::e2m1:
      return gather_reals<Element::e2m1>(w, slots, registers, places, to);
    case Element::f64:
      return gather_reals<Element::f64>(w, slots, registers, places, to);
    default:
      return gather_reals<Element::f32>(w, slots, registers, places, to);
  }
}
void gather_integers(Element type, const Lanes& w, const u32* slots, u32 registers,
                     const u16* places, s32* to) {
  switch (type) {
    case Element::s8:
      return gather_integers<Element::s8>(w, slots, registers, places, to);
    case Element::u8:
      return gather_integers<Element::u8>(w, slots, registers, places, to);
    case Element::s4:
      return gather_integers<Element::s4>(w, slots, registers, places, to);
    case Element::u4:
      return gather_integers<Element::u4>(w, slots, registers, places, to);
    case Element::b1:
      return gather_integers<Element::b1>(w, slots, registers, places, to);
    default:
      return gather_integers<Element::s32>(w, slots, registers, places, to);
  }
}

// The numbers that every supported processor can add at a time (x86-64-v2).
typedef f64 RowOfReals __attribute__((vector_size(16)));
typedef s32 RowOfIntegers __attribute__((vector_size(16)));

// The sums of products, eight columns at a time: each in the order of k, side by side. `chosen` has
// the row of b for each element of a sparse matrix.
template <typename T, typename Sum, typename Step>
WARPMARK_INLINE void sum_products(const MatrixForm& form, const u8* chosen, const T* a, const T* b,
                                  Sum* sums, Step step) {
  using Row = std::conditional_t<sizeof(T) == 8, RowOfReals, RowOfIntegers>;
  constexpr u32 each = 16 / sizeof(T), parts = kColumns / each;
  const u32 n = form.n, rows = form.m * (form.volta() ? 4u : 1u);
  const u32 k = form.columns(Part::a);  // of b a dense matrix has as many rows
  for (u32 row = 0; row < rows; ++row) {
    const T* const right = b + row / form.m * k * n;
    for (u32 column = 0; column < n; column += kColumns) {
      Row sum[parts] = {};
      for (u32 at = 0; at < k; ++at) {
        const Row left = a[row * k + at] - Row{};
        for (u32 part = 0; part < parts; ++part) {
          Row other;
          const u32 below = chosen == nullptr ? at : chosen[row * k + at];
          __builtin_memcpy(&other, right + below * n + column + part * each, sizeof other);
          step(sum[part], left, other);
        }
      }
      for (u32 part = 0; part < parts; ++part)
        for (u32 at = 0; at < each; ++at) sums[row * n + column + part * each + at] = sum[part][at];
    }
  }
}

// The results, by place, into the registers of the lanes that take part.
void scatter(Lanes& w, const u32* slots, u32 registers, Element type, const u16* places,
             const u64* patterns) {
  const u32 width = bits_of(type);
  for (u32 reg = 0; reg < registers; ++reg) {
    for (u32 lane = 0; lane < 32; ++lane) {
      const bool active = (w.mask >> lane & 1) != 0;
      if (width == 64) {
        if (active) write_lane<u64>(w.registers, slots[reg], lane, patterns[*places]);
        ++places;
        continue;
      }
      u32 word = 0;
      for (u32 at = 0; at < 32; at += width) word |= static_cast<u32>(patterns[*places++]) << at;
      if (active) write_lane<u32>(w.registers, slots[reg], lane, word);
    }
  }
}

// A product that is being made. All of it is read before any of d is written, which may be one of
// the inputs.
struct Product {
  Lanes& w;
  const MatrixForm form;
  const Layout& layout;
  const u32 *d, *a, *b, *c, *further;

  Product(Lanes& warp, const Instruction& i)
      : w(warp),
        form(i.form<MatrixForm>()),
        layout(Layout::of(i)),
        d(w.operands + i.more),
        a(d + form.registers(Part::d)),
        b(a + form.registers(Part::a)),
        c(b + form.registers(Part::b)),
        further(c + form.registers(Part::c)) {}

  [[nodiscard]] u32 size() const { return form.m * form.n * (form.volta() ? 4u : 1u); }
  template <typename Real>
  void reals(Part part, const u32* slots, Real* to) const {
    gather_reals(form.element(part), form.in_bytes, w, slots, form.registers(part),
                 layout.places(part), to);
  }
  void integers(Part part, const u32* slots, s32* to) const {
    gather_integers(form.element(part), w, slots, form.registers(part), layout.places(part), to);
  }
  void write(const u64* patterns) const {
    scatter(w, d, form.registers(Part::d), form.d, layout.places(Part::d), patterns);
  }
};

// The rows of b that the elements of a sparse matrix meet.
class Chosen {
 public:
  explicit Chosen(const Product& product) {
    if (!product.form.sparse) return;
    const SparseMetadata metadata{product.form};
    const u32 columns = product.form.columns(Part::a), half = metadata.group() / 2;
    for (u32 row = 0; row < product.form.m; ++row) {
      for (u32 number = 0; number < metadata.groups(); ++number) {
        const SparseMetadata::Place place = metadata.place(row, number);
        const u32 word = read_lane<u32>(product.w.registers, *product.further, place.lane);
        const u32 four_bits = word >> place.shift & 0xf;
        if (const char* wrong = metadata.wrong(four_bits); wrong != nullptr && wrong_ == nullptr) {
          wrong_ = wrong;
          lane_ = place.lane;
          shift_ = place.shift;
        }
        for (u32 at = number * half; at < (number + 1) * half; ++at)
          rows_[row * columns + at] = static_cast<u8>(metadata.column(four_bits, at));
      }
    }
    all_ = rows_;
  }
  [[nodiscard]] const u8* rows() const { return all_; }

  // PTX ISA: with other metadata the behaviour is undefined.
  [[nodiscard]] bool refused(Lanes& w, const Instruction& i) const {
    if (wrong_ == nullptr) return false;
    Fault fault = w.block->fault(FaultKind::descriptor, i.statement, w.warp, 1u << lane_);
    fault.message = "the sparsity metadata cannot be used: the group of four bits from bit " +
                    std::to_string(shift_) + " on " + wrong_;
    w.block->launch().faults.add(fault);
    w.block->launch().stop = true;
    return true;
  }

 private:
  u8 rows_[kMost];
  const u8* all_ = nullptr;
  const char* wrong_ = nullptr;
  u32 lane_ = 0, shift_ = 0;
};

// 2^(x - 127), or NaN; ue4m3 is e4m3 without a sign.
f64 factor_of(u32 byte, bool e4m3) {
  if (e4m3) return real_of<Element::e4m3>(byte & 0x7f);
  if (byte == 0xff) return real(u64{0x7ff8000000000000});
  return real(u64{byte - 127 + 1023} << 52);
}

// Multiplies inputs by the factors of their blocks, which divide k: products stay exact.
void scale(const Product& product, const Chosen& chosen, f64* a, f64* b) {
  const MatrixForm& form = product.form;
  const u32 blocks = form.scales, each = form.k() / blocks, columns = form.columns(Part::a);
  const u32* slots = product.further + (form.sparse ? 1 : 0);
  for (const Part part : {Part::a, Part::b}) {
    const auto byte = read_lane<u32>(product.w.registers, slots[1], 0) & 3;
    const auto lane_number = read_lane<u32>(product.w.registers, slots[2], 0);
    const u32 lines = part == Part::a ? form.m : form.n;
    for (u32 line = 0; line < lines; ++line) {
      const u32 lane = BlockScales::lane(part, line, lane_number);
      const u32 word = read_lane<u32>(product.w.registers, slots[0], lane) >> (8 * byte);
      f64 factors[4];
      for (u32 block = 0; block < blocks; ++block)
        factors[block] = factor_of(word >> (8 * block) & 0xff, form.scales_e4m3);
      for (u32 at = 0; at < (part == Part::a ? columns : form.k()); ++at) {
        if (part == Part::b) {
          b[at * form.n + line] *= factors[at / each];
          continue;
        }
        const u32 element = line * columns + at;
        a[element] *= factors[(form.sparse ? chosen.rows()[element] : at) / each];
      }
    }
    slots += 3;
  }
}

// The real numbers of a product, and what Hopper adds up in one go: `step` elements of a row.
struct AlignedProduct {
  explicit AlignedProduct(const Product& product, const Chosen& chosen)
      : form(product.form),
        copies(form.volta() ? 4 : 1),
        rows(form.m * copies),
        kept(form.columns(Part::a)),
        places(chosen.rows()) {
    product.reals(Part::a, product.a, a);
    product.reals(Part::b, product.b, b);
    product.reals(Part::c, product.c, c);
  }

  // Sums of all rows, each step from the rounded sum of the one before, the first from `sums`.
  void add(u32 step, s32 least_of_a, s32 least_of_b) {
    const u32 n = form.n, size_of_b = form.k() * n;
    const ExponentRange of_a = exponents_of(a, rows * kept, least_of_a, exponents_a);
    const ExponentRange of_b = exponents_of(b, copies * size_of_b, least_of_b, exponents_b);
    RowOfSums row;
    row.narrow = of_a.narrow() && of_b.narrow();
    row.n = n;
    row.kept = step;
    row.least_addend = least_exponent_of(form.c);
    row.to_half = form.d == Element::f16;
    for (u32 at = 0; at < rows; ++at) {
      for (u32 first = 0; first < kept; first += step) {
        row.a = a + at * kept + first;
        row.exponents_a = exponents_a + at * kept + first;
        row.places = places == nullptr ? nullptr : places + at * kept + first;
        const u32 rows_before = at / form.m * form.k() + (places == nullptr ? first : 0);
        row.b = b + rows_before * n;
        row.exponents_b = exponents_b + rows_before * n;
        u32 patterns[kMostColumns];
        add_row(row, c + at * n, patterns);
        for (u32 column = 0; column < n; ++column)
          c[at * n + column] = row.to_half
                                   ? static_cast<f32>(real_of<Element::f16>(patterns[column]))
                                   : real(patterns[column]);
      }
    }
  }
  void write(const Product& product) const {
    u64 patterns[kMost];
    for (u32 at = 0; at < rows * form.n; ++at)
      patterns[at] = form.d == Element::f16 ? to_f16(c[at]).pattern : bits(quiet(c[at]));
    product.write(patterns);
  }

  const MatrixForm form;
  const u32 copies, rows, kept;
  const u8* places;
  f32 a[kMost], b[kMost], c[kMost];  // c becomes d
  s16 exponents_a[kMost], exponents_b[kMost];
};

void multiply_aligned(const Product& product, const Chosen& chosen) {
  AlignedProduct all(product, chosen);
  const MatrixForm& form = product.form;
  const u32 step = kBytesOfStep * 8 / form.bits(Part::a);
  all.add(all.kept < step ? all.kept : step, least_exponent_of(form.a), least_exponent_of(form.b));
  all.write(product);
}

// Hopper has no mma of 8-bit numbers. The instruction becomes two products of binary16, of the
// lower and the upper two of each four elements of a row, and an addition of c.
void multiply_in_halves(const Product& product, const Chosen& chosen) {
  AlignedProduct all(product, chosen);
  const MatrixForm& form = product.form;
  const u32 half = all.kept / 2, size = form.m * form.n;
  f32 row[kMostK], before[kMost];
  u8 places[kMost];
  for (u32 at = 0; at < form.m; ++at) {
    f32* const own = all.a + at * all.kept;
    for (u32 k = 0; k < all.kept; ++k) {
      const u32 to = k % 4 / 2 * half + k / 4 * 2 + k % 2;
      row[to] = own[k];
      places[at * all.kept + to] =
          all.places == nullptr ? static_cast<u8>(k) : all.places[at * all.kept + k];
    }
    __builtin_memcpy(own, row, sizeof(f32) * all.kept);
  }
  all.places = places;
  __builtin_memcpy(before, all.c, sizeof(f32) * size);
  for (u32 at = 0; at < size; ++at) all.c[at] = 0;
  const s32 least = least_exponent_of(Element::f16);
  all.add(half, least, least);
  for (u32 at = 0; at < size; ++at) all.c[at] += before[at];
  all.write(product);
}

// Hopper makes mma.m8n8k4 of single operations. For sums of binary32 that is a chain of fused
// multiply-adds from zero on, to which c is added. For sums of binary16 there are two such chains,
// of two products each, and c is added to the first of them.
void multiply_small(const Product& product, const Chosen& chosen) {
  AlignedProduct all(product, chosen);
  const MatrixForm& form = product.form;
  for (u32 row = 0; row < all.rows; ++row) {
    const f32* const x = all.a + row * form.k();
    for (u32 column = 0; column < form.n; ++column) {
      const f32* const y = all.b + row / form.m * form.k() * form.n + column;
      f32& sum = all.c[row * form.n + column];
      const f32 first = fused_multiply_add(x[1], y[form.n], x[0] * y[0]);
      if (form.d == Element::f16) {
        sum = first + sum + fused_multiply_add(x[3], y[3 * form.n], x[2] * y[2 * form.n]);
      } else {
        const f32 third = fused_multiply_add(x[2], y[2 * form.n], first);
        sum = fused_multiply_add(x[3], y[3 * form.n], third) + sum;
      }
      sum = quiet(sum);
    }
  }
  all.write(product);
}

// Products whose blocks have factors; their sums are of binary32.
void multiply_scaled(const Product& product, const Chosen& chosen) {
  f64 a[kMost], b[kMost], c[kMost], sums[kMost];
  u64 patterns[kMost];
  product.reals(Part::a, product.a, a);
  product.reals(Part::b, product.b, b);
  product.reals(Part::c, product.c, c);
  scale(product, chosen, a, b);
  sum_products(product.form, chosen.rows(), a, b, sums,
               [](auto& sum, auto x, auto y) { sum += x * y; });
  for (u32 at = 0; at < product.size(); ++at)
    patterns[at] = bits(quiet(narrowed(sums[at] + c[at])));
  product.write(patterns);
}

// In the processor's present rounding, which both ways to multiply and add follow.
[[gnu::noinline]] void multiply_rounded(const Product& product) {
  const MatrixForm& form = product.form;
  f64 a[kMost], b[kMost], c[kMost];
  u64 patterns[kMost];
  product.reals(Part::a, product.a, a);
  product.reals(Part::b, product.b, b);
  product.reals(Part::c, product.c, c);
  for (u32 row = 0; row < form.m; ++row) {
    for (u32 column = 0; column < form.n; ++column) {
      f64 sum = c[row * form.n + column];
      for (u32 at = 0; at < form.k(); ++at) {
        const f64 x = a[row * form.k() + at], y = b[at * form.n + column];
        sum = quiet(fused_multiply_add(x, y, sum), x, y, sum);
      }
      patterns[row * form.n + column] = bits(sum);
    }
  }
  product.write(patterns);
}

// The compiler may move nothing across the change of the rounding, as in lane_loops.hpp.
void multiply_doubles(const Product& product) {
  const u32 control = _mm_getcsr();
  _mm_setcsr((control & ~0x6000u) | u32{product.form.rounding} << 13);
  __asm__ volatile("" ::: "memory");
  multiply_rounded(product);
  __asm__ volatile("" ::: "memory");
  _mm_setcsr(control);
}

template <u32 Most, typename Step>
void multiply_integers(const Product& product, const Chosen& chosen, Step step) {
  s32 a[Most], b[Most], c[kMost], sums[kMost];
  u64 patterns[kMost];
  product.integers(Part::a, product.a, a);
  product.integers(Part::b, product.b, b);
  product.integers(Part::c, product.c, c);
  // The sum of the products alone cannot overflow: there are 64 of 16 bits.
  sum_products(product.form, chosen.rows(), a, b, sums, step);
  for (u32 at = 0; at < product.size(); ++at) {
    s64 sum = s64{sums[at]} + c[at];
    if (product.form.saturate) {
      sum = sum > Limits<s32>::most    ? s64{Limits<s32>::most}
            : sum < Limits<s32>::least ? s64{Limits<s32>::least}
                                       : sum;
    }
    patterns[at] = static_cast<u32>(sum);
  }
  product.write(patterns);
}

void multiply(Lanes& w, const Instruction& i) {
  const Product product(w, i);
  const Chosen chosen(product);
  if (chosen.refused(w, i)) return;
  switch (product.form.a) {
    case Element::b1:
      if (product.form.conjunction) {
        multiply_integers<kMostBits>(product, chosen,
                                     [](auto& sum, auto x, auto y) { sum += x & y; });
      } else {
        multiply_integers<kMostBits>(product, chosen,
                                     [](auto& sum, auto x, auto y) { sum += x ^ y; });
      }
      return;
    case Element::s8:
    case Element::u8:
    case Element::s4:
    case Element::u4:
      multiply_integers<kMost>(product, chosen, [](auto& sum, auto x, auto y) { sum += x * y; });
      return;
    case Element::f64:
      multiply_doubles(product);
      return;
    default:
      if (product.form.scales != 0) return multiply_scaled(product, chosen);
      if (product.form.a == Element::e4m3 || product.form.a == Element::e5m2)
        return multiply_in_halves(product, chosen);
      if (product.form.volta()) return multiply_small(product, chosen);
      multiply_aligned(product, chosen);
  }
}

}  // namespace

void fill_matrix_product(HandlerTable& table) {
  table.set(Opcode::matrix_multiply, multiply);
}

}  // namespace warpmark::cpu
