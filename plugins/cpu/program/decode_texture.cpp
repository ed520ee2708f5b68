// Decoding of the instructions on textures and surfaces (PTX ISA, Texture and Surface
// Instructions).
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "program/decoder.hpp"
#include "program/image_op.hpp"

namespace warpmark::cpu {
namespace {

/// The value of the first row whose word an instruction has; null if it has none.
template <typename Word, typename Value, std::size_t Count>
const Value* find(const std::pair<Word, Value> (&table)[Count], const InstructionFacts& facts) {
  for (const auto& [word, value] : table) {
    if (facts.has(word)) return &value;
  }
  return nullptr;
}

constexpr std::pair<Modifier, Geometry> kGeometries[] = {
    {Modifier::_1d, Geometry::d1},     {Modifier::_2d, Geometry::d2},
    {Modifier::_3d, Geometry::d3},     {Modifier::a1d, Geometry::a1d},
    {Modifier::a2d, Geometry::a2d},    {Modifier::cube, Geometry::cube},
    {Modifier::acube, Geometry::acube}};

// The queries of textures and surfaces. An instruction's form tells which of them it can have.
constexpr std::pair<Modifier, ImageQuery> kQueries[] = {
    {Modifier::width, ImageQuery::width},
    {Modifier::height, ImageQuery::height},
    {Modifier::depth, ImageQuery::depth},
    {Modifier::channel_data_type, ImageQuery::channel_data_type},
    {Modifier::channel_order, ImageQuery::channel_order},
    {Modifier::normalized_coords, ImageQuery::normalized_coords},
    {Modifier::array_size, ImageQuery::array_size},
    {Modifier::num_mipmap_levels, ImageQuery::num_mipmap_levels},
    {Modifier::num_samples, ImageQuery::num_samples},
    {Modifier::force_unnormalized_coords, ImageQuery::force_unnormalized_coords},
    {Modifier::filter_mode, ImageQuery::filter_mode},
    {Modifier::addr_mode_0, ImageQuery::addr_mode_0},
    {Modifier::addr_mode_1, ImageQuery::addr_mode_1},
    {Modifier::addr_mode_2, ImageQuery::addr_mode_2},
    {Modifier::memory_layout, ImageQuery::memory_layout}};

constexpr std::pair<Modifier, SurfaceOp::Boundary> kBoundaries[] = {
    {Modifier::trap, SurfaceOp::Boundary::trap},
    {Modifier::clamp, SurfaceOp::Boundary::clamp},
    {Modifier::zero, SurfaceOp::Boundary::zero}};

constexpr std::pair<Modifier, SurfaceOp::Reduce> kSurfaceReductions[] = {
    {Modifier::add, SurfaceOp::Reduce::add},
    {Modifier::min, SurfaceOp::Reduce::min},
    {Modifier::max, SurfaceOp::Reduce::max},
    {Modifier::and_, SurfaceOp::Reduce::bit_and},
    {Modifier::or_, SurfaceOp::Reduce::bit_or}};

constexpr std::pair<Type, SurfaceOp::Type> kSurfaceTypes[] = {{Type::u32, SurfaceOp::Type::u32},
                                                              {Type::s32, SurfaceOp::Type::s32},
                                                              {Type::u64, SurfaceOp::Type::u64},
                                                              {Type::s64, SurfaceOp::Type::s64}};

bool is_cube(Geometry geometry) {
  return geometry == Geometry::cube || geometry == Geometry::acube;
}

// The component of a texel that tld4 reads.
constexpr Modifier kComponents[] = {Modifier::r, Modifier::g, Modifier::b, Modifier::a};

bool is_of_surfaces(Mnemonic mnemonic) {
  return mnemonic == Mnemonic::suld || mnemonic == Mnemonic::sust || mnemonic == Mnemonic::sured ||
         mnemonic == Mnemonic::suq;
}

// Reads the form of a tex or tld4, except for offsets.
TextureOp texture_op(const InstructionFacts& facts) {
  TextureOp op;
  if (facts.mnemonic == Mnemonic::tld4)
    op.component = static_cast<std::uint8_t>(
        std::ranges::find(kComponents, facts.modifiers.front()) - std::begin(kComponents));
  if (facts.has(Modifier::level)) op.level = TextureOp::Level::level;
  if (facts.has(Modifier::grad)) op.level = TextureOp::Level::gradient;
  op.geometry = *find(kGeometries, facts);
  op.integer = facts.types.back() == Type::s32;
  op.result = facts.has(Modifier::v2)            ? TextureOp::Result::pair
              : facts.types.front() == Type::f16 ? TextureOp::Result::half
                                                 : TextureOp::Result::word;
  return op;
}

SurfaceOp surface_op(const InstructionFacts& facts) {
  SurfaceOp op;
  op.formatted = facts.has(Modifier::p);
  if (const auto* reduce = find(kSurfaceReductions, facts)) op.reduce = *reduce;
  if (const auto* type = find(kSurfaceTypes, facts)) op.type = *type;
  op.geometry = *find(kGeometries, facts);
  op.boundary = *find(kBoundaries, facts);
  op.bytes = static_cast<std::uint8_t>(bytes_of(facts.types.front()));
  return op;
}

std::uint32_t image_handle(Emitter& out, const Operand& operand) {
  if (operand.kind != OperandKind::address || operand.index == Operand::kNone || operand.value != 0)
    out.invalid("expected a texture or surface in [ ]");
  const Operand& base = out.part(operand, 0);
  const auto variable = out.module.variable_by_name.find(base.text);
  const bool handed =  // as .param .texref, which is kept as .b64
      std::ranges::any_of(out.function.parameters, [&](const Parameter& one) {
        return one.name == base.text && one.type == Type::b64;
      });
  if (variable != out.module.variable_by_name.end() &&
      out.module.variables[variable->second].image) {
    const bool surface = is_of_surfaces(out.facts().mnemonic);
    if (surface != out.module.variables[variable->second].surface)
      out.invalid("'" + std::string(base.text) + "' is no " + (surface ? "surface" : "texture"));
    return out.constant(out.variable_address(base.text), true);
  }
  if (handed) out.refuse("a texture or surface as a parameter is not implemented on this device");
  if (base.kind != OperandKind::reg)
    out.invalid("'" + std::string(base.text) + "' is no texture or surface");
  out.check_register(base, Type::u64, false);
  return out.register_slot(base.index);
}

// The results' slots, and the slot of the predicate behind them, if there is one.
std::uint32_t results(Emitter& out, const Operand& operand, std::size_t count, Type type,
                      Instruction& instruction) {
  const Operand* list = &operand;
  std::uint32_t valid = Instruction::kNone;
  if (operand.kind == OperandKind::pair) {
    list = &out.part(operand, 0);
    const Operand& second = out.part(operand, 1);
    if (second.kind == OperandKind::integer) out.invalid("expected a predicate");
    if (second.kind != OperandKind::sink) valid = out.predicate(second);
  }
  if (list->kind != OperandKind::vector || list->count != count)
    out.invalid("expected a vector of " + std::to_string(count) + " results");
  out.check_vector(*list, type);
  std::uint32_t* slots[4] = {&instruction.d, &instruction.a, &instruction.b, &instruction.c};
  for (std::size_t i = 0; i < count; ++i) {
    const Operand& one = out.part(*list, i);
    if (one.kind != OperandKind::sink) *slots[i] = out.destination(one, bits_type(bytes_of(type)));
  }
  instruction.count = static_cast<std::uint8_t>(count);
  return valid;
}

// The operand of coordinates: {layer, x, …} or {x, …}. A vector of more than there are dimensions
// is allowed, as of four for three of them: the last ones are ignored.
void coordinates(Emitter& out, const Operand& where, Geometry geometry, Type number,
                 std::vector<std::uint32_t>& slots) {
  if (where.count == 0) out.invalid("expected coordinates");
  const Operand& list = out.part(where, where.count);
  const std::uint32_t dimensions = dimensions_of(geometry);
  if (!is_layered(geometry)) return vector(out, list, dimensions, number, slots);
  if (list.kind != OperandKind::vector || list.count <= dimensions || list.count == 3)
    out.invalid("the vector has the wrong number of elements");
  slots.push_back(element(out, out.part(list, 0), Type::u32));
  for (std::uint32_t i = 1; i < list.count; ++i) {
    const std::uint32_t slot = element(out, out.part(list, i), number);
    if (i <= dimensions) slots.push_back(slot);
  }
}

// Decodes the operands after the coordinates: a level or gradients, and offsets.
void texture_operands(Emitter& out, TextureOp& op, std::vector<std::uint32_t>& slots) {
  const std::uint32_t dimensions = dimensions_of(op.geometry);
  std::size_t next = 2;
  if (op.level == TextureOp::Level::level) {
    const Type number = op.integer ? Type::s32 : Type::f32;
    slots.push_back(element(out, out.operand(next++), number));
  } else if (op.level == TextureOp::Level::gradient) {
    for (int i = 0; i < 2; ++i) {
      const Operand& gradient = out.operand(next++);
      if (gradient.kind == OperandKind::vector &&
          gradient.count != (dimensions == 3 ? 4 : dimensions))
        out.invalid("the vector has the wrong number of elements");
      vector(out, gradient, dimensions, Type::f32, slots);
    }
  }
  if (out.operands() <= next) return;
  const Operand& offsets = out.operand(next);
  const bool real = offsets.kind == OperandKind::real ||
                    (offsets.kind == OperandKind::reg && out.type_of(offsets) == Type::f32);
  op.compares = out.operands() > next + 1 || is_cube(op.geometry) || real;
  if (!is_cube(op.geometry) && !real) {
    vector(out, offsets, dimensions, Type::s32, slots);
    op.offsets = static_cast<std::uint8_t>(dimensions);
    ++next;
  }
  if (op.compares) element(out, out.operand(next), Type::f32);
  if (out.operands() > next + 1) out.invalid("a depth is the last operand");
}

void texture(Emitter& out) {
  const InstructionFacts& facts = out.facts();
  const bool gather = facts.mnemonic == Mnemonic::tld4;
  TextureOp op = texture_op(facts);
  if (op.integer && (is_cube(op.geometry) || op.level == TextureOp::Level::gradient))
    out.invalid("floating-point coordinates are needed");
  const bool pairs = op.result == TextureOp::Result::pair;
  const Type type = pairs                                  ? Type::b32
                    : op.result == TextureOp::Result::half ? Type::b16
                                                           : facts.types.front();
  const std::size_t least = op.level == TextureOp::Level::none    ? 2
                            : op.level == TextureOp::Level::level ? 3
                                                                  : 4;
  out.expect_operands(least, least + 2);
  Instruction instruction;
  instruction.opcode = gather ? Opcode::texture_gather : Opcode::texture_fetch;
  std::vector<std::uint32_t> slots(1);
  slots[0] = results(out, out.operand(0), pairs ? 2 : 4, type, instruction);
  const Operand& where = out.operand(1);
  instruction.address = image_handle(out, where);
  coordinates(out, where, op.geometry, op.integer ? Type::s32 : Type::f32, slots);
  texture_operands(out, op, slots);
  instruction.set_form(op);
  instruction.more = out.more(slots);
  instruction.site = out.program.sites++;
  out.emit(instruction);
}

// The registers that a surface instruction moves, or constants that it stores.
void surface_data(Emitter& out, const Operand& data, Type type, Instruction& instruction) {
  const bool load = instruction.opcode == Opcode::surface_load;
  const bool braces = data.kind == OperandKind::vector;
  const std::size_t count = instruction.count;
  if (braces ? data.count != count || instruction.opcode == Opcode::surface_reduce : count != 1)
    out.invalid("the number of registers does not match the vector");
  if (braces) out.check_vector(data, type);
  std::uint32_t* slots[4] = {&instruction.d, &instruction.a, &instruction.b, &instruction.c};
  for (std::size_t i = 0; i < count; ++i) {
    const Operand& one = braces ? out.part(data, i) : data;
    if (load && one.kind == OperandKind::sink && braces) continue;
    if (load && one.kind != OperandKind::reg) out.invalid("the result must be a register");
    if (one.kind == OperandKind::real && !one.single)
      out.invalid("the floating-point constant has another size");
    *slots[i] = element(out, one, type, true);
    if (one.kind == OperandKind::reg && bytes_of(type) < 8 && bytes_of(out.type_of(one)) == 8)
      out.refuse("a register wider than the surface's element is not implemented");
  }
}

void surface(Emitter& out, Opcode opcode) {
  const InstructionFacts& facts = out.facts();
  const SurfaceOp op = surface_op(facts);
  const bool load = opcode == Opcode::surface_load;
  Instruction instruction;
  instruction.opcode = opcode;
  instruction.count = facts.has(Modifier::v4) ? 4 : facts.has(Modifier::v2) ? 2 : 1;
  if (op.bytes * instruction.count > 16) out.invalid("a vector access has at most 16 bytes");
  out.expect_operands(2);
  const Operand& where = out.operand(load ? 1 : 0);
  surface_data(out, out.operand(load ? 0 : 1), facts.types.front(), instruction);
  instruction.address = image_handle(out, where);
  if (where.count == 0) out.invalid("expected coordinates");
  std::vector<std::uint32_t> at;
  vector(out, out.part(where, where.count),
         dimensions_of(op.geometry) + (is_layered(op.geometry) ? 1 : 0), Type::u32, at);
  instruction.set_form(op);
  instruction.more = out.more(at);
  instruction.site = out.program.sites++;
  // A formatted texel may have one byte.
  if (!load) out.program.note_access(Space::global, op.formatted ? 1 : op.bytes);
  out.emit(instruction);
}

void image_query(Emitter& out, bool texture) {
  const InstructionFacts& facts = out.facts();
  const bool level = facts.has(Modifier::level);
  const ImageQuery query = *find(kQueries, facts);
  if (level && query > ImageQuery::depth) out.invalid("unknown query");
  out.expect_operands(level ? 3 : 2);
  Instruction instruction;
  instruction.opcode = texture ? Opcode::texture_query : Opcode::surface_query;
  instruction.set_form(query);
  instruction.d = out.destination(0, Type::b32);
  instruction.address = image_handle(out, out.operand(1));
  if (level) instruction.a = out.source(2, Type::b32);
  out.emit(instruction);
}

// tex.2dms: {sample, x, y, _}, of layers {sample, layer, x, y}; then offsets, if there are any.
void texture_samples(Emitter& out) {
  const InstructionFacts& facts = out.facts();
  out.expect_operands(2, 3);
  Instruction instruction;
  instruction.opcode = Opcode::texture_samples;
  const Type type = facts.types.front() == Type::f16 ? Type::b16 : facts.types.front();
  std::vector<std::uint32_t> slots(1);
  slots[0] = results(out, out.operand(0), 4, type, instruction);
  const Operand& where = out.operand(1);
  instruction.address = image_handle(out, where);
  if (where.count == 0) out.invalid("expected coordinates");
  vector(out, out.part(where, where.count), 4, Type::s32, slots);
  if (out.operands() == 3) {
    std::vector<std::uint32_t> offsets;  // of no use
    vector(out, out.operand(2), 2, Type::s32, offsets);
  }
  instruction.more = out.more(slots);
  instruction.site = out.program.sites++;
  out.emit(instruction);
}

// istypep.TYPE p, a
void image_type(Emitter& out) {
  const InstructionFacts& facts = out.facts();
  out.expect_operands(2);
  out.check_is_register(1);
  Instruction instruction;
  instruction.opcode = Opcode::image_type;
  instruction.set_form(facts.has(Modifier::texref)       ? ImageType::texture
                       : facts.has(Modifier::samplerref) ? ImageType::sampler
                                                         : ImageType::surface);
  instruction.d = out.destination(0, Type::pred);
  instruction.a = out.source(1, Type::u64);
  out.emit(instruction);
}

}  // namespace

std::uint32_t element(Emitter& out, const Operand& operand, Type type, bool wider) {
  if (operand.negated) out.invalid("only a predicate is negated");
  if (operand.kind == OperandKind::reg && operand.value == 0) {
    out.check_register(operand, type, wider);
    return out.register_slot(operand.index);
  }
  if (operand.kind == OperandKind::real && (type == Type::f32 || type == Type::b32)) {
    if (!is_constant(operand, type)) out.invalid("the constant has another size");
    return out.constant(real_bits(operand, 4), false);
  }
  if (operand.kind == OperandKind::integer && type != Type::f32)
    return out.constant(static_cast<std::uint64_t>(operand.value), bytes_of(type) == 8);
  out.invalid("an element must be a register or a constant of its type");
}

void vector(Emitter& out, const Operand& operand, std::size_t count, Type type,
            std::vector<std::uint32_t>& slots) {
  if (operand.kind != OperandKind::vector) {
    if (count != 1) out.invalid("expected a vector of " + std::to_string(count));
    slots.push_back(element(out, operand, type));
    return;
  }
  if (operand.count < count || operand.count == 3)
    out.invalid("the vector has the wrong number of elements");
  out.check_vector(operand, type);
  const Type plain = bits_type(bytes_of(type));
  for (std::size_t i = 0; i < operand.count; ++i) {
    const Operand& one = out.part(operand, i);
    const std::uint32_t slot = element(out, one, one.kind == OperandKind::reg ? plain : type);
    if (i < count) slots.push_back(slot);
  }
}

void decode_image(Emitter& out) {
  const InstructionFacts& facts = out.facts();
  if (facts.has(Modifier::_2dms) || facts.has(Modifier::a2dms)) return texture_samples(out);
  if (facts.mnemonic == Mnemonic::istypep) return image_type(out);
  const Mnemonic mnemonic = out.facts().mnemonic;
  if (mnemonic == Mnemonic::tex || mnemonic == Mnemonic::tld4) {
    texture(out);
  } else if (mnemonic == Mnemonic::txq || mnemonic == Mnemonic::suq) {
    image_query(out, mnemonic == Mnemonic::txq);
  } else {
    surface(out, mnemonic == Mnemonic::suld   ? Opcode::surface_load
                 : mnemonic == Mnemonic::sust ? Opcode::surface_store
                                              : Opcode::surface_reduce);
  }
}

}  // namespace warpmark::cpu
