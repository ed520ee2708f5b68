// Arrays, mipmapped arrays, and the formats of their elements.
#include "api.hpp"
#include "format.hpp"
#include "runtime.hpp"

namespace warpmark::cudart {
namespace {

struct Format {
  cudaChannelFormatKind kind;
  CUarray_format format;
  unsigned int channels;
  int bits;
};

constexpr Format kFormats[] = {
#define FORMAT(kind, format, channels, bits) {kind, format, channels, bits},
#include "format.def"
};

bool plain_format(cudaChannelFormatKind kind, int bits, CUarray_format& format) {
  switch (kind) {
    case cudaChannelFormatKindSigned:
      format = bits == 8    ? CU_AD_FORMAT_SIGNED_INT8
               : bits == 16 ? CU_AD_FORMAT_SIGNED_INT16
                            : CU_AD_FORMAT_SIGNED_INT32;
      return bits == 8 || bits == 16 || bits == 32;
    case cudaChannelFormatKindUnsigned:
      format = bits == 8    ? CU_AD_FORMAT_UNSIGNED_INT8
               : bits == 16 ? CU_AD_FORMAT_UNSIGNED_INT16
                            : CU_AD_FORMAT_UNSIGNED_INT32;
      return bits == 8 || bits == 16 || bits == 32;
    case cudaChannelFormatKindFloat:
      format = bits == 16 ? CU_AD_FORMAT_HALF : CU_AD_FORMAT_FLOAT;
      return bits == 16 || bits == 32;
    default:
      return false;
  }
}

cudaChannelFormatDesc channels(unsigned int count, int bits, cudaChannelFormatKind kind) {
  return {bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0, kind};
}

}  // namespace

bool driver_format(const cudaChannelFormatDesc& from, CUarray_format& format, unsigned int& count) {
  for (const Format& each : kFormats) {
    if (each.kind != from.f) continue;
    format = each.format;
    count = each.channels;
    return true;
  }
  count = from.w != 0 ? 4 : from.z != 0 ? 3 : from.y != 0 ? 2 : 1;
  const bool alike = (count < 2 || from.y == from.x) && (count < 3 || from.z == from.x) &&
                     (count < 4 || from.w == from.x);
  return alike && count != 3 && plain_format(from.f, from.x, format);
}

cudaChannelFormatDesc channels_of(CUarray_format format, unsigned int count) {
  for (const Format& each : kFormats) {
    if (each.format == format) return channels(each.channels, each.bits, each.kind);
  }
  const auto number = static_cast<unsigned int>(format);
  if (format == CU_AD_FORMAT_HALF) return channels(count, 16, cudaChannelFormatKindFloat);
  if (format == CU_AD_FORMAT_FLOAT) return channels(count, 32, cudaChannelFormatKindFloat);
  // 1, 2, 3 are unsigned numbers of 8, 16 and 32 bits, and 8, 9, 10 signed ones.
  const bool with_sign = number >= CU_AD_FORMAT_SIGNED_INT8;
  const int bits =
      8 << (with_sign ? number - CU_AD_FORMAT_SIGNED_INT8 : number - CU_AD_FORMAT_UNSIGNED_INT8);
  return channels(count, bits,
                  with_sign ? cudaChannelFormatKindSigned : cudaChannelFormatKindUnsigned);
}

namespace api {
namespace {

cudaError_t describe(const cudaChannelFormatDesc* channels, const cudaExtent& extent,
                     unsigned int flags, CUDA_ARRAY3D_DESCRIPTOR& descriptor) {
  if (channels == nullptr) return cudaErrorInvalidValue;
  if (!driver_format(*channels, descriptor.Format, descriptor.NumChannels))
    return cudaErrorInvalidChannelDescriptor;
  descriptor.Width = extent.width;
  descriptor.Height = extent.height;
  descriptor.Depth = extent.depth;
  descriptor.Flags = flags;  // they have the driver's numbers
  return cudaSuccess;
}

}  // namespace

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                            cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* channels,
                              cudaExtent extent, unsigned int flags) {
  if (array == nullptr) return cudaErrorInvalidValue;
  CUDA_ARRAY3D_DESCRIPTOR descriptor{};
  const cudaError_t result = describe(channels, extent, flags, descriptor);
  if (result != cudaSuccess) return result;
  return error_of(driver().cuArray3DCreate(same<CUarray>(array), &descriptor));
}

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* channels, size_t width,
                            size_t height, unsigned int flags) {
  return api::cudaMalloc3DArray(array, channels, {width, height, 0}, flags);
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* array,
                                     const cudaChannelFormatDesc* channels, cudaExtent extent,
                                     unsigned int levels, unsigned int flags) {
  if (array == nullptr) return cudaErrorInvalidValue;
  CUDA_ARRAY3D_DESCRIPTOR descriptor{};
  const cudaError_t result = describe(channels, extent, flags, descriptor);
  if (result != cudaSuccess) return result;
  return error_of(
      driver().cuMipmappedArrayCreate(same<CUmipmappedArray>(array), &descriptor, levels));
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t* level, cudaMipmappedArray_const_t array,
                                       unsigned int number) {
  auto* mipmapped = const_cast<cudaMipmappedArray_t>(array);
  return error_of(driver().cuMipmappedArrayGetLevel(
      same<CUarray>(level), reinterpret_cast<CUmipmappedArray>(mipmapped), number));
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  if (array == nullptr) return cudaSuccess;
  return error_of(driver().cuArrayDestroy(reinterpret_cast<CUarray>(array)));
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array) {
  if (array == nullptr) return cudaSuccess;
  return error_of(driver().cuMipmappedArrayDestroy(reinterpret_cast<CUmipmappedArray>(array)));
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* channels, cudaExtent* extent,
                             unsigned int* flags, cudaArray_t array) {
  CUDA_ARRAY3D_DESCRIPTOR descriptor{};
  const CUresult result =
      driver().cuArray3DGetDescriptor(&descriptor, reinterpret_cast<CUarray>(array));
  if (result != CUDA_SUCCESS) return error_of(result);
  if (channels != nullptr) *channels = channels_of(descriptor.Format, descriptor.NumChannels);
  if (extent != nullptr) *extent = {descriptor.Width, descriptor.Height, descriptor.Depth};
  if (flags != nullptr) *flags = descriptor.Flags;
  return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* channels, cudaArray_const_t array) {
  return api::cudaArrayGetInfo(channels, nullptr, nullptr, const_cast<cudaArray_t>(array));
}

}  // namespace api
}  // namespace warpmark::cudart
