// Texture and surface objects: descriptions checked and turned into what kernels fetch from.
#include <cstdint>
#include <optional>
#include <utility>

#include "api/mistake.hpp"
#include "api/owner.hpp"
#include "api/state.hpp"

namespace warpmark::cpu {
namespace {

using L = ImageLimits;

// CUresourceViewFormat counts kinds in this order, each with 1, 2 and 4 channels.
std::optional<TexelFormat> view_format(unsigned int format) {
  static constexpr ChannelKind kKinds[] = {ChannelKind::u8,  ChannelKind::s8,  ChannelKind::u16,
                                           ChannelKind::s16, ChannelKind::u32, ChannelKind::s32,
                                           ChannelKind::f16, ChannelKind::f32};
  const auto number = format - CU_RES_VIEW_FORMAT_UINT_1X8;
  if (number >= 24) return std::nullopt;
  return TexelFormat{kKinds[number / 3], static_cast<std::uint8_t>(1u << number % 3)};
}

CUresult linear_image(Context& context, const CUDA_RESOURCE_DESC& resource, Image& image) {
  const auto& linear = resource.res.linear;
  const auto format = texel_format(number_in(linear.format), linear.numChannels);
  if (!format || linear.devPtr % L::alignment != 0) return CUDA_ERROR_INVALID_VALUE;
  image.format = *format;
  image.address = linear.devPtr;
  image.width = linear.sizeInBytes / format->bytes();
  image.row_pitch = image.slice_pitch = linear.sizeInBytes;
  if (image.width == 0) return CUDA_SUCCESS;  // every fetch from it is outside
  if (image.width > L::linear_1d || context.arena.holder(image.address, image.bytes()) == nullptr)
    return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

CUresult pitched_image(Context& context, const CUDA_RESOURCE_DESC& resource, Image& image) {
  const auto& pitched = resource.res.pitch2D;
  const auto format = texel_format(number_in(pitched.format), pitched.numChannels);
  if (!format || pitched.devPtr % L::alignment != 0 || pitched.width == 0 || pitched.height == 0 ||
      pitched.width > L::linear_width || pitched.height > L::linear_height ||
      pitched.pitchInBytes > L::linear_pitch || pitched.pitchInBytes % L::pitch_alignment != 0 ||
      pitched.pitchInBytes < pitched.width * format->bytes())
    return CUDA_ERROR_INVALID_VALUE;
  image.format = *format;
  image.address = pitched.devPtr;
  image.width = pitched.width;
  image.height = pitched.height;
  image.row_pitch = pitched.pitchInBytes;
  image.slice_pitch = pitched.pitchInBytes * pitched.height;
  return context.arena.holder(image.address, image.bytes()) == nullptr ? CUDA_ERROR_INVALID_VALUE
                                                                       : CUDA_SUCCESS;
}

// The levels that a resource has, before any view.
CUresult levels_of(Context& context, const CUDA_RESOURCE_DESC& resource, Texture& texture) {
  texture.levels.resize(1);
  switch (number_in(resource.resType)) {
    case CU_RESOURCE_TYPE_LINEAR:
      texture.linear_memory = true;
      return linear_image(context, resource, texture.levels[0]);
    case CU_RESOURCE_TYPE_PITCH2D:
      return pitched_image(context, resource, texture.levels[0]);
    case CU_RESOURCE_TYPE_ARRAY: {
      const ImageArray* array = context.images.find(resource.res.array.hArray);
      if (array == nullptr) return CUDA_ERROR_INVALID_VALUE;
      texture.levels[0] = array->image;
      return CUDA_SUCCESS;
    }
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY: {
      const auto* found = find_in(context.images.mipmaps, resource.res.mipmap.hMipmappedArray);
      if (found == nullptr) return CUDA_ERROR_INVALID_VALUE;
      texture.levels.clear();
      for (const CUarray level : found->levels)
        texture.levels.push_back(context.images.find(level)->image);
      return CUDA_SUCCESS;
    }
  }
  return CUDA_ERROR_INVALID_VALUE;
}

// A view keeps the extents and the size of a texel; it may choose levels and layers.
CUresult apply_view(const CUDA_RESOURCE_VIEW_DESC& view, Texture& texture) {
  const Image& base = texture.levels[0];
  const unsigned int wish = number_in(view.format);
  if (wish > CU_RES_VIEW_FORMAT_FLOAT_4X32)
    return fail(CUDA_ERROR_NOT_SUPPORTED, "block-compressed textures are not supported");
  const auto same = [](std::uint64_t given, std::uint64_t extent) {
    return given == extent || (given == 0 && extent == 1);
  };
  const bool layered = base.layers > 1;
  if (!same(view.width, base.width) || !same(view.height, base.height) ||
      !same(view.depth, layered ? base.layers : base.depth) ||
      view.firstMipmapLevel > view.lastMipmapLevel ||
      view.lastMipmapLevel >= texture.levels.size() || view.firstLayer > view.lastLayer ||
      view.lastLayer >= base.layers)
    return CUDA_ERROR_INVALID_VALUE;
  TexelFormat format = base.format;
  if (wish != CU_RES_VIEW_FORMAT_NONE) {
    const auto wanted = view_format(wish);
    if (!wanted || wanted->bytes() != format.bytes()) return CUDA_ERROR_INVALID_VALUE;
    format = *wanted;
  }
  const auto first = texture.levels.begin() + view.firstMipmapLevel;
  texture.levels = std::vector<Image>(first, texture.levels.begin() + view.lastMipmapLevel + 1);
  for (Image& image : texture.levels) {
    image.format = format;
    if (!layered) continue;
    image.address += view.firstLayer * image.slice_pitch;
    image.layers = view.lastLayer - view.firstLayer + 1;
  }
  return CUDA_SUCCESS;
}

CUresult sampler_of(const CUDA_TEXTURE_DESC& description, bool mipmapped, Texture& texture) {
  constexpr unsigned int known = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES |
                                 CU_TRSF_SRGB | CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION |
                                 CU_TRSF_SEAMLESS_CUBEMAP;
  const auto filter = [](const CUfilter_mode& given, Filter& into) {
    const unsigned int mode = number_in(given);
    into = mode == CU_TR_FILTER_MODE_LINEAR ? Filter::linear : Filter::point;
    return mode == CU_TR_FILTER_MODE_LINEAR || mode == CU_TR_FILTER_MODE_POINT;
  };
  if ((description.flags & ~known) != 0) return CUDA_ERROR_INVALID_VALUE;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto mode = number_in(description.addressMode[axis]);
    if (mode > CU_TR_ADDRESS_MODE_BORDER) return CUDA_ERROR_INVALID_VALUE;
    texture.address[axis] = static_cast<AddressMode>(mode);
  }
  if (!filter(description.filterMode, texture.filter) ||
      !filter(description.mipmapFilterMode, texture.level_filter))
    return CUDA_ERROR_INVALID_VALUE;
  texture.normalized = (description.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
  texture.as_integer = (description.flags & CU_TRSF_READ_AS_INTEGER) != 0;
  texture.srgb = (description.flags & CU_TRSF_SRGB) != 0 && !texture.as_integer;
  texture.seamless = (description.flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0;
  if (mipmapped && !texture.normalized) return CUDA_ERROR_INVALID_VALUE;
  texture.level_bias = description.mipmapLevelBias;
  texture.least_level = description.minMipmapLevelClamp;
  texture.most_level = description.maxMipmapLevelClamp;
  for (std::size_t c = 0; c < 4; ++c) texture.border[c] = description.borderColor[c];
  return CUDA_SUCCESS;
}

}  // namespace

CUresult texture_of(Context& context, const CUDA_RESOURCE_DESC& resource,
                    const CUDA_TEXTURE_DESC& sampler, Texture& texture) {
  const CUresult result = levels_of(context, resource, texture);
  const bool mipmapped = number_in(resource.resType) == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
  return result != CUDA_SUCCESS ? result : sampler_of(sampler, mipmapped, texture);
}

}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuTexObjectCreate(CUtexObject* handle, const CUDA_RESOURCE_DESC* resource,
                           const CUDA_TEXTURE_DESC* sampler, const CUDA_RESOURCE_VIEW_DESC* view) {
  return with_context("cuTexObjectCreate", Waits::no, [&](Context& context) -> CUresult {
    if (handle == nullptr || resource == nullptr || sampler == nullptr || resource->flags != 0)
      return CUDA_ERROR_INVALID_VALUE;
    const unsigned int type = number_in(resource->resType);
    const bool array = type == CU_RESOURCE_TYPE_ARRAY,
               mipmapped = type == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    if (view != nullptr && !array && !mipmapped) return CUDA_ERROR_INVALID_VALUE;
    Texture texture;
    CUresult result = texture_of(context, *resource, *sampler, texture);
    if (result == CUDA_SUCCESS && view != nullptr) result = apply_view(*view, texture);
    if (result == CUDA_ERROR_NOT_SUPPORTED) report_reason(context, "cuTexObjectCreate", result);
    if (result != CUDA_SUCCESS) return result;
    *handle = context.images.table.textures.add(std::move(texture));
    Images::TextureDescription& kept = context.images.textures[*handle];
    kept.resource = *resource;
    kept.texture = *sampler;
    if (view != nullptr) kept.view = *view;
    return CUDA_SUCCESS;
  });
}

CUresult cuTexObjectDestroy(CUtexObject handle) {
  return with_context_and_owner("cuTexObjectDestroy", Waits::no, TextureHandle{handle},
                                [&](Context& context) -> CUresult {
                                  if (!context.images.table.textures.remove(handle))
                                    return CUDA_ERROR_INVALID_VALUE;
                                  context.images.textures.erase(handle);
                                  return CUDA_SUCCESS;
                                });
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC* resource, CUtexObject handle) {
  return with_context("cuTexObjectGetResourceDesc", Waits::no, [&](Context& context) -> CUresult {
    const auto* found = find_in(context.images.textures, handle);
    return found == nullptr ? CUDA_ERROR_INVALID_VALUE : give(resource, found->resource);
  });
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC* sampler, CUtexObject handle) {
  return with_context("cuTexObjectGetTextureDesc", Waits::no, [&](Context& context) -> CUresult {
    const auto* found = find_in(context.images.textures, handle);
    return found == nullptr ? CUDA_ERROR_INVALID_VALUE : give(sampler, found->texture);
  });
}

CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC* view, CUtexObject handle) {
  return with_context("cuTexObjectGetResourceViewDesc", Waits::no,
                      [&](Context& context) -> CUresult {
                        const auto* found = find_in(context.images.textures, handle);
                        if (found == nullptr) return CUDA_ERROR_INVALID_VALUE;
                        return give(view, found->view.value_or(CUDA_RESOURCE_VIEW_DESC{}));
                      });
}

CUresult cuSurfObjectCreate(CUsurfObject* handle, const CUDA_RESOURCE_DESC* resource) {
  return with_context("cuSurfObjectCreate", Waits::no, [&](Context& context) -> CUresult {
    if (handle == nullptr || resource == nullptr || resource->flags != 0 ||
        number_in(resource->resType) != CU_RESOURCE_TYPE_ARRAY)
      return CUDA_ERROR_INVALID_VALUE;
    const ImageArray* array = context.images.find(resource->res.array.hArray);
    // An array without CUDA_ARRAY3D_SURFACE_LDST serves as well: driver 580 does not look at it.
    if (array == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *handle = context.images.table.surfaces.add(array->image);
    context.images.surfaces[*handle] = *resource;
    return CUDA_SUCCESS;
  });
}

CUresult cuSurfObjectDestroy(CUsurfObject handle) {
  return with_context_and_owner("cuSurfObjectDestroy", Waits::no, SurfaceHandle{handle},
                                [&](Context& context) -> CUresult {
                                  if (!context.images.table.surfaces.remove(handle))
                                    return CUDA_ERROR_INVALID_VALUE;
                                  context.images.surfaces.erase(handle);
                                  return CUDA_SUCCESS;
                                });
}

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC* resource, CUsurfObject handle) {
  return with_context("cuSurfObjectGetResourceDesc", Waits::no, [&](Context& context) -> CUresult {
    const auto* found = find_in(context.images.surfaces, handle);
    return found == nullptr ? CUDA_ERROR_INVALID_VALUE : give(resource, *found);
  });
}

}  // extern "C"
