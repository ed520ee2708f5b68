// Decoding of what mma has beside its matrices: kinds of narrow numbers, metadata of sparse matrices
// and factors of blocks.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "program/decoder.hpp"
#include "program/matrix.hpp"
#include "program/sparse_matrix.hpp"

namespace warpmark::cpu {
namespace {

constexpr std::array kBytes = {Element::e4m3, Element::e5m2, Element::e2m3, Element::e3m2,
                               Element::e2m1};

bool is_narrow(Element element) {
  return std::ranges::find(kBytes, element) != kBytes.end();
}

// The factors of a .kind that has them.
void set_scales(const Emitter& out, MatrixForm& form) {
  const InstructionFacts& facts = out.facts();
  const bool mx = facts.has(Modifier::kind_mxf8f6f4), nv = facts.has(Modifier::kind_mxf4nvf4);
  const bool one = facts.has(Modifier::scale_vec_1x), two = facts.has(Modifier::scale_vec_2x),
             all = facts.has(Modifier::scale_vec_4x);
  if (nv && !two && !all) out.invalid("needs .scale_vec::2X or .scale_vec::4X");
  const bool fits = mx ? !two && !all : nv ? !one : !one && !all;
  if (!fits) out.invalid("this kind has no such number of factors");
  form.scales = mx ? 1 : all ? 4 : 2;
  form.scales_e4m3 = facts.has(Modifier::ue4m3);
  if (form.scales_e4m3 != all) out.invalid("these factors do not go with this kind");
}

}  // namespace

bool narrow_kind(const Emitter& out, MatrixForm& form) {
  const InstructionFacts& facts = out.facts();
  const bool mx = facts.has(Modifier::kind_mxf8f6f4), four = facts.has(Modifier::kind_mxf4),
             nv = facts.has(Modifier::kind_mxf4nvf4);
  if (!mx && !four && !nv && !facts.has(Modifier::kind_f8f6f4)) {
    for (const Part part : {Part::a, Part::b, Part::c, Part::d}) {
      const Element element = form.element(part);
      if (element == Element::e2m3 || element == Element::e3m2 || element == Element::e2m1)
        out.invalid("numbers of four and six bits need a .kind");
    }
    return false;
  }
  const bool packed = four || nv;
  form.in_bytes = !packed;
  const std::uint32_t k = (packed ? 64u : 32u) * (form.sparse ? 2 : 1);
  if (form.m != 16 || form.n != 8 || form.k() != k)
    out.invalid("there is no such shape for this kind");
  const bool types = packed ? form.a == Element::e2m1 && form.b == Element::e2m1
                            : is_narrow(form.a) && is_narrow(form.b);
  if (!types || form.c != form.d) out.invalid("these types do not go together");
  if (!mx && !packed) return true;
  set_scales(out, form);
  return true;
}

// …, e, f: a register of metadata, and a number that says whose registers count.
void sparse_operands(Emitter& out, MatrixForm& form, std::vector<std::uint32_t>& slots) {
  const Operand& selector = out.operand(5);
  const std::int64_t most = SparseMetadata{form}.selectors() - 1;
  if (selector.kind != OperandKind::integer || selector.value < 0 || selector.value > most) {
    out.invalid(most == 0 ? "the sparsity selector is 0"
                          : "the sparsity selector is 0 to " + std::to_string(most));
  }
  form.selector = static_cast<std::uint8_t>(selector.value);
  out.check_is_register(4);
  slots.push_back(out.source(4, Type::b32));
}

// …, factors of a, {byte, lane}, factors of b, {byte, lane}
void scale_operands(Emitter& out, const MatrixForm& form, std::vector<std::uint32_t>& slots) {
  const std::size_t first = form.sparse ? 6 : 4;
  for (const std::size_t input : {0u, 1u}) {
    out.check_is_register(first + 2 * input);
    slots.push_back(out.source(first + 2 * input, Type::b32));
    const Operand& place = out.operand(first + 2 * input + 1);
    if (place.kind != OperandKind::vector || place.count != 2)
      out.invalid("the factors need the numbers of a byte and a lane in { }");
    const std::int64_t lanes = input == 0 ? 2 : 4;
    for (const std::uint32_t part : {0u, 1u}) {
      const Operand& number = out.part(place, part);
      const bool constant = number.kind == OperandKind::integer;
      if (constant && part == 0 &&
          (number.value < 0 || number.value > 3 || number.value % form.scales != 0))
        out.invalid("there is no such byte of factors");
      if (constant && part == 1 && (number.value < 0 || number.value >= lanes))
        out.invalid("there is no such lane of factors");
      slots.push_back(out.source(number, Type::u16));
    }
  }
}

}  // namespace warpmark::cpu
