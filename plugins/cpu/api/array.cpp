// CUDA arrays and mipmapped arrays: made, described, destroyed.
#include "api/array.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "api/mistake.hpp"
#include "api/owner.hpp"
#include "api/sparse_array.hpp"
#include "api/state.hpp"

namespace warpmark::cpu {

std::optional<TexelFormat> texel_format(unsigned int format, unsigned int channels) {
  static constexpr std::pair<CUarray_format, ChannelKind> kKinds[] = {
      {CU_AD_FORMAT_UNSIGNED_INT8, ChannelKind::u8},
      {CU_AD_FORMAT_UNSIGNED_INT16, ChannelKind::u16},
      {CU_AD_FORMAT_UNSIGNED_INT32, ChannelKind::u32},
      {CU_AD_FORMAT_SIGNED_INT8, ChannelKind::s8},
      {CU_AD_FORMAT_SIGNED_INT16, ChannelKind::s16},
      {CU_AD_FORMAT_SIGNED_INT32, ChannelKind::s32},
      {CU_AD_FORMAT_HALF, ChannelKind::f16},
      {CU_AD_FORMAT_FLOAT, ChannelKind::f32}};
  if (channels != 1 && channels != 2 && channels != 4) return std::nullopt;
  // Four kinds, each with 1, 2 and 4 channels.
  static constexpr ChannelKind kNormalised[] = {ChannelKind::u8, ChannelKind::u16, ChannelKind::s8,
                                                ChannelKind::s16};
  const unsigned int number = format - CU_AD_FORMAT_UNORM_INT8X1;
  if (number < 12) {
    if (1u << number % 3 != channels) return std::nullopt;
    return TexelFormat{kNormalised[number / 3], static_cast<std::uint8_t>(channels), true};
  }
  for (const auto& [known, kind] : kKinds) {
    if (known == format) return TexelFormat{kind, static_cast<std::uint8_t>(channels), false};
  }
  return std::nullopt;
}

namespace {

using L = ImageLimits;
constexpr unsigned int kKnownFlags = CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST |
                                     CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_TEXTURE_GATHER |
                                     CUDA_ARRAY3D_COLOR_ATTACHMENT | kMappedFlags;
// Block-compressed colours, and pictures in planes.
bool is_packed(unsigned int format) {
  return format == CU_AD_FORMAT_UNORM_INT_101010_2 ||
         (format >= CU_AD_FORMAT_BC1_UNORM && format <= CU_AD_FORMAT_YUV444_16bit_SemiPlanar);
}

// The table of extents in cuArray3DCreate's description.
bool valid_extents(const CUDA_ARRAY3D_DESCRIPTOR& d) {
  const bool layered = (d.Flags & CUDA_ARRAY3D_LAYERED) != 0;
  const bool cube = (d.Flags & CUDA_ARRAY3D_CUBEMAP) != 0;
  const bool surface = (d.Flags & CUDA_ARRAY3D_SURFACE_LDST) != 0;
  const auto within = [&](std::size_t width, std::size_t height, std::size_t depth) {
    return d.Width <= width && d.Height <= height && d.Depth <= depth;
  };
  if (d.Width == 0) return false;
  if (cube) {
    return d.Width == d.Height && (layered ? d.Depth != 0 && d.Depth % 6 == 0 : d.Depth == 6) &&
           within(L::cube, L::cube, L::cube_layers);
  }
  if (layered) return d.Depth != 0 && within(L::layered, L::layered, L::layers);
  if (d.Depth != 0) {
    if (d.Height == 0) return false;
    return within(L::size_3d, L::size_3d, L::size_3d) ||
           (!surface && within(L::alternate_3d, L::alternate_3d, L::alternate_depth));
  }
  if (d.Height == 0) return d.Width <= (surface ? L::surface_1d : L::width_1d);
  if ((d.Flags & CUDA_ARRAY3D_TEXTURE_GATHER) != 0) return within(L::gather, L::gather, 0);
  return within(L::width_2d, L::height_2d, 0);
}

bool valid(const CUDA_ARRAY3D_DESCRIPTOR& d) {
  const bool gather = (d.Flags & CUDA_ARRAY3D_TEXTURE_GATHER) != 0;
  return texel_format(number_in(d.Format), d.NumChannels) && (d.Flags & ~kKnownFlags) == 0 &&
         (!gather || (d.Height != 0 && (d.Depth == 0 || (d.Flags & CUDA_ARRAY3D_LAYERED) != 0 ||
                                        (d.Flags & CUDA_ARRAY3D_CUBEMAP) != 0))) &&
         valid_extents(d);
}

// The image of an array whose memory is yet to be found.
Image image_of(const CUDA_ARRAY3D_DESCRIPTOR& d) {
  Image image;
  image.format = *texel_format(number_in(d.Format), d.NumChannels);
  image.width = d.Width;
  image.height = std::max<std::uint64_t>(d.Height, 1);
  const bool layers = (d.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)) != 0;
  (layers ? image.layers : image.depth) = std::max<std::uint64_t>(d.Depth, 1);
  image.row_pitch = image.width * image.format.bytes();
  image.slice_pitch = image.row_pitch * image.height;
  return image;
}

// The largest products of valid extents have 47 bits, so none of these overflows.
std::uint64_t rounded(std::uint64_t bytes) {
  return (bytes + L::alignment - 1) / L::alignment * L::alignment;
}

CUarray keep(Context& context, std::unique_ptr<ImageArray> array) {
  auto* handle = reinterpret_cast<CUarray>(array.get());
  context.images.arrays.emplace(handle, std::move(array));
  return handle;
}

CUresult lacking(Context& context, const char* call, const CUDA_ARRAY3D_DESCRIPTOR& descriptor) {
  if (is_packed(number_in(descriptor.Format)))
    return report_reason(context, call,
                         fail(CUDA_ERROR_NOT_SUPPORTED,
                              "the device has no arrays of block-compressed or planar formats"));
  if ((descriptor.Flags & kMappedFlags) == 0) return CUDA_SUCCESS;
  return report_refusal(context, call, check_mapped(descriptor));
}

// Addresses for an array that memory is mapped into, rounded up to whole tiles.
std::unique_ptr<MappedRange> range_for(std::uint64_t bytes, const char* call) {
  return MappedRange::reserve((bytes + Tiles::kBytes - 1) / Tiles::kBytes * Tiles::kBytes, call);
}

CUresult create(Context& context, CUarray* handle, const CUDA_ARRAY3D_DESCRIPTOR& descriptor) {
  if (const CUresult result = lacking(context, "cuArray3DCreate_v2", descriptor);
      result != CUDA_SUCCESS)
    return result;
  if (!valid(descriptor)) return CUDA_ERROR_INVALID_VALUE;
  auto array = std::make_unique<ImageArray>();
  array->descriptor = descriptor;
  array->image = image_of(descriptor);
  constexpr const char* kCall = "cuArrayCreate_v2";
  if ((descriptor.Flags & kMappedFlags) != 0) {
    Image& image = array->image;
    image.in_parts = true;
    if ((descriptor.Flags & CUDA_ARRAY3D_SPARSE) != 0) lay_out_tiles(image);
    array->range = range_for(image.bytes(), kCall);
    if (array->range == nullptr) return out_of_memory(context, kCall, image.bytes());
    image.address = array->range->address();
    *handle = keep(context, std::move(array));
    return CUDA_SUCCESS;
  }
  const std::uint64_t bytes = array->image.bytes();
  if (bytes > driver().properties.memory) return out_of_memory(context, kCall, bytes);
  array->image.address = context.arena.allocate(bytes, Arena::Kind::device, kCall);
  if (array->image.address == 0) return out_of_memory(context, kCall, bytes);
  *handle = keep(context, std::move(array));
  return CUDA_SUCCESS;
}

// A level has half the extents of the one before it, at least 1; layers stay.
CUDA_ARRAY3D_DESCRIPTOR level_descriptor(CUDA_ARRAY3D_DESCRIPTOR d, unsigned int level) {
  const auto halved = [level](std::size_t extent) {
    return extent == 0 ? 0 : std::max<std::size_t>(extent >> level, 1);
  };
  d.Width = halved(d.Width);
  d.Height = halved(d.Height);
  if ((d.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)) == 0) d.Depth = halved(d.Depth);
  return d;
}

CUresult create(Context& context, CUmipmappedArray* handle,
                const CUDA_ARRAY3D_DESCRIPTOR& descriptor, unsigned int levels) {
  if (const CUresult result = lacking(context, "cuMipmappedArrayCreate", descriptor);
      result != CUDA_SUCCESS)
    return result;
  if (!valid(descriptor)) return CUDA_ERROR_INVALID_VALUE;
  const bool layers = (descriptor.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)) != 0;
  const std::size_t longest =
      std::max({descriptor.Width, descriptor.Height, layers ? 0 : descriptor.Depth});
  // The driver's documentation: clamped to 1 + floor(log2(longest)).
  levels = std::clamp<unsigned int>(levels, 1, static_cast<unsigned int>(std::bit_width(longest)));
  auto mipmap = std::make_unique<MipmappedArray>();
  mipmap->descriptor = descriptor;
  std::vector<std::unique_ptr<ImageArray>> made;
  std::uint64_t bytes = 0;
  auto* const key = reinterpret_cast<CUmipmappedArray>(mipmap.get());
  for (unsigned int level = 0; level < levels; ++level) {
    auto array = std::make_unique<ImageArray>();
    array->descriptor = level_descriptor(descriptor, level);
    array->image = image_of(array->descriptor);
    array->image.address = bytes;
    array->mipmap = key;
    bytes += rounded(array->image.bytes());
    made.push_back(std::move(array));
  }
  constexpr const char* kCall = "cuMipmappedArrayCreate";
  if ((descriptor.Flags & kMappedFlags) != 0) {
    if ((descriptor.Flags & CUDA_ARRAY3D_SPARSE) != 0) bytes = lay_out_levels(made);
    for (auto& array : made) array->image.in_parts = true;
    mipmap->range = range_for(bytes, kCall);
    if (mipmap->range != nullptr) mipmap->address = mipmap->range->address();
  } else if (bytes <= driver().properties.memory) {
    mipmap->address = context.arena.allocate(bytes, Arena::Kind::device, kCall);
  }
  if (mipmap->address == 0) return out_of_memory(context, kCall, bytes);
  for (auto& array : made) {
    array->image.address += mipmap->address;
    mipmap->levels.push_back(keep(context, std::move(array)));
  }
  context.images.mipmaps.emplace(key, std::move(mipmap));
  *handle = key;
  return CUDA_SUCCESS;
}

CUDA_ARRAY3D_DESCRIPTOR widened(const CUDA_ARRAY_DESCRIPTOR& plain) {
  CUDA_ARRAY3D_DESCRIPTOR descriptor{};
  descriptor.Width = plain.Width;
  descriptor.Height = plain.Height;
  copy_number(descriptor.Format, plain.Format);
  descriptor.NumChannels = plain.NumChannels;
  return descriptor;
}

}  // namespace
}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuArrayCreate_v2(CUarray* array, const CUDA_ARRAY_DESCRIPTOR* descriptor) {
  return with_context("cuArrayCreate", Waits::no, [&](Context& context) -> CUresult {
    if (array == nullptr || descriptor == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return create(context, array, widened(*descriptor));
  });
}

CUresult cuArray3DCreate_v2(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* descriptor) {
  return with_context("cuArray3DCreate", Waits::no, [&](Context& context) -> CUresult {
    if (array == nullptr || descriptor == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return create(context, array, *descriptor);
  });
}

CUresult cuArrayDestroy(CUarray handle) {
  return with_owner("cuArrayDestroy", Waits::yes, handle, [&](Context& context) -> CUresult {
    const ImageArray* array = context.images.find(handle);
    if (array == nullptr || array->mipmap != nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (array->range == nullptr) context.arena.free(array->image.address);
    context.images.arrays.erase(handle);
    return CUDA_SUCCESS;
  });
}

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR* descriptor, CUarray handle) {
  return with_owner("cuArrayGetDescriptor", Waits::no, handle, [&](Context& context) -> CUresult {
    const ImageArray* array = context.images.find(handle);
    if (array == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    const CUDA_ARRAY3D_DESCRIPTOR& known = array->descriptor;
    return give(descriptor,
                CUDA_ARRAY_DESCRIPTOR{known.Width, known.Height, known.Format, known.NumChannels});
  });
}

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR* descriptor, CUarray handle) {
  return with_owner("cuArray3DGetDescriptor", Waits::no, handle, [&](Context& context) -> CUresult {
    const ImageArray* array = context.images.find(handle);
    if (array == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    return give(descriptor, array->descriptor);
  });
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray* handle, const CUDA_ARRAY3D_DESCRIPTOR* descriptor,
                                unsigned int levels) {
  return with_context("cuMipmappedArrayCreate", Waits::no, [&](Context& context) -> CUresult {
    if (handle == nullptr || descriptor == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return create(context, handle, *descriptor, levels);
  });
}

CUresult cuMipmappedArrayGetLevel(CUarray* level_array, CUmipmappedArray handle,
                                  unsigned int level) {
  return with_owner("cuMipmappedArrayGetLevel", Waits::no, handle,
                    [&](Context& context) -> CUresult {
                      const auto* found = find_in(context.images.mipmaps, handle);
                      if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
                      return level < found->levels.size() ? give(level_array, found->levels[level])
                                                          : CUDA_ERROR_INVALID_VALUE;
                    });
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray handle) {
  return with_owner("cuMipmappedArrayDestroy", Waits::yes, handle,
                    [&](Context& context) -> CUresult {
                      const auto* found = find_in(context.images.mipmaps, handle);
                      if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
                      for (const CUarray level : found->levels) context.images.arrays.erase(level);
                      if (found->range == nullptr) context.arena.free(found->address);
                      context.images.mipmaps.erase(handle);
                      return CUDA_SUCCESS;
                    });
}

// No array here has a format with planes.
CUresult cuArrayGetPlane(CUarray*, CUarray handle, unsigned int) {
  return with_owner_reports(
      "cuArrayGetPlane", Waits::no, handle, [&](Context& context) -> CUresult {
        return context.images.find(handle) == nullptr
                   ? CUDA_ERROR_INVALID_HANDLE
                   : fail(CUDA_ERROR_INVALID_VALUE, "the array's format has no planes");
      });
}

}  // extern "C"
