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

// The words of a dotted name, one after another.
class Words {
 public:
  explicit Words(std::string_view name) : rest_(name) {}
  std::string_view next() {
    const std::size_t dot = std::min(rest_.find('.'), rest_.size());
    const std::string_view word = rest_.substr(0, dot);
    rest_.remove_prefix(std::min(dot + 1, rest_.size()));
    return word;
  }
  [[nodiscard]] std::string_view peek() const { return rest_.substr(0, rest_.find('.')); }
  bool accept(std::string_view word) {
    if (peek() != word) return false;
    next();
    return true;
  }
  [[nodiscard]] bool empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

template <typename Value, std::size_t Count>
const Value* find(const std::pair<std::string_view, Value> (&table)[Count], std::string_view name) {
  for (const auto& [known, value] : table) {
    if (known == name) return &value;
  }
  return nullptr;
}

constexpr std::pair<std::string_view, Geometry> kGeometries[] = {
    {"1d", Geometry::d1},      {"2d", Geometry::d2},   {"3d", Geometry::d3},
    {"a1d", Geometry::a1d},    {"a2d", Geometry::a2d}, {"cube", Geometry::cube},
    {"acube", Geometry::acube}};
constexpr std::pair<std::string_view, ImageQuery> kTextureQueries[] = {
    {"width", ImageQuery::width},
    {"height", ImageQuery::height},
    {"depth", ImageQuery::depth},
    {"channel_data_type", ImageQuery::channel_data_type},
    {"channel_order", ImageQuery::channel_order},
    {"normalized_coords", ImageQuery::normalized_coords},
    {"array_size", ImageQuery::array_size},
    {"num_mipmap_levels", ImageQuery::num_mipmap_levels},
    {"num_samples", ImageQuery::num_samples},
    {"force_unnormalized_coords", ImageQuery::force_unnormalized_coords},
    {"filter_mode", ImageQuery::filter_mode},
    {"addr_mode_0", ImageQuery::addr_mode_0},
    {"addr_mode_1", ImageQuery::addr_mode_1},
    {"addr_mode_2", ImageQuery::addr_mode_2}};
constexpr std::pair<std::string_view, ImageQuery> kSurfaceQueries[] = {
    {"width", ImageQuery::width},
    {"height", ImageQuery::height},
    {"depth", ImageQuery::depth},
    {"channel_data_type", ImageQuery::channel_data_type},
    {"channel_order", ImageQuery::channel_order},
    {"array_size", ImageQuery::array_size},
    {"memory_layout", ImageQuery::memory_layout}};
constexpr std::pair<std::string_view, SurfaceOp::Boundary> kBoundaries[] = {
    {"trap", SurfaceOp::Boundary::trap},
    {"clamp", SurfaceOp::Boundary::clamp},
    {"zero", SurfaceOp::Boundary::zero}};
constexpr std::pair<std::string_view, SurfaceOp::Reduce> kSurfaceReductions[] = {
    {"add", SurfaceOp::Reduce::add},
    {"min", SurfaceOp::Reduce::min},
    {"max", SurfaceOp::Reduce::max},
    {"and", SurfaceOp::Reduce::bit_and},
    {"or", SurfaceOp::Reduce::bit_or}};

// Three coordinates, or two behind a layer, come as a vector of four whose last one is ignored.
std::size_t vector_length(Geometry geometry) {
  const std::size_t needed = dimensions_of(geometry) + (is_layered(geometry) ? 1 : 0);
  return needed == 3 ? 4 : needed;
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
  const bool image = handed || (variable != module_.variable_by_name.end() &&
                                module_.variables[variable->second].image);
  if (base.kind != OperandKind::reg && !image)
    invalid(statement, "'" + std::string(base.text) + "' is no texture or surface");
  if (base.kind != OperandKind::reg)
    refuse(statement, "a texture or surface by its name is not implemented on this device");
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
  const bool wide = bytes_of(type) == 8;
  auto bits = static_cast<std::uint64_t>(operand.value);
  if (operand.kind == OperandKind::real && (type == Type::f32 || type == Type::b32)) {
    if (!operand.single) {
      double value = 0;
      static_assert(sizeof value == sizeof bits);
      __builtin_memcpy(&value, &bits, sizeof value);
      const auto narrow = static_cast<float>(value);
      std::uint32_t pattern = 0;
      __builtin_memcpy(&pattern, &narrow, sizeof pattern);
      bits = pattern;
    }
    return constant(bits, wide);
  }
  if (operand.kind == OperandKind::integer && type != Type::f32) return constant(bits, wide);
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
  if (operand.count != (count == 3 ? 4 : count))
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

void Decoder::texture(const Statement& statement, std::string_view name, bool gather) {
  Words words(name);
  TextureOp op;
  if (gather) {
    const std::size_t component = std::string_view("rgba").find(words.peek());
    if (words.next().size() != 1 || component == std::string_view::npos)
      invalid(statement, "expected .r, .g, .b or .a");
    op.component = static_cast<std::uint8_t>(component);
  } else if (words.accept("level")) {
    op.level = TextureOp::Level::level;
  } else if (words.accept("grad")) {
    op.level = TextureOp::Level::gradient;
  } else {
    words.accept("base");
  }
  const std::string_view shape = words.next();
  const Geometry* geometry = find(kGeometries, shape);
  if (geometry == nullptr) invalid(statement, "unknown geometry");
  op.geometry = *geometry;
  const bool cube = op.geometry == Geometry::cube || op.geometry == Geometry::acube;
  if (gather && dimensions_of(op.geometry) != 2 && !cube)
    invalid(statement, "tld4 needs a texture of two dimensions");
  const std::string_view length = words.next(), result = words.next(), coordinate = words.next();
  const bool pairs = length == "v2" && result == "f16x2";
  if (!pairs && length != "v4") invalid(statement, "expected .v4");
  const Type type = pairs                        ? Type::b32
                    : result == "u32"            ? Type::u32
                    : result == "s32"            ? Type::s32
                    : result == "f16" && !gather ? Type::b16
                    : result == "f32"            ? Type::f32
                                                 : Type::none;
  op.integer = coordinate == "s32";
  if (type == Type::none || (!op.integer && coordinate != "f32") || !words.empty())
    invalid(statement, "unknown types of a texture instruction");
  if (op.integer && (cube || gather || op.level == TextureOp::Level::gradient))
    invalid(statement, "floating-point coordinates are needed");
  op.result = pairs               ? TextureOp::Result::pair
              : type == Type::b16 ? TextureOp::Result::half
                                  : TextureOp::Result::word;
  const std::size_t plain = op.level == TextureOp::Level::none    ? 2
                            : op.level == TextureOp::Level::level ? 3
                                                                  : 4;
  expect_operands(statement, plain, plain + 2);
  Instruction instruction;
  instruction.opcode = gather ? Opcode::texture_gather : Opcode::texture_fetch;
  std::vector<std::uint32_t> slots(1);
  slots[0] = results(statement, operand(statement, 0), pairs ? 2 : 4, type, instruction);
  const Operand& where = operand(statement, 1);
  instruction.address = image_handle(statement, where);
  if (where.count == 0) invalid(statement, "expected coordinates");
  const Operand& coordinates = function_.operands[where.index + where.count];
  const std::uint32_t dimensions = dimensions_of(op.geometry);
  const Type number = op.integer ? Type::s32 : Type::f32;
  if (is_layered(op.geometry)) {  // {layer, x, …}
    if (coordinates.kind != OperandKind::vector || coordinates.count != vector_length(op.geometry))
      invalid(statement, "the vector has the wrong number of elements");
    slots.push_back(element(statement, function_.operands[coordinates.index], Type::u32, false));
    for (std::uint32_t i = 1; i < coordinates.count; ++i) {
      const std::uint32_t slot =
          element(statement, function_.operands[coordinates.index + i], number, false);
      if (i <= dimensions) slots.push_back(slot);
    }
  } else {
    vector(statement, coordinates, dimensions, number, slots);
  }
  if (op.level == TextureOp::Level::level)
    slots.push_back(element(statement, operand(statement, 2), number, false));
  for (std::size_t i = 0; op.level == TextureOp::Level::gradient && i < 2; ++i)
    vector(statement, operand(statement, 2 + i), dimensions, Type::f32, slots);
  if (statement.operands > plain) {
    const Operand& offsets = operand(statement, plain);
    if (statement.operands > plain + 1 || cube || offsets.kind == OperandKind::real ||
        (offsets.kind == OperandKind::reg &&
         function_.registers[offsets.index].type == Type::f32)) {
      refuse(statement, "depth textures are not implemented on this device");
    }
    vector(statement, offsets, dimensions, Type::s32, slots);
    op.offsets = static_cast<std::uint8_t>(dimensions);
  }
  instruction.imm = op.pack();
  instruction.more = more(slots);
  instruction.site = program_.sites++;
  emit(statement, instruction);
}

void Decoder::surface(const Statement& statement, std::string_view name, Opcode opcode) {
  Words words(name);
  SurfaceOp op;
  op.formatted = words.next() == "p";
  const bool reduce = opcode == Opcode::surface_reduce, load = opcode == Opcode::surface_load;
  if (load && op.formatted) invalid(statement, "unknown form of a surface instruction");
  if (reduce) {
    const SurfaceOp::Reduce* operation = find(kSurfaceReductions, words.next());
    if (operation == nullptr) invalid(statement, "unknown operation");
    op.reduce = *operation;
  }
  const Geometry* geometry = find(kGeometries, words.next());
  if (geometry == nullptr || *geometry == Geometry::cube || *geometry == Geometry::acube ||
      (reduce && is_layered(*geometry)))
    invalid(statement, "unknown geometry");
  op.geometry = *geometry;
  for (const std::string_view advice : {"ca", "cg", "cs", "cv", "wb", "wt"}) {
    if (words.accept(advice)) break;
  }
  std::size_t count = 1;
  if (!reduce && (words.peek() == "v2" || words.peek() == "v4"))
    count = words.next() == "v2" ? 2 : 4;
  const Type type = type_named(words.next());
  const SurfaceOp::Boundary* boundary = find(kBoundaries, words.next());
  const std::uint32_t bytes = bytes_of(type);
  const bool bits = type == Type::b8 || type == Type::b16 || type == Type::b32 || type == Type::b64;
  const bool integer =
      type == Type::u32 || type == Type::s32 || type == Type::u64 || type == Type::s64;
  const bool bitwise =
      op.reduce == SurfaceOp::Reduce::bit_and || op.reduce == SurfaceOp::Reduce::bit_or;
  const bool fits = !reduce        ? bits && (!op.formatted || type == Type::b32)
                    : op.formatted ? type == Type::b32 || type == Type::b64
                    : bitwise      ? type == Type::b32 || type == Type::b64
                                   : integer;
  if (boundary == nullptr || !fits || !words.empty())
    invalid(statement, "unknown types of a surface instruction");
  if (bytes * count > 16) invalid(statement, "a vector access has at most 16 bytes");
  op.boundary = *boundary;
  op.bytes = static_cast<std::uint8_t>(bytes);
  op.type = type == Type::u32   ? SurfaceOp::Type::u32
            : type == Type::s32 ? SurfaceOp::Type::s32
            : type == Type::u64 ? SurfaceOp::Type::u64
            : type == Type::s64 ? SurfaceOp::Type::s64
                                : SurfaceOp::Type::bits;
  expect_operands(statement, 2, 2);
  Instruction instruction;
  instruction.opcode = opcode;
  instruction.count = static_cast<std::uint8_t>(count);
  const Operand& data = operand(statement, load ? 0 : 1);
  const Operand& where = operand(statement, load ? 1 : 0);
  if (data.kind == OperandKind::vector ? data.count != count || reduce : count != 1)
    invalid(statement, "the number of registers does not match the vector");
  if (data.kind == OperandKind::vector) check_vector(statement, data, type);
  std::uint32_t* slots[4] = {&instruction.d, &instruction.a, &instruction.b, &instruction.c};
  bool wide = bytes == 8;
  for (std::size_t i = 0; i < count; ++i) {
    const Operand& one =
        data.kind == OperandKind::vector ? function_.operands[data.index + i] : data;
    if (load && one.kind == OperandKind::sink && data.kind == OperandKind::vector) continue;
    if (load && one.kind != OperandKind::reg) invalid(statement, "the result must be a register");
    if (one.kind == OperandKind::real && !one.single)
      invalid(statement, "the floating-point constant has another size");
    *slots[i] = element(statement, one, type, true);
    if (one.kind == OperandKind::reg && bytes_of(function_.registers[one.index].type) == 8)
      wide = true;
    if (wide != (bytes == 8))
      refuse(statement, "a register wider than the surface's element is not implemented");
  }
  instruction.address = image_handle(statement, where);
  if (where.count == 0) invalid(statement, "expected coordinates");
  const Operand& coordinates = function_.operands[where.index + where.count];
  std::vector<std::uint32_t> at;
  const std::size_t needed = dimensions_of(op.geometry) + (is_layered(op.geometry) ? 1 : 0);
  vector(statement, coordinates, needed, Type::u32, at);
  instruction.imm = op.pack();
  instruction.more = more(at);
  instruction.site = program_.sites++;
  // A formatted texel may have one byte.
  if (!load) program_.note_access(Space::global, op.formatted ? 1 : bytes);
  emit(statement, instruction);
}

void Decoder::image_query(const Statement& statement, std::string_view name, bool texture) {
  Words words(name);
  const bool level = texture && words.accept("level");
  const std::string_view what = words.next();
  const ImageQuery* query = texture ? find(kTextureQueries, what) : find(kSurfaceQueries, what);
  if (query == nullptr || words.next() != "b32" || !words.empty() ||
      (level && *query > ImageQuery::depth))
    invalid(statement, "unknown query");
  expect_operands(statement, level ? 3 : 2, level ? 3 : 2);
  Instruction instruction;
  instruction.opcode = texture ? Opcode::texture_query : Opcode::surface_query;
  instruction.imm = static_cast<std::int64_t>(*query);
  instruction.d = destination(statement, 0, Type::b32);
  instruction.address = image_handle(statement, operand(statement, 1));
  if (level) instruction.a = source(statement, 2, Type::b32);
  emit(statement, instruction);
}

bool Decoder::image(const Statement& statement) {
  Words words(statement.opcode);
  const std::string_view base = words.next();
  const std::string_view rest =
      statement.opcode.substr(std::min(base.size() + 1, statement.opcode.size()));
  if (base == "tex" || base == "tld4") {
    texture(statement, rest, base == "tld4");
  } else if (base == "suld") {
    surface(statement, rest, Opcode::surface_load);
  } else if (base == "sust") {
    surface(statement, rest, Opcode::surface_store);
  } else if (base == "sured") {
    surface(statement, rest, Opcode::surface_reduce);
  } else if (base == "txq" || base == "suq") {
    image_query(statement, rest, base == "txq");
  } else {
    return false;
  }
  return true;
}

}  // namespace warpmark::cpu
