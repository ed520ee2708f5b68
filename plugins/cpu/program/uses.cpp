// The operands of each form of instruction: common forms by their Flow, others opcode by opcode.
#include "program/uses.hpp"

#include <algorithm>
#include <bit>

#include "program/convert.hpp"
#include "program/data_flow.hpp"
#include "program/image_op.hpp"
#include "program/matrix.hpp"
#include "program/tensor_form.hpp"

namespace warpmark::cpu {
namespace {

using Slots = std::vector<std::uint32_t>;

Slots further(const Program& program, const Instruction& i, std::uint32_t from,
              std::uint32_t count) {
  const auto first = program.operands.begin() + i.more + from;
  return {first, first + count};
}

// Behind the predicate: layer, coordinates, level or gradients, offsets (see TextureOp).
Uses texture_uses(const Program& program, const Instruction& i) {
  const TextureOp op = TextureOp::unpack(i.imm);
  const std::uint32_t dimensions = dimensions_of(op.geometry);
  const std::uint32_t levels = op.level == TextureOp::Level::level      ? 1
                               : op.level == TextureOp::Level::gradient ? 2 * dimensions
                                                                        : 0;
  Uses uses{{}, {i.address}, {i.d, i.a, i.b, i.c, program.operands[i.more]}};
  const Slots where =
      further(program, i, 1, (is_layered(op.geometry) ? 1 : 0) + dimensions + levels + op.offsets);
  uses.places.insert(uses.places.end(), where.begin(), where.end());
  return uses;
}

Uses surface_uses(const Program& program, const Instruction& i) {
  const SurfaceOp op = SurfaceOp::unpack(i.imm);
  Uses uses{{}, {i.address}, {}};
  const Slots where =
      further(program, i, 0, (is_layered(op.geometry) ? 1 : 0) + dimensions_of(op.geometry));
  uses.places.insert(uses.places.end(), where.begin(), where.end());
  (i.opcode == Opcode::surface_load ? uses.writes : uses.reads) = {i.d, i.a, i.b, i.c};
  return uses;
}

Uses multiply_uses(const Program& program, const Instruction& i) {
  const auto form = std::bit_cast<MatrixForm>(i.imm);
  const std::uint32_t results = form.registers(Part::d);
  return {further(program, i, results,
                  form.registers(Part::a) + form.registers(Part::b) + form.registers(Part::c)),
          {},
          further(program, i, 0, results)};
}

// Those of Flow::none, whose operands mean something else with each.
Uses own_uses(const Program& program, const Instruction& i) {
  switch (i.opcode) {
    case Opcode::texture_fetch:
    case Opcode::texture_gather:
      return texture_uses(program, i);
    case Opcode::surface_load:
    case Opcode::surface_store:
    case Opcode::surface_reduce:
      return surface_uses(program, i);
    case Opcode::texture_query:
    case Opcode::surface_query:
      return {{}, {i.address, i.a}, {i.d}};
    case Opcode::matrix_multiply:
      return multiply_uses(program, i);
    case Opcode::matrix_load:
    case Opcode::matrix_store: {
      const auto form = std::bit_cast<MatrixForm>(i.imm);
      Uses uses{{}, {i.address, i.a}, {}};
      (i.opcode == Opcode::matrix_load ? uses.writes : uses.reads) =
          further(program, i, 0, form.registers(form.part));
      return uses;
    }
    case Opcode::matrix_rows_load:
      return {{}, {i.address}, further(program, i, 0, i.count)};
    case Opcode::matrix_rows_store:
      return {further(program, i, 0, i.count), {i.address}, {}};
    case Opcode::matrix_transpose:
      return {{i.a}, {}, {i.d}};
    case Opcode::copy_async:
      return {{}, {i.address, i.a, i.b, i.c}, {}};
    case Opcode::copy_bulk:
      return {{}, {i.address, i.a, i.b, i.c, i.d}, {}};
    case Opcode::copy_tensor:
    case Opcode::prefetch_tensor: {
      Uses uses{{}, {i.address, i.a, i.c, i.d}, {}};
      const TensorForm form = TensorForm::unpack(i.imm);
      const Slots where = further(program, i, 0, std::uint32_t{form.rank} + form.offsets);
      uses.places.insert(uses.places.end(), where.begin(), where.end());
      return uses;
    }
    case Opcode::prefetch_bulk:
    case Opcode::fill_bulk:
      return {{}, {i.address, i.b}, {}};
    case Opcode::store_async:
      return {further(program, i, 0, static_cast<std::uint32_t>(i.imm >> 8 & 0xff)),
              {i.address, i.c},
              {}};
    case Opcode::mbarrier_test:
    case Opcode::mbarrier_pending:
      return {{i.a, i.b}, {i.address}, {i.d}};
    case Opcode::fence:
    case Opcode::runtime_call:
    case Opcode::commit_async:
    case Opcode::commit_bulk:
    case Opcode::wait_async:
    case Opcode::wait_bulk:
    case Opcode::wait_async_all:
      return {};
    default:  // clocks, mbarriers
      return {{}, {i.address}, {i.d}};
  }
}

}  // namespace

bool is_swap(Opcode opcode) {
  return opcode == Opcode::atom_cas_16 || opcode == Opcode::atom_cas_32 ||
         opcode == Opcode::atom_cas_64 || opcode == Opcode::atom_cas_128;
}

Uses uses_of(const Program& program, const Instruction& i) {
  const Slots first = {i.d, i.a, i.b, i.c};
  const auto some = [&](std::uint32_t count) {
    return Slots(first.begin(), first.begin() + std::min(4u, count));
  };
  const auto data = [&] {
    const DataSlots slots = data_slots(program, i);
    return Slots(slots.begin(), slots.end());
  };
  switch (flow_of(i.opcode)) {
    case Flow::load:
      return {{}, {i.address}, data()};
    case Flow::store:
      return {data(), {i.address}, {}};
    case Flow::atomic: {
      if (find_opcode(i.opcode)->form == Form::atomic) return {{i.a, i.b}, {i.address}, {i.d}};
      return {further(program, i, i.c, 2 * i.c), {i.address}, further(program, i, 0, i.c)};
    }
    case Flow::pack:
      return {some(i.count), {}, {i.address}};
    case Flow::unpack:
      return {{i.address}, {}, some(i.count)};
    case Flow::compare: {
      Uses uses{{i.a, i.b}, {}, {i.d, i.address}};
      if (i.imm != kCombineNone) uses.reads.push_back(i.c);
      return uses;
    }
    case Flow::none:
      return own_uses(program, i);
    case Flow::shuffle:
    case Flow::reduce:
      return {{i.a}, {}, {i.d, i.address}};
    default: {
      if (i.opcode == Opcode::convert_any) {
        const auto form = std::bit_cast<ConvertForm>(i.imm);
        return {further(program, i, 0, form.apart ? 2 : 1), {}, {i.d}};
      }
      const OpcodeInfo* info = find_opcode(i.opcode);
      Uses uses{{i.a, i.b, i.c}, {}, {i.d}};
      if (info != nullptr && info->form == Form::quaternary) uses.reads.push_back(i.address);
      if (info == nullptr || info->form == Form::carry2 || info->form == Form::carry3)
        uses.writes.push_back(i.address);  // a carry, or the predicate of a match
      return uses;
    }
  }
}

}  // namespace warpmark::cpu
