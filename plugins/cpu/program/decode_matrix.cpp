// Decoding of matrix instructions: wmma, mma, ldmatrix, stmatrix and movmatrix.
#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

#include "program/decoder.hpp"
#include "program/matrix.hpp"
#include "program/memory_words.hpp"

namespace warpmark::cpu {
namespace {

constexpr std::array<std::pair<Modifier, Element>, 16> kElements = {
    {{Modifier::f16, Element::f16},
     {Modifier::bf16, Element::bf16},
     {Modifier::tf32, Element::tf32},
     {Modifier::f32, Element::f32},
     {Modifier::f64, Element::f64},
     {Modifier::s8, Element::s8},
     {Modifier::u8, Element::u8},
     {Modifier::s4, Element::s4},
     {Modifier::u4, Element::u4},
     {Modifier::b1, Element::b1},
     {Modifier::s32, Element::s32},
     {Modifier::e4m3, Element::e4m3},
     {Modifier::e5m2, Element::e5m2},
     {Modifier::e2m3, Element::e2m3},
     {Modifier::e3m2, Element::e3m2},
     {Modifier::e2m1, Element::e2m1}}};

struct Shape {
  Element a;
  std::uint32_t m, n, k;
  bool operator==(const Shape&) const = default;
};

// PTX ISA, "Matrix Shape". Signed and unsigned integers have the same ones.
constexpr Shape kWmma[] = {
    {Element::f16, 16, 16, 16},  {Element::f16, 8, 32, 16},  {Element::f16, 32, 8, 16},
    {Element::bf16, 16, 16, 16}, {Element::bf16, 8, 32, 16}, {Element::bf16, 32, 8, 16},
    {Element::s8, 16, 16, 16},   {Element::s8, 8, 32, 16},   {Element::s8, 32, 8, 16},
    {Element::tf32, 16, 16, 8},  {Element::f64, 8, 8, 4},    {Element::s4, 8, 8, 32},
    {Element::b1, 8, 8, 128}};

constexpr Shape kMma[] = {
    {Element::f16, 8, 8, 4},   {Element::f16, 16, 8, 8},   {Element::f16, 16, 8, 16},
    {Element::bf16, 16, 8, 8}, {Element::bf16, 16, 8, 16}, {Element::tf32, 16, 8, 4},
    {Element::tf32, 16, 8, 8}, {Element::f64, 8, 8, 4},    {Element::f64, 16, 8, 4},
    {Element::f64, 16, 8, 8},  {Element::f64, 16, 8, 16},  {Element::s8, 8, 8, 16},
    {Element::s8, 16, 8, 16},  {Element::s8, 16, 8, 32},   {Element::s4, 8, 8, 32},
    {Element::s4, 16, 8, 32},  {Element::s4, 16, 8, 64},   {Element::b1, 8, 8, 128},
    {Element::b1, 16, 8, 128}, {Element::b1, 16, 8, 256},  {Element::e4m3, 16, 8, 16},
    {Element::e4m3, 16, 8, 32}};

constexpr Shape kSparse[] = {
    {Element::f16, 16, 8, 16},  {Element::f16, 16, 8, 32}, {Element::bf16, 16, 8, 16},
    {Element::bf16, 16, 8, 32}, {Element::tf32, 16, 8, 8}, {Element::tf32, 16, 8, 16},
    {Element::s8, 16, 8, 32},   {Element::s8, 16, 8, 64},  {Element::s4, 16, 8, 64},
    {Element::s4, 16, 8, 128},  {Element::e4m3, 16, 8, 64}};

// Types that share shapes and may be mixed.
Element family(Element element) {
  switch (element) {
    case Element::u8:
      return Element::s8;
    case Element::u4:
      return Element::s4;
    case Element::e5m2:
      return Element::e4m3;
    default:
      return element;
  }
}

bool accumulates(Element input, Element sum) {
  switch (family(input)) {
    case Element::f16:
    case Element::e4m3:
      return sum == Element::f16 || sum == Element::f32;
    case Element::bf16:
    case Element::tf32:
      return sum == Element::f32;
    case Element::f64:
      return sum == Element::f64;
    default:
      return sum == Element::s32;
  }
}

Type register_type(Element element) {
  return element == Element::f64   ? Type::f64
         : element == Element::f32 ? Type::f32
         : element == Element::s32 ? Type::s32
                                   : Type::b32;
}

// The properties of the matrices that the words of a name give.
struct MatrixWords {
  std::vector<Element> types;
  std::vector<bool> rows;
  std::uint32_t m = 0, n = 0, k = 0;
  Space space = Space::generic;
};

MatrixWords matrix_words(const InstructionFacts& facts) {
  MatrixWords words;
  words.space = space_of(facts);
  words.types = elements_of(facts);
  const auto [m, n, k] = facts.shape();
  words.m = m, words.n = n, words.k = k;
  for (const Modifier word : facts.modifiers) {
    if (word == Modifier::row || word == Modifier::col) words.rows.push_back(word == Modifier::row);
  }
  return words;
}

template <typename Types>
void set_types(const Types& types, MatrixForm& form) {
  form.d = types[0];
  if (form.wmma && types.size() == 2) {  // only the types of the sums: binary16
    form.c = types[1];
    return;
  }
  form.a = types[1];
  form.b = types[2];
  form.c = types[3];
}

// The processor counts them so: nearest, down, up, zero.
std::uint8_t rounding_of(const InstructionFacts& facts) {
  constexpr Modifier kWays[] = {Modifier::rn, Modifier::rm, Modifier::rp, Modifier::rz};
  const auto* way = std::ranges::find_if(kWays, [&](Modifier one) { return facts.has(one); });
  return way == std::end(kWays) ? 0 : static_cast<std::uint8_t>(way - std::begin(kWays));
}

// wmma.load.PART … {registers}, [address], stride; wmma.store.d … [address], {registers}, stride
void matrix_access(Emitter& out, bool load) {
  const MatrixWords words = matrix_words(out.facts());
  const InstructionFacts& facts = out.facts();
  MatrixForm form;
  form.wmma = true;
  form.m = static_cast<std::uint8_t>(words.m);
  form.n = static_cast<std::uint8_t>(words.n);
  form.k4 = static_cast<std::uint8_t>(words.k / 4);
  form.part = facts.has(Modifier::a)   ? Part::a
              : facts.has(Modifier::b) ? Part::b
              : facts.has(Modifier::c) ? Part::c
                                       : Part::d;
  form.a = form.b = form.c = form.d = words.types[0];
  form.a_row = words.rows[0];
  const bool sums = form.part == Part::c || form.part == Part::d;
  const bool known = std::ranges::any_of(kWmma, [&](const Shape& shape) {
    return shape.m == words.m && shape.n == words.n && shape.k == words.k &&
           (sums ? accumulates(shape.a, words.types[0]) : shape.a == family(words.types[0]));
  });
  if (!known) out.invalid("there is no such shape for this type");
  const bool narrow = bits_of(form.a) < 8;
  if (narrow && form.a_row != (form.part == Part::a))
    out.invalid("elements below a byte need .row for a and .col for b");

  out.expect_operands(2, 3);
  Instruction instruction;
  instruction.opcode = load ? Opcode::matrix_load : Opcode::matrix_store;
  Space space = words.space;
  instruction.address = address(out, out.operand(load ? 1 : 0), space, instruction);
  const std::int64_t offset = instruction.imm;
  instruction.space = space;
  instruction.counter = bytes_counter(space, load ? Traffic::load : Traffic::store);
  instruction.cost = static_cast<std::uint8_t>(form.registers(form.part) * form.packed(form.part) *
                                               std::max(8u, bits_of(form.element(form.part))) / 8);
  std::vector<std::uint32_t> slots;
  fragment(out, load ? 0 : 1, register_type(words.types[0]), form.registers(form.part), load,
           slots);
  instruction.more = out.more(slots);
  if (out.operands() == 3) {
    instruction.a = out.source(2, Type::u32);
  } else {
    const std::uint32_t rows = form.rows(form.part), columns = form.columns(form.part);
    instruction.a = out.constant(form.a_row ? columns : rows, false);
  }
  instruction.b = out.constant(static_cast<std::uint64_t>(offset), true);
  instruction.set_form(form);
  instruction.site = out.program.sites++;
  out.emit(instruction);
}

// ldmatrix and stmatrix: 1, 2 or 4 matrices of 8 rows of 16 bytes, whose addresses the lanes hold.
void matrix_move(Emitter& out) {
  const Mnemonic name = out.facts().mnemonic;
  const bool transposed = out.facts().has(Modifier::trans);
  Space space = matrix_words(out.facts()).space;
  Instruction instruction;
  std::vector<std::uint32_t> slots;
  if (name == Mnemonic::movmatrix) {
    out.expect_operands(2);
    out.check_is_register(1);
    instruction.opcode = Opcode::matrix_transpose;
    instruction.d = out.destination(0, Type::b32);
    instruction.a = out.source(1, Type::b32);
    out.emit(instruction);
    return;
  }
  const bool load = name == Mnemonic::ldmatrix;
  const InstructionFacts& facts = out.facts();
  const auto matrices = facts.has(Modifier::x4) ? 4u : facts.has(Modifier::x2) ? 2u : 1u;
  out.expect_operands(2);
  instruction.address = address(out, out.operand(load ? 1 : 0), space, instruction);
  instruction.opcode = facts.has(Modifier::b8)          ? Opcode::matrix_rows_store_8
                       : facts.has(Modifier::s4)        ? Opcode::matrix_rows_load_s4
                       : facts.has(Modifier::b4x16_p64) ? Opcode::matrix_rows_load_4
                       : facts.has(Modifier::b8x16)     ? Opcode::matrix_rows_load_6
                       : load                           ? Opcode::matrix_rows_load
                                                        : Opcode::matrix_rows_store;
  fragment(out, load ? 0 : 1, Type::b32, matrices, load, slots, true);
  instruction.more = out.more(slots);
  instruction.count = static_cast<std::uint8_t>(matrices);
  instruction.transposed = transposed;
  instruction.space = space;
  instruction.counter = bytes_counter(space, load ? Traffic::load : Traffic::store);
  // 32 lanes of a matrix's 128 bytes, or 64.
  const std::uint32_t bytes = instruction.opcode == Opcode::matrix_rows_load_s4 ? 2 : 4;
  instruction.cost = static_cast<std::uint8_t>(bytes * matrices);
  instruction.site = out.program.sites++;
  out.emit(instruction);
}

}  // namespace

std::vector<Element> elements_of(const InstructionFacts& facts) {
  std::vector<Element> types;
  for (const Modifier word : facts.modifiers) {
    const auto* const type =
        std::ranges::find_if(kElements, [&](const auto& row) { return row.first == word; });
    if (type != kElements.end()) types.push_back(type->second);
  }
  return types;
}

void fragment(Emitter& out, std::size_t index, Type type, std::uint32_t count, bool result,
              std::vector<std::uint32_t>& into, bool any) {
  const Operand& list = out.operand(index);
  if (list.kind != OperandKind::vector || list.count != count) {
    out.invalid("operand " + std::to_string(index + 1) + " needs " + std::to_string(count) +
                " registers in { }");
  }
  out.check_vector(list, type, type == Type::b32 && !any);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Operand& element = out.part(list, i);
    if (element.kind == OperandKind::reg && element.value == 0 && !element.negated) {
      out.check_register(element, bits_type(bytes_of(type)), false);
      into.push_back(out.register_slot(element.index));
    } else if (result && element.kind == OperandKind::sink) {
      into.push_back(out.allocate(bytes_of(type) == 8));
    } else if (any) {
      out.invalid("a matrix is made of registers");
    } else if (!result && element.kind == OperandKind::integer) {
      into.push_back(out.constant(static_cast<std::uint64_t>(element.value), bytes_of(type) == 8));
    } else if (!result && element.kind == OperandKind::real) {
      into.push_back(out.constant(real_bits(element, bytes_of(type)), bytes_of(type) == 8));
    } else {
      out.invalid("a fragment is made of registers");
    }
  }
}

void decode_matrix(Emitter& out) {
  const InstructionFacts& facts = out.facts();
  if (facts.has(Modifier::load) || facts.has(Modifier::store))
    return matrix_access(out, facts.has(Modifier::load));
  if (facts.mnemonic != Mnemonic::wmma && facts.mnemonic != Mnemonic::mma) return matrix_move(out);
  const MatrixWords words = matrix_words(facts);
  MatrixForm form;
  form.wmma = facts.mnemonic == Mnemonic::wmma;
  form.m = static_cast<std::uint8_t>(words.m);
  form.n = static_cast<std::uint8_t>(words.n);
  form.k4 = static_cast<std::uint8_t>(words.k / 4);
  set_types(words.types, form);
  form.ordered = facts.has(Modifier::sp_ordered_metadata);
  form.sparse = form.ordered || facts.has(Modifier::sp);
  const bool narrow = narrow_kind(out, form);
  const Shape shape{family(form.a), words.m, words.n, words.k};
  const auto has = [&](const auto& shapes) {
    return std::ranges::find(shapes, shape) != std::end(shapes);
  };
  if (!narrow && !(form.wmma ? has(kWmma) : form.sparse ? has(kSparse) : has(kMma)))
    out.invalid("there is no such shape for these types");
  if (!narrow && (family(form.a) != family(form.b) || !accumulates(form.a, form.c) ||
                  !accumulates(form.a, form.d))) {
    out.invalid("these types do not go together");
  }
  form.a_row = words.rows[0];
  form.b_row = words.rows[1];
  const bool free_layout =
      form.volta() || (form.wmma && family(form.a) != Element::s4 && form.a != Element::b1);
  if (!free_layout && (!form.a_row || form.b_row)) out.invalid("needs .row.col");
  form.saturate = facts.has(Modifier::satfinite);
  if (form.saturate && (form.d != Element::s32 || form.a == Element::b1))
    out.invalid("only sums of integers saturate");
  form.rounding = rounding_of(facts);
  form.conjunction = facts.has(Modifier::and_);
  if ((form.a == Element::b1) != facts.has(Modifier::popc))
    out.invalid("single bits, and only they, need .xor.popc or .and.popc");

  const std::size_t operands = 4 + (form.sparse ? 2u : 0u) + (form.scales != 0 ? 4u : 0u);
  out.expect_operands(operands);
  std::vector<std::uint32_t> slots;
  constexpr Part kOrder[] = {Part::d, Part::a, Part::b, Part::c};
  for (std::size_t i = 0; i < 4; ++i) {
    const Part part = kOrder[i];
    fragment(out, i, register_type(form.element(part)), form.registers(part), i == 0, slots);
  }
  if (form.sparse) sparse_operands(out, form, slots);
  if (form.scales != 0) scale_operands(out, form, slots);
  Instruction instruction;
  instruction.opcode = Opcode::matrix_multiply;
  instruction.set_form(form);
  instruction.more = out.more(slots);
  out.emit(instruction);
}

}  // namespace warpmark::cpu
