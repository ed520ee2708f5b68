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
        std::find(std::begin(kComponents), std::end(kComponents), facts.modifiers.front()) -
        std::begin(kComponents));
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

}  // namespace

std::uint32_t Decoder::image_handle(const Statement& statement, const Operand& operand) {
  if (operand.kind != OperandKind::address || operand.index == Operand::kNone || operand.value != 0)
    invalid(statement, "expected a texture or surface in [ ]");
  const Operand& base = function_.operands[operand.index];
  const auto variable = module_.variable_by_name.find(base.text);
  const bool handed =  // as .param .texref, which is kept as .b64
      std::any_of(
          function_.parameters.begin(), function_.parameters.end(),
          [&](const Parameter& one) { return one.name == base.text && one.type == Type::b64; });
  if (variable != module_.variable_by_name.end() && module_.variables[variable->second].image) {
    const bool surface = is_of_surfaces(statement.facts->mnemonic);
    if (surface != module_.variables[variable->second].surface)
      invalid(statement,
              "'" + std::string(base.text) + "' is no " + (surface ? "surface" : "texture"));
    return constant(variable_address(statement, base.text), true);
  }
  if (handed)
    refuse(statement, "a texture or surface as a parameter is not implemented on this device");
  if (base.kind != OperandKind::reg)
    invalid(statement, "'" + std::string(base.text) + "' is no texture or surface");
  check_register(statement, base, Type::u64, false);
  return register_slot(base.index);
}

// One element of a vector: a register of the type, or a constant.
std::uint32_t Decoder::element(const Statement& statement, const Operand& operand, Type type,
                               bool wider) {
  if (operand.negated) invalid(statement, "only a predicate is negated");
  if (operand.kind == OperandKind::reg && operand.value == 0) {
    check_register(statement, operand, type, wider);
    return register_slot(operand.index);
  }
  if (operand.kind == OperandKind::real && (type == Type::f32 || type == Type::b32)) {
    if (!is_constant(operand, type)) invalid(statement, "the constant has another size");
    return constant(real_bits(operand, 4), false);
  }
  if (operand.kind == OperandKind::integer && type != Type::f32)
    return constant(static_cast<std::uint64_t>(operand.value), bytes_of(type) == 8);
  invalid(statement, "an element must be a register or a constant of its type");
}

// Appends `count` elements; a vector of one may stand without its braces.
void Decoder::vector(const Statement& statement, const Operand& operand, std::size_t count,
                     Type type, std::vector<std::uint32_t>& slots) {
  if (operand.kind != OperandKind::vector) {
    if (count != 1) invalid(statement, "expected a vector of " + std::to_string(count));
    slots.push_back(element(statement, operand, type, false));
    return;
  }
  if (operand.count < count || operand.count == 3)
    invalid(statement, "the vector has the wrong number of elements");
  check_vector(statement, operand, type);
  const Type plain = bits_type(bytes_of(type));
  for (std::size_t i = 0; i < operand.count; ++i) {
    const Operand& one = function_.operands[operand.index + i];
    const std::uint32_t slot =
        element(statement, one, one.kind == OperandKind::reg ? plain : type, false);
    if (i < count) slots.push_back(slot);
  }
}

// The results' slots, and the slot of the predicate behind them, if there is one.
std::uint32_t Decoder::results(const Statement& statement, const Operand& operand,
                               std::size_t count, Type type, Instruction& instruction) {
  const Operand* list = &operand;
  std::uint32_t valid = Instruction::kNone;
  if (operand.kind == OperandKind::pair) {
    list = &function_.operands[operand.index];
    const Operand& second = function_.operands[operand.index + 1];
    if (second.kind == OperandKind::integer) invalid(statement, "expected a predicate");
    if (second.kind != OperandKind::sink) valid = predicate(statement, second);
  }
  if (list->kind != OperandKind::vector || list->count != count)
    invalid(statement, "expected a vector of " + std::to_string(count) + " results");
  check_vector(statement, *list, type);
  std::uint32_t* slots[4] = {&instruction.d, &instruction.a, &instruction.b, &instruction.c};
  for (std::size_t i = 0; i < count; ++i) {
    const Operand& one = function_.operands[list->index + i];
    if (one.kind == OperandKind::sink) continue;
    if (one.kind != OperandKind::reg || one.value != 0 || one.negated)
      invalid(statement, "the result must be a register");
    check_register(statement, one, bits_type(bytes_of(type)), false);
    *slots[i] = register_slot(one.index);
  }
  instruction.count = static_cast<std::uint8_t>(count);
  return valid;
}

// The operand of coordinates: {layer, x, …} or {x, …}. A vector of more than there are dimensions
// is allowed, as of four for three of them: the last ones are ignored.
void Decoder::coordinates(const Statement& statement, const Operand& where, Geometry geometry,
                          Type number, std::vector<std::uint32_t>& slots) {
  if (where.count == 0) invalid(statement, "expected coordinates");
  const Operand& list = function_.operands[where.index + where.count];
  const std::uint32_t dimensions = dimensions_of(geometry);
  if (!is_layered(geometry)) return vector(statement, list, dimensions, number, slots);
  if (list.kind != OperandKind::vector || list.count <= dimensions || list.count == 3)
    invalid(statement, "the vector has the wrong number of elements");
  slots.push_back(element(statement, function_.operands[list.index], Type::u32, false));
  for (std::uint32_t i = 1; i < list.count; ++i) {
    const std::uint32_t slot =
        element(statement, function_.operands[list.index + i], number, false);
    if (i <= dimensions) slots.push_back(slot);
  }
}

// Decodes the operands after the coordinates: a level or gradients, and offsets.
void Decoder::texture_operands(const Statement& statement, TextureOp& op,
                               std::vector<std::uint32_t>& slots) {
  const std::uint32_t dimensions = dimensions_of(op.geometry);
  std::size_t next = 2;
  if (op.level == TextureOp::Level::level) {
    const Type number = op.integer ? Type::s32 : Type::f32;
    slots.push_back(element(statement, operand(statement, next++), number, false));
  } else if (op.level == TextureOp::Level::gradient) {
    for (int i = 0; i < 2; ++i) {
      const Operand& gradient = operand(statement, next++);
      if (gradient.kind == OperandKind::vector &&
          gradient.count != (dimensions == 3 ? 4 : dimensions))
        invalid(statement, "the vector has the wrong number of elements");
      vector(statement, gradient, dimensions, Type::f32, slots);
    }
  }
  if (statement.operands <= next) return;
  const Operand& offsets = operand(statement, next);
  const bool real =
      offsets.kind == OperandKind::real ||
      (offsets.kind == OperandKind::reg && function_.registers[offsets.index].type == Type::f32);
  op.compares = statement.operands > next + 1 || is_cube(op.geometry) || real;
  if (!is_cube(op.geometry) && !real) {
    vector(statement, offsets, dimensions, Type::s32, slots);
    op.offsets = static_cast<std::uint8_t>(dimensions);
    ++next;
  }
  if (op.compares) element(statement, operand(statement, next), Type::f32, false);
  if (statement.operands > next + 1) invalid(statement, "a depth is the last operand");
}

void Decoder::texture(const Statement& statement) {
  const InstructionFacts& facts = *statement.facts;
  const bool gather = facts.mnemonic == Mnemonic::tld4;
  TextureOp op = texture_op(facts);
  if (op.integer && (is_cube(op.geometry) || op.level == TextureOp::Level::gradient))
    invalid(statement, "floating-point coordinates are needed");
  const bool pairs = op.result == TextureOp::Result::pair;
  const Type type = pairs                                  ? Type::b32
                    : op.result == TextureOp::Result::half ? Type::b16
                                                           : facts.types.front();
  const std::size_t least = op.level == TextureOp::Level::none    ? 2
                            : op.level == TextureOp::Level::level ? 3
                                                                  : 4;
  expect_operands(statement, least, least + 2);
  Instruction instruction;
  instruction.opcode = gather ? Opcode::texture_gather : Opcode::texture_fetch;
  std::vector<std::uint32_t> slots(1);
  slots[0] = results(statement, operand(statement, 0), pairs ? 2 : 4, type, instruction);
  const Operand& where = operand(statement, 1);
  instruction.address = image_handle(statement, where);
  coordinates(statement, where, op.geometry, op.integer ? Type::s32 : Type::f32, slots);
  texture_operands(statement, op, slots);
  instruction.set_form(op);
  instruction.more = more(slots);
  instruction.site = program_.sites++;
  emit(statement, instruction);
}

// The registers that a surface instruction moves, or constants that it stores.
void Decoder::surface_data(const Statement& statement, const Operand& data, Type type,
                           Instruction& instruction) {
  const bool load = instruction.opcode == Opcode::surface_load;
  const bool braces = data.kind == OperandKind::vector;
  const std::size_t count = instruction.count;
  if (braces ? data.count != count || instruction.opcode == Opcode::surface_reduce : count != 1)
    invalid(statement, "the number of registers does not match the vector");
  if (braces) check_vector(statement, data, type);
  std::uint32_t* slots[4] = {&instruction.d, &instruction.a, &instruction.b, &instruction.c};
  for (std::size_t i = 0; i < count; ++i) {
    const Operand& one = braces ? function_.operands[data.index + i] : data;
    if (load && one.kind == OperandKind::sink && braces) continue;
    if (load && one.kind != OperandKind::reg) invalid(statement, "the result must be a register");
    if (one.kind == OperandKind::real && !one.single)
      invalid(statement, "the floating-point constant has another size");
    *slots[i] = element(statement, one, type, true);
    if (one.kind == OperandKind::reg && bytes_of(type) < 8 &&
        bytes_of(function_.registers[one.index].type) == 8)
      refuse(statement, "a register wider than the surface's element is not implemented");
  }
}

void Decoder::surface(const Statement& statement, Opcode opcode) {
  const InstructionFacts& facts = *statement.facts;
  const SurfaceOp op = surface_op(facts);
  const bool load = opcode == Opcode::surface_load;
  Instruction instruction;
  instruction.opcode = opcode;
  instruction.count = facts.has(Modifier::v4) ? 4 : facts.has(Modifier::v2) ? 2 : 1;
  if (op.bytes * instruction.count > 16) invalid(statement, "a vector access has at most 16 bytes");
  expect_operands(statement, 2, 2);
  const Operand& where = operand(statement, load ? 1 : 0);
  surface_data(statement, operand(statement, load ? 0 : 1), facts.types.front(), instruction);
  instruction.address = image_handle(statement, where);
  if (where.count == 0) invalid(statement, "expected coordinates");
  std::vector<std::uint32_t> at;
  vector(statement, function_.operands[where.index + where.count],
         dimensions_of(op.geometry) + (is_layered(op.geometry) ? 1 : 0), Type::u32, at);
  instruction.set_form(op);
  instruction.more = more(at);
  instruction.site = program_.sites++;
  // A formatted texel may have one byte.
  if (!load) program_.note_access(Space::global, op.formatted ? 1 : op.bytes);
  emit(statement, instruction);
}

void Decoder::image_query(const Statement& statement, bool texture) {
  const InstructionFacts& facts = *statement.facts;
  const bool level = facts.has(Modifier::level);
  const ImageQuery query = *find(kQueries, facts);
  if (level && query > ImageQuery::depth) invalid(statement, "unknown query");
  expect_operands(statement, level ? 3 : 2, level ? 3 : 2);
  Instruction instruction;
  instruction.opcode = texture ? Opcode::texture_query : Opcode::surface_query;
  instruction.set_form(query);
  instruction.d = destination(statement, 0, Type::b32);
  instruction.address = image_handle(statement, operand(statement, 1));
  if (level) instruction.a = source(statement, 2, Type::b32);
  emit(statement, instruction);
}

// tex.2dms: {sample, x, y, _}, of layers {sample, layer, x, y}; then offsets, if there are any.
void Decoder::texture_samples(const Statement& statement) {
  const InstructionFacts& facts = *statement.facts;
  expect_operands(statement, 2, 3);
  Instruction instruction;
  instruction.opcode = Opcode::texture_samples;
  const Type type = facts.types.front() == Type::f16 ? Type::b16 : facts.types.front();
  std::vector<std::uint32_t> slots(1);
  slots[0] = results(statement, operand(statement, 0), 4, type, instruction);
  const Operand& where = operand(statement, 1);
  instruction.address = image_handle(statement, where);
  if (where.count == 0) invalid(statement, "expected coordinates");
  vector(statement, function_.operands[where.index + where.count], 4, Type::s32, slots);
  if (statement.operands == 3) {
    std::vector<std::uint32_t> offsets;  // of no use
    vector(statement, operand(statement, 2), 2, Type::s32, offsets);
  }
  instruction.more = more(slots);
  instruction.site = program_.sites++;
  emit(statement, instruction);
}

// istypep.TYPE p, a
void Decoder::image_type(const Statement& statement) {
  const InstructionFacts& facts = *statement.facts;
  expect_operands(statement, 2, 2);
  check_is_register(statement, 1);
  Instruction instruction;
  instruction.opcode = Opcode::image_type;
  instruction.set_form(facts.has(Modifier::texref)       ? ImageType::texture
                       : facts.has(Modifier::samplerref) ? ImageType::sampler
                                                         : ImageType::surface);
  instruction.d = destination(statement, 0, Type::pred);
  instruction.a = source(statement, 1, Type::u64);
  emit(statement, instruction);
}

void Decoder::image(const Statement& statement) {
  const InstructionFacts& facts = *statement.facts;
  if (facts.has(Modifier::_2dms) || facts.has(Modifier::a2dms)) return texture_samples(statement);
  if (facts.mnemonic == Mnemonic::istypep) return image_type(statement);
  const Mnemonic mnemonic = statement.facts->mnemonic;
  if (mnemonic == Mnemonic::tex || mnemonic == Mnemonic::tld4) {
    texture(statement);
  } else if (mnemonic == Mnemonic::txq || mnemonic == Mnemonic::suq) {
    image_query(statement, mnemonic == Mnemonic::txq);
  } else {
    surface(statement, mnemonic == Mnemonic::suld   ? Opcode::surface_load
                       : mnemonic == Mnemonic::sust ? Opcode::surface_store
                                                    : Opcode::surface_reduce);
  }
}

}  // namespace warpmark::cpu
