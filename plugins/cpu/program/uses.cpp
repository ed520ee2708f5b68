// The operands of each operation, by its row of operations.def or its form.
#include "program/uses.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "program/async_forms.hpp"
#include "program/convert.hpp"
#include "program/data_flow.hpp"
#include "program/image_op.hpp"
#include "program/matrix.hpp"
#include "program/wgmma.hpp"

namespace warpmark::cpu {
namespace {

using Slots = std::vector<std::uint32_t>;
using Role = Slots Uses::*;

/// The words of operations.def.
enum class Field : std::uint8_t { d, a, b, c, e, predicate, address, data, first, more };
constexpr std::string_view kFields[] = {"d",         "a",       "b",    "c",     "e",
                                        "predicate", "address", "data", "first", "more"};

struct FieldUse {
  Field field;
  Role role;
};
using Operands = std::vector<FieldUse>;

// Parses the notation that operations.def explains.
Operands parse_operands(std::string_view text) {
  Operands operands;
  Role role = text.find("<-") == text.npos ? &Uses::reads : &Uses::writes;
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (word == "<-") {
      role = &Uses::reads;
      continue;
    }
    if (word.starts_with('[')) {
      role = &Uses::places;
      word.remove_prefix(1);
    }
    if (word.ends_with(']')) word.remove_suffix(1);
    const auto* const known = std::ranges::find(kFields, word);
    operands.push_back({static_cast<Field>(known - std::begin(kFields)), role});
  }
  return operands;
}

constexpr std::string_view operands_of(Form form) {
  switch (form) {
    case Form::unary:
    case Form::mask1:
      return "d <- a";
    case Form::binary:
    case Form::mask2:
      return "d <- a b";
    case Form::ternary:
    case Form::select:
      return "d <- a b c";
    case Form::quaternary:
      return "d <- a b c e";
    case Form::carry2:
      return "d predicate <- a b";
    case Form::carry3:
    case Form::compare:
      return "d predicate <- a b c";
    case Form::atomic:
      return "d <- a b [address]";
    case Form::wide_atomic:
      return "first <- more [address]";
  }
  return "";
}

using OperandTable = std::array<Operands, static_cast<std::size_t>(Opcode::count)>;

OperandTable make_operand_table() {
  OperandTable table;
  const auto set = [&](Opcode opcode, std::string_view text) {
    table.at(static_cast<std::size_t>(opcode)) = parse_operands(text);
  };
  for (std::size_t i = 0; i < table.size(); ++i) {
    const OpcodeInfo* info = find_opcode(static_cast<Opcode>(i));
    if (info != nullptr) set(info->opcode, operands_of(info->form));
  }
#define ACCESS_LOAD(space, memory, bits) \
  set(Opcode::load_##space##_##memory##_##bits, "data <- [address]");
#define ACCESS_STORE(space, memory, bits) \
  set(Opcode::store_##space##_##memory##_##bits, "<- data [address]");
#include "program/memory_ops.def"
#define OPERATION(id, flow, operands) set(Opcode::id, operands);
#include "program/operations.def"
  return table;
}

/// How many operands in Program::operands are `first`, and how many `more`.
struct FurtherCounts {
  std::uint32_t first = 0, more = 0;
};

// Behind the predicate: layer, coordinates, level or gradients, offsets (see TextureOp).
FurtherCounts of_texture(const TextureOp& op) {
  const std::uint32_t dimensions = dimensions_of(op.geometry);
  const std::uint32_t levels = op.level == TextureOp::Level::level      ? 1
                               : op.level == TextureOp::Level::gradient ? 2 * dimensions
                                                                        : 0;
  return {1, (is_layered(op.geometry) ? 1 : 0) + dimensions + levels + op.offsets};
}

FurtherCounts further_counts(const Instruction& i) {
  switch (i.opcode) {
    case Opcode::texture_fetch:
    case Opcode::texture_gather:
      return of_texture(i.form<TextureOp>());
    case Opcode::texture_samples:
      return {1, 4};
    case Opcode::surface_load:
    case Opcode::surface_store:
    case Opcode::surface_reduce: {
      const auto op = i.form<SurfaceOp>();
      return {0, (is_layered(op.geometry) ? 1 : 0) + dimensions_of(op.geometry)};
    }
    case Opcode::copy_tensor:
    case Opcode::prefetch_tensor: {
      const auto form = i.form<TensorForm>();
      return {0, form.coordinates() + form.offsets};
    }
    case Opcode::matrix_multiply: {
      const auto form = i.form<MatrixForm>();
      return {form.registers(Part::d), form.registers(Part::a) + form.registers(Part::b) +
                                           form.registers(Part::c) + form.further()};
    }
    case Opcode::matrix_group_multiply: {
      const auto form = i.form<WgmmaForm>();
      return {form.registers(),
              form.registers() + (form.a_registers ? WgmmaForm::kRegistersOfA : 0)};
    }
    case Opcode::matrix_load:
    case Opcode::matrix_store: {
      const auto form = i.form<MatrixForm>();
      const std::uint32_t registers = form.registers(form.part);
      return i.opcode == Opcode::matrix_load ? FurtherCounts{registers, 0}
                                             : FurtherCounts{0, registers};
    }
    case Opcode::multimem_load:
    case Opcode::matrix_rows_load:
    case Opcode::matrix_rows_load_s4:
    case Opcode::matrix_rows_load_4:
    case Opcode::matrix_rows_load_6:
      return {i.count, 0};
    case Opcode::multimem_store:
    case Opcode::multimem_reduce:
    case Opcode::matrix_rows_store:
    case Opcode::matrix_rows_store_8:
    case Opcode::store_async:
      return {0, i.count};
    case Opcode::convert_any:
      return {0, (i.form<ConvertForm>().apart ? 2U : 1U) +
                     (i.form<ConvertForm>().random != 0 ? 1U : 0U)};
    default:  // wide atomics: registers of each operand
      return {i.count, 2U * i.count};
  }
}

void append_further(const Program& program, const Instruction& i, Field field, Slots& to) {
  const FurtherCounts counts = further_counts(i);
  const auto from = program.operands.begin() + i.more + (field == Field::more ? counts.first : 0);
  to.insert(to.end(), from, from + (field == Field::more ? counts.more : counts.first));
}

void append(const Program& program, const Instruction& i, Field field, Slots& to) {
  // In the order of Field.
  static constexpr std::uint32_t Instruction::*kSlots[] = {
      &Instruction::d, &Instruction::a,         &Instruction::b,      &Instruction::c,
      &Instruction::e, &Instruction::predicate, &Instruction::address};
  switch (field) {
    case Field::data: {
      const DataSlots slots = data_slots(program, i);
      to.insert(to.end(), slots.begin(), slots.end());
      return;
    }
    case Field::first:
    case Field::more:
      return append_further(program, i, field, to);
    default:
      return to.push_back(i.*kSlots[static_cast<std::size_t>(field)]);
  }
}

}  // namespace

std::size_t operand_count(Form form) {
  const Operands operands = parse_operands(operands_of(form));
  return static_cast<std::size_t>(
      std::ranges::count_if(operands, [](const FieldUse& use) { return use.field <= Field::e; }));
}

bool is_swap(Opcode opcode) {
  return opcode == Opcode::atom_cas_16 || opcode == Opcode::atom_cas_32 ||
         opcode == Opcode::atom_cas_64 || opcode == Opcode::atom_cas_128;
}

Uses uses_of(const Program& program, const Instruction& i) {
  static const OperandTable table = make_operand_table();
  Uses uses;
  for (const FieldUse& use : table.at(static_cast<std::size_t>(i.opcode)))
    append(program, i, use.field, uses.*use.role);
  return uses;
}

}  // namespace warpmark::cpu
