// The handler of conversions that opcodes.def has no line for, and of cvt.pack.
#include <optional>

#include "machine/handlers.hpp"
#include "memory/lanes.hpp"

#define WARPMARK_ISA convert
#include "machine/formats.hpp"

namespace warpmark::cpu {
namespace {

using namespace convert;

bool is_wide(Format format) {
  return format == Format::u64 || format == Format::s64 || format == Format::f64;
}
bool subnormal32(const Number& number) {
  return number.significand != 0 && number.exponent + 63 < -126;
}

// .sat and .relu.
bool becomes_zero(const ConvertForm& form, const Number& number) {
  const bool nan = number.kind == Number::Kind::nan;
  if (form.positive && !nan && number.negative) return true;
  if (!form.clamp) return false;
  return nan || number.negative || (number.kind == Number::Kind::finite && number.significand == 0);
}

bool is_one_or_more(const Number& number) {
  return number.kind == Number::Kind::infinite ||
         (number.significand != 0 && number.exponent + 63 >= 0);
}

// The NaN that a conversion of a NaN gives if it keeps any of its bits; empty if it keeps none (all
// measured on an H100).
std::optional<u64> converted_nan(const ConvertForm& form, u64 pattern) {
  // To the same format, with nothing to round or clamp, is a move, of a signalling NaN, too; but of
  // 16 bits, where a NaN is the canonical one.
  const bool moves = form.from == form.to && !form.integral && !form.flush && !form.positive;
  if (moves && (form.to == Format::f32 || form.to == Format::f64)) return pattern;
  // A rounded binary64 NaN is made quiet, and keeps what it carries.
  if (form.to == Format::f64 && form.from == Format::f64) return pattern | u64{1} << 51;
  // cvt.rna.tf32 cuts a NaN off like any number (an H200 makes an infinity of one whose payload is
  // in the 13 bits that go).
  if (form.to == Format::tf32 && form.rounding == Rounding::away && !form.finite)
    return pattern & 0xffffe000;
  return std::nullopt;
}

// `flush` works on binary32 values: on the source, and on a result in that format.
u64 converted(const ConvertForm& form, u64 pattern, RandomBits random) {
  Number number =
      is_integer(form.from) ? decode_integer(form.from, pattern) : decode_real(form.from, pattern);
  if (form.flush && form.from == Format::f32 && subnormal32(number)) number.significand = 0;
  if (becomes_zero(form, number)) return 0;
  if (number.kind == Number::Kind::nan) {
    if (const std::optional<u64> nan = converted_nan(form, pattern)) return *nan;
  }
  if (form.integral) number = rounded_to_integer(number, form.rounding);
  if (form.clamp && is_one_or_more(number)) number = normal(false, 1, 0);
  u64 result = encode_real(form.to, number, form.rounding, form.finite, random);
  if (form.flush && form.to == Format::f32) {  // as flush_scaled of numerics.hpp
    number.exponent += 24;
    const u64 scaled = encode_real(form.to, number, form.rounding, form.finite);
    if ((scaled & 0x7fffffff) < 0x0c800000) result &= 0x80000000;
  }
  return result;
}

void convert_any(Lanes& w, const Instruction& i) {
  const auto form = i.form<ConvertForm>();
  const u32* sources = w.operands + i.more;
  const u32 to = element_bits(form.to), from = element_bits(form.from);
  for (u32 rest = w.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<u32>(__builtin_ctz(rest));
    u64 whole = 0;
    for (u32 element = 0; element < form.elements; ++element) {
      u64 pattern = 0;
      if (form.apart || form.elements == 1) {
        pattern = read_lane(w.registers, sources[form.apart ? form.elements - 1u - element : 0],
                            lane, is_wide(form.from));
        if (from < 32) pattern &= (u64{1} << from) - 1;
      } else {
        pattern = read_lane(w.registers, sources[0], lane, false) >> (element * from) &
                  ((u64{1} << from) - 1);
      }
      RandomBits random;
      if (form.random != 0) {
        const auto all = static_cast<u32>(read_lane(w.registers, sources[2], lane, false));
        random = {all >> (16 * element) & ((u32{1} << form.random) - 1), form.random};
      }
      const u64 value = converted(form, pattern, random);
      // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): several fit a register
      whole |= form.elements == 1 ? value : value << (element * to);
    }
    write_lane(w.registers, i.d, lane, is_wide(form.to), whole);
  }
}

// cvt.pack: a above b, both clamped, in the low part; c, if there is one, moved up behind them.
void convert_pack(Lanes& w, const Instruction& i) {
  const auto form = i.form<PackForm>();
  const u32 width = form.bits;
  const s64 most = form.sign ? (s64{1} << (width - 1)) - 1 : (s64{1} << width) - 1;
  const s64 least = form.sign ? -(s64{1} << (width - 1)) : 0;
  const auto clamped = [&](u64 raw) {
    const s64 value = static_cast<s32>(raw);
    const s64 inside = value > most ? most : value < least ? least : value;
    return static_cast<u32>(inside) & static_cast<u32>((u64{1} << width) - 1);
  };
  for (u32 rest = w.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<u32>(__builtin_ctz(rest));
    u32 result = clamped(read_lane(w.registers, i.a, lane, false)) << width |
                 clamped(read_lane(w.registers, i.b, lane, false));
    if (i.c != Instruction::kNone)
      result |= static_cast<u32>(read_lane(w.registers, i.c, lane, false) << (2 * width));
    write_lane(w.registers, i.d, lane, false, result);
  }
}

}  // namespace

void fill_convert(HandlerTable& table) {
  table.set(Opcode::convert_any, convert_any);
  table.set(Opcode::convert_pack, convert_pack);
}

}  // namespace warpmark::cpu
