// Decoding of copies of boxes of tensors.
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "program/async_forms.hpp"
#include "program/decoder.hpp"

namespace warpmark::cpu {
namespace {

// In the order of TensorForm::Reduction.
constexpr std::array<Modifier, 9> kTensorReductions = {
    Modifier::none, Modifier::add,  Modifier::min, Modifier::max, Modifier::inc,
    Modifier::dec,  Modifier::and_, Modifier::or_, Modifier::xor_};

constexpr std::array<Modifier, 6> kDimensions = {Modifier::none, Modifier::_1d, Modifier::_2d,
                                                 Modifier::_3d,  Modifier::_4d, Modifier::_5d};

// cp.async.bulk.tensor.Nd.TO.FROM{.tile | .im2col}.{mbarrier::complete_tx::bytes | bulk_group}, to
// shared memory [to], [map, {coordinates}], [mbarrier]{, mask}{, cache policy}, from there [map,
// {coordinates}], [from]{, cache policy}; cp.reduce… with an operation;
// cp.async.bulk.prefetch.tensor.Nd.L2.global [map, {coordinates}]{, cache policy}
// The coordinates of a box and, of im2col, the offsets behind them.
std::vector<std::uint32_t> box_slots(Emitter& out, const Operand& map, const Operand* offsets,
                                     const TensorForm& form) {
  if (map.kind != OperandKind::address || map.count == 0)
    out.invalid("expected a tensor map with coordinates");
  if (map.value != 0) out.invalid("the address of a tensor map has no offset");
  const Operand& coordinates = out.part(map, map.count);
  if (coordinates.kind != OperandKind::vector || coordinates.count != form.coordinates())
    out.invalid(form.rows ? "needs a column and four rows"
                          : "needs as many coordinates as dimensions");
  std::vector<std::uint32_t> slots;
  for (std::uint32_t d = 0; d < form.coordinates(); ++d)
    slots.push_back(element(out, out.part(coordinates, d), Type::s32));
  if (offsets == nullptr) return slots;
  if (offsets->kind != OperandKind::vector || offsets->count != form.offsets)
    out.invalid("needs an offset for each dimension of space");
  for (std::uint32_t d = 0; d < form.offsets; ++d)
    slots.push_back(element(out, out.part(*offsets, d), Type::u16));
  return slots;
}

}  // namespace

void tensor_copy(Emitter& out, bool reduces) {
  const InstructionFacts& facts = out.facts();
  const bool prefetches = facts.has(Modifier::prefetch), hint = facts.has(Modifier::L2_cache_hint);
  const bool multicast = facts.has(Modifier::multicast_cluster);
  const auto* const dimensions = std::ranges::find(kDimensions, facts.of(WordSet::dim));
  const bool im2col = facts.has(Modifier::im2col) || facts.has(Modifier::im2col_no_offs);
  TensorForm form;
  form.rank = static_cast<std::uint8_t>(dimensions - kDimensions.begin());
  if (im2col && form.rank < 3) out.invalid(".im2col needs .3d to .5d");
  form.im2col = im2col;
  form.rows = facts.has(Modifier::tile_gather4) || facts.has(Modifier::tile_scatter4);
  if (form.rows && form.rank != 2) out.invalid("rows are those of .2d");
  form.to_global = facts.has(Modifier::bulk_group);
  Instruction instruction;
  if (im2col && !form.to_global) form.offsets = static_cast<std::uint8_t>(form.rank - 2);
  if (reduces) {
    const auto* known = std::ranges::find(kTensorReductions, facts.of(WordSet::operation));
    form.reduction = static_cast<TensorForm::Reduction>(known - kTensorReductions.begin());
    out.program.ordered = true;  // of real numbers, for all that is known here
  }
  out.program.note_access(Space::global, 2);  // elements of a byte lie together in practice
  const std::size_t operands = (prefetches       ? 1u
                                : form.to_global ? 2u
                                                 : 3u) +
                               (hint ? 1u : 0u) + (multicast ? 1u : 0u) +
                               (form.offsets > 0 ? 1u : 0u);
  out.expect_operands(operands);
  const std::size_t behind = prefetches ? 1 : 3;  // what may stand there: offsets, then a mask
  const Operand& map = out.operand(prefetches || form.to_global ? 0 : 1);
  const Operand* offsets = form.offsets > 0 ? &out.operand(behind) : nullptr;
  const std::vector<std::uint32_t> slots = box_slots(out, map, offsets, form);
  instruction.opcode = prefetches ? Opcode::prefetch_tensor : Opcode::copy_tensor;
  instruction.set_form(form);
  instruction.site = out.program.sites;
  out.program.sites += 2;
  instruction.more = out.more(slots);
  Operand base = map;
  base.count = 0;  // the coordinates
  if (space_of_name(out, base) == Space::shared)
    out.invalid("a tensor map does not lie in shared memory");
  instruction.a = address_value(out, base, Space::generic);
  if (!prefetches)
    instruction.address = address_value(out, out.operand(form.to_global ? 1 : 0), Space::shared);
  if (!prefetches && !form.to_global)
    instruction.c = address_value(out, out.operand(2), Space::shared);
  if (multicast) instruction.d = out.source(behind + (form.offsets > 0 ? 1 : 0), Type::u16);
  if (hint) out.source(operands - 1, Type::u64);
  out.emit(instruction);
}

}  // namespace warpmark::cpu
