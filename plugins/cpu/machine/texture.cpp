// Texture fetches: coordinates, address and filter modes, conversion of texels.
//
// Formulas: CUDA C++ Programming Guide, appendix "Texture Fetching". With N texels along an axis
// and the coordinate x in texels (a normalized one times N):
//   nearest:  T[floor(x)]
//   linear:   (1 − α) T[i] + α T[i + 1],  i = floor(x − 0.5),  α = frac(x − 0.5)
// and the products of that over two and three axes. The guide leaves open how these are rounded:
// texture_filter.hpp has that. A texel of weight 0 adds nothing, be it infinite.
#include <algorithm>
#include <array>
#include <cstdint>

#define WARPMARK_ISA texture
#include "machine/approximate.hpp"
#include "machine/handlers.hpp"
#include "machine/image_access.hpp"
#include "machine/numerics.hpp"
#include "machine/small_floats.hpp"
#include "machine/texture_filter.hpp"
#include "program/image_op.hpp"

namespace warpmark::cpu {
namespace {

using namespace texture;

// A texel, or a filtered value. Exact for every format: binary64 holds 32-bit integers, too.
struct Color {
  std::array<f64, 4> channels{};
};

// x^(1/5) for x in (0, 1] by Newton's method, which converges from above.
f64 fifth_root(f64 x) {
  f64 root = 1.0;
  for (int step = 0; step < 60; ++step) {
    const f64 square = root * root;
    root -= (square * square * root - x) / (5.0 * square * square);
  }
  return root;
}

// IEC 61966-2-1: c/12.92 up to 0.04045, beyond it ((c + 0.055)/1.055)^2.4.
const std::array<f32, 256>& linear_from_srgb() {
  static const std::array<f32, 256> table = [] {
    std::array<f32, 256> values{};
    for (u32 i = 0; i < 256; ++i) {
      const f64 c = i / 255.0, base = (c + 0.055) / 1.055, root = fifth_root(base);
      const f64 square = root * root;
      values[i] = static_cast<f32>(c <= 0.04045 ? c / 12.92 : base * base * square);
    }
    return values;
  }();
  return table;
}

template <typename T>
T read(const std::byte* from) {
  T value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}

// One channel as the texture presents it: the integer itself, or a number in [0, 1] or [−1, 1] that
// is rounded to binary32.
f64 channel(const std::byte* at, ChannelKind kind, bool as_real) {
  const auto scaled = [&](s32 value, s32 most) {
    if (!as_real) return static_cast<f64>(value);
    return static_cast<f64>(std::max(static_cast<f32>(value) / static_cast<f32>(most), -1.0f));
  };
  switch (kind) {
    case ChannelKind::u8:
      return scaled(read<u8>(at), 255);
    case ChannelKind::s8:
      return scaled(read<s8>(at), 127);
    case ChannelKind::u16:
      return scaled(read<u16>(at), 65535);
    case ChannelKind::s16:
      return scaled(read<s16>(at), 32767);
    case ChannelKind::u32:
      return read<u32>(at);
    case ChannelKind::s32:
      return read<s32>(at);
    case ChannelKind::f16:
      return static_cast<f64>(widen(f16{read<u16>(at)}));
    case ChannelKind::f32:
      return static_cast<f64>(read<f32>(at));
  }
  return 0;
}

// The form in which texels are read: as the texture presents them, or as the integers that a filter
// adds up.
enum class Unit { presented, step };

// An image's memory, with the counters of its reads and the fetch that they are of.
struct Texels {
  const std::byte* memory = nullptr;  // null: it is mapped in parts
  TrafficCounts* traffic = nullptr;
  struct Looked* watch = nullptr;
};

// A lane's fetch.
struct Looked {
  Lanes& lanes;
  const Instruction& instruction;
  u32 lane = 0;
  bool undefined = false;  // some texel that it read has no value
  bool absent = false;     // … has no memory
};

// Every texel is read here. The position lies inside the image, `texels` are the image's.
Color read_texel(const Texture& texture, const Image& image, const Texels& texels, u64 x, u64 y,
                 u64 slice, Unit unit = Unit::presented) {
  const u64 offset = image.offset(x, y, slice);
  const TexelFormat format = image.format;
  const std::byte* at = texels.memory != nullptr
                            ? texels.memory + offset
                            : mapped_texel(texels.watch->lanes, texels.watch->instruction,
                                           image.address + offset, format.bytes());
  if (at == nullptr) {
    texels.watch->absent = true;
    return {};
  }
  if (texels.traffic != nullptr)
    texels.traffic->touch(Space::global, image.address + offset, format.bytes());
  if (Looked* watch = texels.watch; watch->lanes.observer != nullptr) {
    watch->undefined |= watch->lanes.observer->fetch(watch->lanes, watch->instruction, watch->lane,
                                                     image.address + offset, format.bytes()) != 0;
  }
  const bool as_real = texture.real_valued() && unit == Unit::presented;
  // The values of channels that the format lacks.
  Color color{{0, 0, 0, unit == Unit::step ? greatest_step(format.kind) : 1.0}};
  for (u32 c = 0; c < format.channels; ++c) {
    color.channels[c] = texture.srgb && format.kind == ChannelKind::u8 && c < 3
                            ? static_cast<f64>(linear_from_srgb()[read<u8>(at + c)])
                            : channel(at + c * format.channel_bytes(), format.kind, as_real);
  }
  return color;
}

Color border_color(const Texture& texture, Unit unit) {
  Color color;
  if (unit == Unit::step) {
    const f64 most = greatest_step(texture.levels[0].format.kind);
    for (u32 c = 0; c < 4; ++c)
      color.channels[c] = static_cast<f64>(std::clamp(texture.border[c], -1.0f, 1.0f)) * most;
    return color;
  }
  for (u32 c = 0; c < 4; ++c) {
    // The driver takes an integer's bits in place of a float's.
    const u32 pattern = bits(texture.border[c]);
    const ChannelKind kind = texture.levels[0].format.kind;
    const bool is_signed =
        kind == ChannelKind::s8 || kind == ChannelKind::s16 || kind == ChannelKind::s32;
    color.channels[c] = texture.real_valued() ? static_cast<f64>(texture.border[c])
                        : is_signed           ? static_cast<f64>(static_cast<s32>(pattern))
                                              : static_cast<f64>(pattern);
  }
  return color;
}

// One axis of a fetch: one texel, or two with the weight of the second.
struct Axis {
  std::array<s64, 2> index{};  ///< −1: in the border
  u32 weight = 0;              ///< in 256ths
  bool two = false;
};

s64 wrapped(s64 index, s64 size) {
  const s64 rest = index % size;
  return rest < 0 ? rest + size : rest;
}

s64 place(s64 index, s64 size, AddressMode mode) {
  switch (mode) {
    case AddressMode::wrap:
      return wrapped(index, size);
    case AddressMode::mirror: {
      const s64 rest = wrapped(index, 2 * size);
      return rest < size ? rest : 2 * size - 1 - rest;
    }
    case AddressMode::clamp:
      return std::clamp<s64>(index, 0, size - 1);
    case AddressMode::border:
      return index < 0 || index >= size ? -1 : index;
  }
  return 0;
}

// `x` is a coordinate as the kernel gave it, normalized or in texels.
Axis resolve(f64 x, s64 size, AddressMode mode, bool normalized, bool linear, s32 offset) {
  bool periodic = mode == AddressMode::wrap || mode == AddressMode::mirror;
  if (!normalized && periodic) {
    mode = AddressMode::clamp;  // the guide: these two exist for normalized coordinates only
    periodic = false;
  }
  Axis axis;
  if (!linear) {
    axis.index[0] = place(texel_of(x, size, normalized, periodic) + offset, size, mode);
    return axis;
  }
  const s64 at = position_of(x, size, normalized, periodic) - 128 + s64{offset} * 256;
  const s64 first = at >> 8;
  // Clamped to the middles of the outer texels, a coordinate has no fraction. Mirrored, it keeps
  // the one that it came with: texels are reflected, not coordinates.
  const bool beyond = mode == AddressMode::clamp && (at < 0 || at > (size - 1) * 256);
  axis.weight = beyond ? 0 : static_cast<u32>(at & 255);
  axis.two = true;
  axis.index = {place(first, size, mode), place(first + 1, size, mode)};
  return axis;
}

// A fetch from one level: positions along up to three axes; the slice of a layered one is `slice`.
struct FetchPlace {
  std::array<Axis, 3> axes{};
  u32 dimensions = 1;
  u64 slice = 0;
  bool seamless = false;  ///< positions beyond a cubemap's face are on the faces beside it
  u32 face = 0;
};

struct Request;
u32 project(Request& request);

// The texel of a cubemap at a position that may lie beyond its face along one axis: that of the
// other face which the direction through its middle meets.
Color texel_around(const Texture& texture, const Image& image, const Texels& texels,
                   const FetchPlace& place, s64 x, s64 y, Unit unit);

Color texel_at(const Texture& texture, const Image& image, const Texels& texels,
               const FetchPlace& place, u32 corner, Unit unit) {
  std::array<s64, 3> at{};
  if (place.seamless)
    return texel_around(texture, image, texels, place, place.axes[0].index[corner & 1],
                        place.axes[1].index[corner >> 1 & 1], unit);
  for (u32 axis = 0; axis < place.dimensions; ++axis) {
    at[axis] = place.axes[axis].index[corner >> axis & 1];
    if (at[axis] < 0) return border_color(texture, unit);
  }
  const u64 slice = place.dimensions == 3 ? static_cast<u64>(at[2]) : place.slice;
  return read_texel(texture, image, texels, static_cast<u64>(at[0]), static_cast<u64>(at[1]), slice,
                    unit);
}

Color filtered(const Texture& texture, const Image& image, const Texels& texels,
               const FetchPlace& place) {
  if (!place.axes[0].two) return texel_at(texture, image, texels, place, 0, Unit::presented);
  const ChannelKind kind = image.format.kind;
  // How an H200 filters linearised colours is not measured: they are added up as f32 texels are.
  const bool in_steps = filtered_as_integers(kind) && !texture.srgb;
  const auto weights = corner_weights(
      {place.axes[0].weight, place.axes[1].weight, place.axes[2].weight}, place.dimensions);
  Color sum;
  for (u32 corner = 0; corner < 1u << place.dimensions; ++corner) {
    if (weights[corner] == 0) continue;
    const Color texel =
        texel_at(texture, image, texels, place, corner, in_steps ? Unit::step : Unit::presented);
    for (u32 c = 0; c < 4; ++c) sum.channels[c] += weights[corner] * texel.channels[c];
  }
  for (f64& channel : sum.channels)
    channel =
        filter_result(channel, in_steps || kind == ChannelKind::f16 ? kind : ChannelKind::f32);
  return sum;
}

// The fetch that one lane requests.
struct Request {
  TextureOp op;
  s32 layer = 0;
  std::array<f64, 3> at{};
  std::array<s32, 3> offset{};
  f64 level = 0;
  std::array<std::array<f64, 3>, 2> gradient{};
};

f64 number(const Lanes& w, const TextureOp& op, u32 slot, u32 lane) {
  const u32 pattern = read_lane<std::uint32_t>(w.registers, slot, lane);
  return op.integer ? static_cast<f64>(static_cast<s32>(pattern)) : static_cast<f64>(real(pattern));
}

Request request_of(const Lanes& w, const Instruction& i, const TextureOp& op, u32 lane) {
  const u32* slots = w.operands + i.more + 1;  // behind the predicate
  const u32 dimensions = dimensions_of(op.geometry);
  Request request;
  request.op = op;
  if (is_layered(op.geometry))
    request.layer = static_cast<s32>(read_lane<std::uint32_t>(w.registers, *slots++, lane));
  for (u32 axis = 0; axis < dimensions; ++axis) request.at[axis] = number(w, op, *slots++, lane);
  if (op.level == TextureOp::Level::level) request.level = number(w, op, *slots++, lane);
  if (op.level == TextureOp::Level::gradient) {
    for (auto& vector : request.gradient) {
      for (u32 axis = 0; axis < dimensions; ++axis) vector[axis] = number(w, op, *slots++, lane);
    }
  }
  for (u32 axis = 0; axis < op.offsets; ++axis)
    request.offset[axis] = static_cast<s32>(read_lane<std::uint32_t>(w.registers, *slots++, lane));
  return request;
}

// The face of a cubemap that a direction meets, and where: the guide's table in "Cubemap Textures".
// Turns the request into one for two axes; the derivatives follow by the quotient rule.
u32 project(Request& request) {
  const auto [x, y, z] = request.at;
  const f64 ax = absolute(x), ay = absolute(y), az = absolute(z);
  struct Axis3 {
    u32 axis;
    f64 sign;
  };
  u32 face = 0;
  Axis3 major{}, s{}, t{};
  if (ax >= ay && ax >= az) {
    face = x >= 0 ? 0 : 1;
    major = {0, x >= 0 ? 1.0 : -1.0};
    s = {2, x >= 0 ? -1.0 : 1.0};
    t = {1, -1.0};
  } else if (ay >= az) {
    face = y >= 0 ? 2 : 3;
    major = {1, y >= 0 ? 1.0 : -1.0};
    s = {0, 1.0};
    t = {2, y >= 0 ? 1.0 : -1.0};
  } else {
    face = z >= 0 ? 4 : 5;
    major = {2, z >= 0 ? 1.0 : -1.0};
    s = {0, z >= 0 ? 1.0 : -1.0};
    t = {1, -1.0};
  }
  const std::array<f64, 3> at = request.at;
  const f64 m = major.sign * at[major.axis];
  const auto project_one = [&](Axis3 one, u32 into) {
    request.at[into] = (one.sign * at[one.axis] / m + 1.0) * 0.5;
  };
  for (auto& vector : request.gradient) {
    const std::array<f64, 3> d = vector;
    const auto slope = [&](Axis3 one) {
      const f64 value = one.sign * at[one.axis], change = one.sign * d[one.axis];
      return 0.5 * (change * m - value * major.sign * d[major.axis]) / (m * m);
    };
    vector = {slope(s), slope(t), 0.0};
  }
  project_one(s, 0);
  project_one(t, 1);
  return face;
}

// s and t of a face, from -1 to 1, as a direction: the inverse of project().
std::array<f64, 3> direction(u32 face, f64 s, f64 t) {
  const std::array<f64, 3> of[] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t},
                                   {s, -1, -t}, {s, -t, 1},  {-s, -t, -1}};
  return of[face];
}

Color texel_around(const Texture& texture, const Image& image, const Texels& texels,
                   const FetchPlace& place, s64 x, s64 y, Unit unit) {
  const auto size = static_cast<s64>(image.width);
  const auto beyond = [size](s64 at) { return at < 0 || at >= size; };
  const auto around = [&](s64 column, s64 row) {
    return texel_around(texture, image, texels, place, column, row, unit);
  };
  if (!beyond(x) && !beyond(y))
    return read_texel(texture, image, texels, static_cast<u64>(x), static_cast<u64>(y), place.slice,
                      unit);
  if (beyond(x) && beyond(y)) {  // three faces meet at a corner, and no texel is there
    const s64 column = std::clamp<s64>(x, 0, size - 1), row = std::clamp<s64>(y, 0, size - 1);
    Color sum;
    for (const Color& one : {around(column, row), around(x, row), around(column, y)})
      for (u32 c = 0; c < 4; ++c) sum.channels[c] += one.channels[c] / 3.0;
    return sum;
  }
  const auto middle = [size](s64 at) {
    return (2.0 * static_cast<f64>(at) + 1.0) / static_cast<f64>(size) - 1.0;
  };
  Request request;
  request.at = direction(place.face, middle(x), middle(y));
  const u32 face = project(request);
  const auto texel = [size](f64 at) {
    return static_cast<u64>(
        std::clamp<s64>(static_cast<s64>(round_down(at * static_cast<f64>(size))), 0, size - 1));
  };
  return read_texel(texture, image, texels, texel(request.at[0]), texel(request.at[1]),
                    place.slice - place.face + face, unit);
}

// The level of detail: given, or log2 of the longer of the two footprints in texels of level 0.
f64 level_of(const Texture& texture, const Request& request) {
  const Image& base = texture.levels[0];
  f64 level = request.level;
  if (request.op.level == TextureOp::Level::gradient) {
    const std::array<f64, 3> size = {static_cast<f64>(base.width), static_cast<f64>(base.height),
                                     static_cast<f64>(base.depth)};
    f64 longest = 0;
    for (const auto& vector : request.gradient) {
      f64 sum = 0;
      for (u32 axis = 0; axis < 3; ++axis) {
        const f64 step = texture.normalized ? vector[axis] * size[axis] : vector[axis];
        sum += step * step;
      }
      longest = sum > longest ? sum : longest;
    }
    level = 0.5 * static_cast<f64>(log2_approx(static_cast<f32>(longest)));
  }
  if (request.op.integer) return level;
  level += static_cast<f64>(texture.level_bias);
  if (level < static_cast<f64>(texture.least_level)) level = static_cast<f64>(texture.least_level);
  if (level > static_cast<f64>(texture.most_level)) level = static_cast<f64>(texture.most_level);
  return level == level ? level : 0;
}

FetchPlace place_in(const Texture& texture, const Image& image, const Request& request, u32 face,
                    bool linear) {
  const TextureOp& op = request.op;
  const bool cube = op.geometry == Geometry::cube || op.geometry == Geometry::acube;
  FetchPlace place;
  place.seamless = cube && linear && texture.seamless;
  place.face = face;
  place.dimensions = cube ? 2 : dimensions_of(op.geometry);
  const std::array<u64, 3> size = {image.width, image.height, image.depth};
  for (u32 axis = 0; axis < place.dimensions; ++axis) {
    const AddressMode mode = cube ? AddressMode::clamp : texture.address[axis];
    if (place.seamless) {
      const s64 at = position_of(request.at[axis], static_cast<s64>(size[axis]), true, false) - 128;
      place.axes[axis] = {{at >> 8, (at >> 8) + 1}, static_cast<u32>(at & 255), true};
      continue;
    }
    place.axes[axis] =
        resolve(request.at[axis], static_cast<s64>(size[axis]), mode,
                cube || (texture.normalized && !op.integer), linear, request.offset[axis]);
  }
  // One axis is filtered as two of height 1, at y = 0: half of the row above, which shows where
  // that is the border.
  if (linear && place.dimensions == 1 && texture.address[1] == AddressMode::border) {
    place.dimensions = 2;
    place.axes[1] = resolve(0.0, 1, AddressMode::border, false, true, 0);
  }
  // The guide: the layer is clamped, whatever the address mode.
  const s64 last = static_cast<s64>(image.layers) - 1;
  const s64 layer = cube ? std::clamp<s64>(request.layer, 0, std::max<s64>(last / 6, 0)) * 6 + face
                         : std::clamp<s64>(request.layer, 0, last);
  place.slice = static_cast<u64>(std::min(layer, last));
  return place;
}

// From linear memory: an index, and 0 outside of it; no modes apply.
Color fetch_linear(const Texture& texture, const Texels& texels, const Request& request) {
  const Image& image = texture.levels[0];
  const f64 index = round_down(request.at[0]);
  if (!(index >= 0) || index >= static_cast<f64>(image.width)) return {};
  return read_texel(texture, image, texels, static_cast<u64>(index), 0, 0);
}

// A lane's fetch. False after recording a fault.
bool fetch(Lanes& w, const Instruction& i, u32 lane, const Texture& texture, Request request,
           Looked* watch, Color& color) {
  Texels texels{nullptr, w.traffic, watch};
  const auto has_memory = [&](const Image& image) {
    texels.memory = image.in_parts ? nullptr : image_memory(w, i, lane, image, false);
    return texels.memory != nullptr || image.in_parts;
  };
  if (texture.linear_memory) {
    if (!has_memory(texture.levels[0])) return false;
    color = fetch_linear(texture, texels, request);
    return true;
  }
  const bool cube = request.op.geometry == Geometry::cube || request.op.geometry == Geometry::acube;
  const u32 face = cube ? project(request) : 0;
  const bool real_valued = texture.real_valued();
  // Integers are never filtered, and integer coordinates name a texel.
  const bool linear = texture.filter == Filter::linear && real_valued && !request.op.integer;
  const f64 last = static_cast<f64>(texture.levels.size() - 1);
  const f64 level = std::clamp(level_of(texture, request), 0.0, last);
  const bool blend = texture.level_filter == Filter::linear && real_valued && !request.op.integer;
  const u64 fixed =
      static_cast<u64>(round_down(blend ? level * 256.0 + 0.5 : round_down(level + 0.5) * 256.0));
  const u64 first = fixed >> 8;
  const f64 weight = static_cast<f64>(fixed & 255) / 256.0;
  const Image& image = texture.levels[first];
  if (!has_memory(image)) return false;
  color = filtered(texture, image, texels, place_in(texture, image, request, face, linear));
  if (weight == 0.0) return true;
  const Image& smaller = texture.levels[first + 1];
  if (!has_memory(smaller)) return false;
  const Color second =
      filtered(texture, smaller, texels, place_in(texture, smaller, request, face, linear));
  for (u32 c = 0; c < 4; ++c)
    color.channels[c] = (1.0 - weight) * color.channels[c] + weight * second.channels[c];
  return true;
}

// tld4: one channel of the four texels that a linear filter would blend, counter-clockwise from the
// one at the lower left, where rows count downwards.
bool gather(Lanes& w, const Instruction& i, u32 lane, const Texture& texture, Request request,
            Looked* watch, Color& color) {
  const bool cube = request.op.geometry == Geometry::cube || request.op.geometry == Geometry::acube;
  const u32 face = cube ? project(request) : 0;
  const Image& image = texture.levels[0];
  const std::byte* memory = image.in_parts ? nullptr : image_memory(w, i, lane, image, false);
  if (memory == nullptr && !image.in_parts) return false;
  const FetchPlace place = place_in(texture, image, request, face, true);
  constexpr u32 kCorners[4] = {2, 3, 1, 0};
  for (u32 c = 0; c < 4; ++c) {
    color.channels[c] =
        texel_at(texture, image, {memory, w.traffic, watch}, place, kCorners[c], Unit::presented)
            .channels[request.op.component];
  }
  return true;
}

u32 pattern_of(f64 value, bool real_valued) {
  if (real_valued) return bits(static_cast<f32>(value));
  return value < 0 ? static_cast<u32>(static_cast<s32>(value)) : static_cast<u32>(value);
}

// Marks the results of a fetch as undefined, because it read an undefined texel.
void defined(Lanes& w, const Instruction& i, u32 lane, const TextureOp& op, bool computed) {
  const bool pair = op.result == TextureOp::Result::pair;
  const u64 undefined = op.result == TextureOp::Result::word || pair ? 0xffffffff : 0xffff;
  const Definedness value = Definedness::make(undefined, Space::global, i.statement);
  const u32 slots[4] = {i.d, i.a, i.b, i.c};
  for (u32 c = 0; c < (pair ? 2u : 4u); ++c) {
    if (slots[c] != Instruction::kNone)
      w.observer->shadow()->definedness(w.warp).set(slots[c], lane,
                                                    computed ? value.computing(undefined) : value);
  }
}

template <bool Gather>
void texture_handler(Lanes& w, const Instruction& i) {
  const auto op = i.form<TextureOp>();
  if (op.compares) {
    return refuse_textures(w, i,
                           "the texture has no depths, and the instruction is for textures that "
                           "compare them, which no function of the driver makes");
  }
  const HandleTable<Texture>* table = textures_of(w);
  const u32 slots[4] = {i.d, i.a, i.b, i.c};
  const u32 predicate = w.operands[i.more];
  u32 resident = w.mask;
  for (u32 rest = w.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<u32>(__builtin_ctz(rest));
    const Texture* texture = find_image(w, i, lane, table, "texture");
    std::array<u32, 4> values{};
    if (texture != nullptr && texture->levels[0].width != 0) {  // 0 bytes of linear memory
      Color color;
      const Request request = request_of(w, i, op, lane);
      Looked watching{w, i, lane};
      const bool good = Gather ? gather(w, i, lane, *texture, request, &watching, color)
                               : fetch(w, i, lane, *texture, request, &watching, color);
      if (watching.absent) {  // PTX ISA, "tex": all are zeros, and the predicate is false
        color = {};
        resident &= ~(1u << lane);
        if (predicate == Instruction::kNone)
          record_absent(w, i, lane, "fetch", "nothing asks whether it is resident");
      }
      if (watching.undefined) defined(w, i, lane, op, !Gather && texture->filter == Filter::linear);
      const bool real_valued = texture->real_valued();
      for (u32 c = 0; good && c < 4; ++c) {
        values[c] = pattern_of(color.channels[c], real_valued);
        if (op.result != TextureOp::Result::word)
          values[c] = real_valued ? to_f16(real(values[c])).pattern : values[c] & 0xffff;
      }
    }
    if (op.result == TextureOp::Result::pair) {
      set_image_register(w, slots[0], lane, values[0] | values[1] << 16);
      set_image_register(w, slots[1], lane, values[2] | values[3] << 16);
      continue;
    }
    for (u32 c = 0; c < 4; ++c) set_image_register(w, slots[c], lane, values[c]);
  }
  if (predicate != Instruction::kNone) write_predicate(w.registers, predicate, w.mask, resident);
}

}  // namespace

void fill_textures(HandlerTable& table) {
  table.set(Opcode::texture_fetch, texture_handler<false>);
  table.set(Opcode::texture_gather, texture_handler<true>);
}

}  // namespace warpmark::cpu
