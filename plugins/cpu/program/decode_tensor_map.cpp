// Decoding of changes of tensor maps: tensormap.replace and tensormap.cp_fenceproxy.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "program/async_forms.hpp"
#include "program/decoder.hpp"
#include "program/memory_words.hpp"

namespace warpmark::cpu {
namespace {

using Field = TensorMapField::Field;

struct FieldRow {
  Modifier word;
  Field field;
  std::int64_t dimensions = 0;  ///< of which it has one; 0: of none
  std::int64_t most = -1;       ///< greatest value, which is a number then; -1: any value
};

// PTX ISA, tensormap.replace, "Tensormap new_val validity".
constexpr std::array<FieldRow, 11> kFields = {
    {{Modifier::global_address, Field::global_address},
     {Modifier::rank, Field::rank},
     {Modifier::box_dim, Field::box_dim, 5},
     {Modifier::global_dim, Field::global_dim, 5},
     {Modifier::global_stride, Field::global_stride, 5},
     {Modifier::element_stride, Field::element_stride, 5},
     {Modifier::elemtype, Field::elemtype, 0, 12},
     {Modifier::interleave_layout, Field::interleave_layout, 0, 2},
     {Modifier::swizzle_mode, Field::swizzle_mode, 0, 3},
     {Modifier::swizzle_atomicity, Field::swizzle_atomicity, 0, 3},
     {Modifier::fill_mode, Field::fill_mode, 0, 1}}};

// tensormap.replace.tile.FIELD{.SPACE}.b1024.TYPE [map], {dimension, }value
void replaced_field(Emitter& out, Instruction& instruction) {
  const InstructionFacts& facts = out.facts();
  const auto* const row =
      std::ranges::find_if(kFields, [&](const FieldRow& one) { return facts.has(one.word); });
  const bool each = row->dimensions != 0;
  out.expect_operands(each ? 3 : 2);
  TensorMapField form{row->field, 0};
  if (each) {
    const Operand& ordinal = out.operand(1);
    if (ordinal.kind != OperandKind::integer || ordinal.value < 0 ||
        ordinal.value >= row->dimensions)
      out.invalid("the dimension is a number from 0 to 4");
    form.ordinal = static_cast<std::uint8_t>(ordinal.value);
  }
  const std::size_t last = each ? 2 : 1;
  const Operand& value = out.operand(last);
  const bool newer = row->field == Field::elemtype && out.module.architecture >= 100;
  const std::int64_t most = newer ? 15 : row->most;
  if (most >= 0 && (value.kind != OperandKind::integer || value.value < 0 || value.value > most))
    out.invalid("the value is a number from 0 to " + std::to_string(most));
  // This device has maps of neither (docs/cpu-device.md), and no sm_90 either.
  if (row->field == Field::elemtype && value.value > row->most)
    out.refuse("packed data types of tensors are not implemented on this device");
  if (row->field == Field::swizzle_atomicity && value.value != 0)
    out.refuse("swizzles of more than 16 bytes are not implemented on this device");
  instruction.set_form(form);
  instruction.opcode = Opcode::replace_in_map;
  const bool wide = row->field == Field::global_address || row->field == Field::global_stride;
  std::uint32_t slot = out.source(last, wide ? Type::u64 : Type::u32);
  if (!wide) {
    const std::uint32_t extended = out.allocate(true);
    out.emit(Opcode::cvt_u64_u32, extended, slot);
    slot = extended;
  }
  instruction.a = slot;
}

}  // namespace

// tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.SCOPE.sync.aligned [to],
// [from], 128
void decode_tensormap(Emitter& out) {
  Instruction instruction;
  if (!out.facts().has(Modifier::tensormap_generic)) {
    replaced_field(out, instruction);
    const Space space = space_of(out.facts());
    instruction.space = space;
    instruction.address = address_value(out, out.operand(0), space);
    instruction.site = out.program.sites++;
    out.program.note_access(space, 4);
    out.emit(instruction);
    return;
  }
  out.expect_operands(3);
  const Operand& size = out.operand(2);
  if (size.kind != OperandKind::integer || size.value != 128)
    out.invalid("a tensor map has 128 bytes");
  instruction.opcode = Opcode::copy_map;
  instruction.space = Space::global;
  instruction.address = address_value(out, out.operand(0), Space::global);
  instruction.a = address_value(out, out.operand(1), Space::shared);
  instruction.site = out.program.sites++;
  out.program.note_access(Space::global, 4);
  out.emit(instruction);
}

}  // namespace warpmark::cpu
