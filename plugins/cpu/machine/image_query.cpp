// txq and suq: what textures and surfaces are.
#include <algorithm>
#include <cstdint>

#include "machine/handlers.hpp"
#include "machine/image_access.hpp"
#include "program/image_op.hpp"

namespace warpmark::cpu {
namespace {

using u32 = std::uint32_t;

// The values of the enumerations that txq and suq return are OpenCL's, as the PTX ISA says.
u32 channel_data_type(TexelFormat format, bool normalized) {
  constexpr u32 kPlain[] = {0x10da, 0x10db, 0x10dc, 0x10d7, 0x10d8, 0x10d9, 0x10dd, 0x10de};
  constexpr u32 kNormalized[] = {0x10d2, 0x10d3, 0x10dc, 0x10d0, 0x10d1, 0x10d9, 0x10dd, 0x10de};
  return (normalized ? kNormalized : kPlain)[static_cast<u32>(format.kind)];  // u8, u16, u32, s8 …
}
u32 channel_order(TexelFormat format) {
  return format.channels == 1 ? 0x10b0 : format.channels == 2 ? 0x10b2 : 0x10b5;
}
u32 address_mode(AddressMode mode) {
  constexpr u32 kValues[] = {0, 3, 1, 4};  // wrap, clamp to edge, mirror, clamp to border
  return kValues[static_cast<u32>(mode)];
}

u32 query_image(const Image& image, bool normalized, ImageQuery query) {
  switch (query) {
    case ImageQuery::width:
      return static_cast<u32>(image.width);
    case ImageQuery::height:
      return static_cast<u32>(image.height);
    case ImageQuery::depth:
      return static_cast<u32>(image.depth);
    case ImageQuery::channel_data_type:
      return channel_data_type(image.format, normalized);
    case ImageQuery::channel_order:
      return channel_order(image.format);
    case ImageQuery::array_size:
      return static_cast<u32>(image.layers);
    case ImageQuery::num_samples:
      return 1;
    default:
      return 0;  // arrays are no linear memory to a kernel
  }
}

u32 query_texture(const Texture& texture, ImageQuery query, u32 level) {
  const Image& image = texture.levels[std::min<std::size_t>(level, texture.levels.size() - 1)];
  switch (query) {
    case ImageQuery::normalized_coords:
      return texture.normalized ? 1 : 0;
    case ImageQuery::num_mipmap_levels:
      return static_cast<u32>(texture.levels.size());
    case ImageQuery::filter_mode:
      return texture.filter == Filter::linear ? 1 : 0;
    case ImageQuery::addr_mode_0:
    case ImageQuery::addr_mode_1:
    case ImageQuery::addr_mode_2:
      return address_mode(
          texture.address[static_cast<u32>(query) - static_cast<u32>(ImageQuery::addr_mode_0)]);
    default:
      return query_image(image, !image.format.real() && texture.real_valued(), query);
  }
}

void texture_query(Lanes& w, const Instruction& i) {
  const HandleTable<Texture>* table = textures_of(w);
  for (u32 rest = w.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<u32>(__builtin_ctz(rest));
    const Texture* texture = find_image(w, i, lane, table, "texture");
    const u32 level =
        i.a == Instruction::kNone ? 0 : read_lane<std::uint32_t>(w.registers, i.a, lane);
    set_image_register(
        w, i.d, lane,
        texture == nullptr ? 0 : query_texture(*texture, i.form<ImageQuery>(), level));
  }
}

void surface_query(Lanes& w, const Instruction& i) {
  const ImageTable* images = w.block->launch().shape.images;
  const HandleTable<Image>* table = images == nullptr ? nullptr : &images->surfaces;
  for (u32 rest = w.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<u32>(__builtin_ctz(rest));
    const Image* surface = find_image(w, i, lane, table, "surface");
    set_image_register(w, i.d, lane,
                       surface == nullptr ? 0 : query_image(*surface, false, i.form<ImageQuery>()));
  }
}

void texture_samples(Lanes& w, const Instruction& i) {
  refuse_textures(w, i,
                  "the texture has one sample for each texel, and the instruction is for "
                  "textures of several, which no function of the driver makes");
}

void image_type(Lanes& w, const Instruction& i) {
  const ImageTable* images = w.block->launch().shape.images;
  const auto wanted = i.form<ImageType>();
  u32 is = 0;
  for (u32 rest = w.mask; rest != 0 && images != nullptr; rest &= rest - 1) {
    const auto lane = static_cast<u32>(__builtin_ctz(rest));
    const auto handle = read_lane<std::uint64_t>(w.registers, i.a, lane);
    const bool found = wanted == ImageType::texture ? images->textures.find(handle) != nullptr
                       : wanted == ImageType::surface
                           ? images->surfaces.find(handle) != nullptr
                           : false;  // samplers are parts of textures here
    is |= static_cast<u32>(found) << lane;
  }
  write_predicate(w.registers, i.d, w.mask, is);
}

}  // namespace

void fill_image_queries(HandlerTable& table) {
  table.set(Opcode::texture_query, texture_query);
  table.set(Opcode::surface_query, surface_query);
  table.set(Opcode::texture_samples, texture_samples);
  table.set(Opcode::image_type, image_type);
}

}  // namespace warpmark::cpu
