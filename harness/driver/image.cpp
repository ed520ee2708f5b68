#include "driver/image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"

namespace warpmark {

std::optional<CUarray_format> image_format(const DType& dtype) {
  // CUDA driver API, CUarray_format.
  const std::pair<const char*, CUarray_format> formats[] = {
      {"uint8", CU_AD_FORMAT_UNSIGNED_INT8},   {"uint16", CU_AD_FORMAT_UNSIGNED_INT16},
      {"uint32", CU_AD_FORMAT_UNSIGNED_INT32}, {"int8", CU_AD_FORMAT_SIGNED_INT8},
      {"int16", CU_AD_FORMAT_SIGNED_INT16},    {"int32", CU_AD_FORMAT_SIGNED_INT32},
      {"float16", CU_AD_FORMAT_HALF},          {"float32", CU_AD_FORMAT_FLOAT}};
  for (const auto& [name, format] : formats) {
    if (dtype.name == name) return format;
  }
  return std::nullopt;
}

bool Image::is_there(const Context& context) {
  const DriverTable& table = context.table();
  return table.array_3d_create && table.memcpy_3d && table.tex_object_create &&
         table.surf_object_create;
}

Image::Image(const std::shared_ptr<const Context>& context, ImageConfig config)
    : context_(context), config_(std::move(config)) {
  const auto format = image_format(config_.dtype);
  if (!format) throw internal_error("no texture has such elements: " + config_.name);
  const ScopedContext current(*context_);
  const DriverTable& table = context_->table();
  const auto object = [this] { return identify(); };
  CUDA_ARRAY3D_DESCRIPTOR shape{};
  shape.Width = config_.extents[0];
  shape.Height = config_.extents[1];
  shape.Depth = config_.extents[2];
  shape.Format = *format;
  shape.NumChannels = config_.channels;
  shape.Flags = config_.surface ? CUDA_ARRAY3D_SURFACE_LDST : 0;
  CUarray array = nullptr;
  context_->driver().call(table.array_3d_create, object, &array, &shape);
  array_ = {context_, array};
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  if (config_.surface) {
    CUsurfObject surface = 0;
    context_->driver().call(table.surf_object_create, object, &surface, &resource);
    surface_ = {context_, surface};
    return;
  }
  CUDA_TEXTURE_DESC sampling{};
  std::ranges::copy(config_.address, sampling.addressMode);
  sampling.filterMode = config_.linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
  const bool is_float = config_.dtype.kind == DTypeKind::floating;
  if (config_.normalized) sampling.flags |= CU_TRSF_NORMALIZED_COORDINATES;
  if (!config_.read_normalized && !is_float) sampling.flags |= CU_TRSF_READ_AS_INTEGER;
  CUtexObject texture = 0;
  context_->driver().call(table.tex_object_create, object, &texture, &resource, &sampling, nullptr);
  texture_ = {context_, texture};
}

size_t Image::bytes() const {
  size_t bytes = size_t{config_.dtype.bytes} * config_.channels;
  for (const size_t extent : config_.extents) bytes *= std::max<size_t>(extent, 1);
  return bytes;
}

// The whole array; the host's side is left to the caller.
CUDA_MEMCPY3D Image::copy() const {
  CUDA_MEMCPY3D copy{};
  copy.WidthInBytes = config_.extents[0] * config_.dtype.bytes * config_.channels;
  copy.Height = std::max<size_t>(config_.extents[1], 1);
  copy.Depth = std::max<size_t>(config_.extents[2], 1);
  return copy;
}

void Image::upload(std::span<const std::byte> from) {
  if (from.size() != bytes()) throw internal_error("an image of another size: " + config_.name);
  CUDA_MEMCPY3D all = copy();
  all.srcMemoryType = CU_MEMORYTYPE_HOST;
  all.srcHost = from.data();
  all.srcPitch = all.WidthInBytes;
  all.srcHeight = all.Height;
  all.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  all.dstArray = array_.get();
  context_->call(
      &DriverTable::memcpy_3d, [this] { return identify(); }, &all);
  context_->synchronize();
}

void Image::download(std::span<std::byte> to) const {
  if (to.size() != bytes()) throw internal_error("an image of another size: " + config_.name);
  CUDA_MEMCPY3D all = copy();
  all.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  all.srcArray = array_.get();
  all.dstMemoryType = CU_MEMORYTYPE_HOST;
  all.dstHost = to.data();
  all.dstPitch = all.WidthInBytes;
  all.dstHeight = all.Height;
  context_->call(
      &DriverTable::memcpy_3d, [this] { return identify(); }, &all);
}

void Image::fill(unsigned char value) {
  upload(std::vector<std::byte>(bytes(), std::byte{value}));
}

std::string Image::identify() const {
  return fmt::format("the {} `{}`, {}", config_.surface ? "surface" : "texture", config_.name,
                     context_->identify());
}

}  // namespace warpmark
