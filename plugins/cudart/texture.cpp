// Texture and surface objects.
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "api.hpp"
#include "format.hpp"
#include "runtime.hpp"

namespace warpmark::cudart::api {
namespace {

// The kinds of resources have the driver's numbers. CUDA 13's `flags` must be 0, and CUDA 12's
// structure ends before them.
cudaError_t convert(const cudaResourceDesc& from, CUDA_RESOURCE_DESC& to) {
  to = {};
  to.resType = static_cast<CUresourcetype>(from.resType);
  switch (from.resType) {
    case cudaResourceTypeArray:
      to.res.array.hArray = reinterpret_cast<CUarray>(from.res.array.array);
      return cudaSuccess;
    case cudaResourceTypeMipmappedArray:
      to.res.mipmap.hMipmappedArray = reinterpret_cast<CUmipmappedArray>(from.res.mipmap.mipmap);
      return cudaSuccess;
    case cudaResourceTypeLinear:
      to.res.linear.devPtr = address_of(from.res.linear.devPtr);
      to.res.linear.sizeInBytes = from.res.linear.sizeInBytes;
      return driver_format(from.res.linear.desc, to.res.linear.format, to.res.linear.numChannels)
                 ? cudaSuccess
                 : cudaErrorInvalidChannelDescriptor;
    case cudaResourceTypePitch2D:
      to.res.pitch2D.devPtr = address_of(from.res.pitch2D.devPtr);
      to.res.pitch2D.width = from.res.pitch2D.width;
      to.res.pitch2D.height = from.res.pitch2D.height;
      to.res.pitch2D.pitchInBytes = from.res.pitch2D.pitchInBytes;
      return driver_format(from.res.pitch2D.desc, to.res.pitch2D.format, to.res.pitch2D.numChannels)
                 ? cudaSuccess
                 : cudaErrorInvalidChannelDescriptor;
    default:
      return cudaErrorInvalidValue;
  }
}

void convert_back(const CUDA_RESOURCE_DESC& from, cudaResourceDesc& to) {
  to.resType = static_cast<cudaResourceType>(from.resType);
  switch (to.resType) {
    case cudaResourceTypeMipmappedArray:
      to.res.mipmap.mipmap =
          reinterpret_cast<cudaMipmappedArray_t>(from.res.mipmap.hMipmappedArray);
      break;
    case cudaResourceTypeLinear:
      to.res.linear.devPtr = pointer_to(from.res.linear.devPtr);
      to.res.linear.desc = channels_of(from.res.linear.format, from.res.linear.numChannels);
      to.res.linear.sizeInBytes = from.res.linear.sizeInBytes;
      break;
    case cudaResourceTypePitch2D:
      to.res.pitch2D.devPtr = pointer_to(from.res.pitch2D.devPtr);
      to.res.pitch2D.desc = channels_of(from.res.pitch2D.format, from.res.pitch2D.numChannels);
      to.res.pitch2D.width = from.res.pitch2D.width;
      to.res.pitch2D.height = from.res.pitch2D.height;
      to.res.pitch2D.pitchInBytes = from.res.pitch2D.pitchInBytes;
      break;
    default:
      to.res.array.array = reinterpret_cast<cudaArray_t>(from.res.array.hArray);
  }
}

CUDA_TEXTURE_DESC convert(const cudaTextureDesc& from) {
  CUDA_TEXTURE_DESC to{};
  for (int i = 0; i < 3; ++i) to.addressMode[i] = static_cast<CUaddress_mode>(from.addressMode[i]);
  to.filterMode = static_cast<CUfilter_mode>(from.filterMode);
  if (from.readMode == cudaReadModeElementType) to.flags |= CU_TRSF_READ_AS_INTEGER;
  if (from.normalizedCoords != 0) to.flags |= CU_TRSF_NORMALIZED_COORDINATES;
  if (from.sRGB != 0) to.flags |= CU_TRSF_SRGB;
  if (from.disableTrilinearOptimization != 0) to.flags |= CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION;
  if (from.seamlessCubemap != 0) to.flags |= CU_TRSF_SEAMLESS_CUBEMAP;
  to.maxAnisotropy = from.maxAnisotropy;
  to.mipmapFilterMode = static_cast<CUfilter_mode>(from.mipmapFilterMode);
  to.mipmapLevelBias = from.mipmapLevelBias;
  to.minMipmapLevelClamp = from.minMipmapLevelClamp;
  to.maxMipmapLevelClamp = from.maxMipmapLevelClamp;
  std::ranges::copy(from.borderColor, to.borderColor);
  return to;
}

cudaTextureDesc convert_back(const CUDA_TEXTURE_DESC& from) {
  cudaTextureDesc to{};
  for (int i = 0; i < 3; ++i)
    to.addressMode[i] = static_cast<cudaTextureAddressMode>(from.addressMode[i]);
  to.filterMode = static_cast<cudaTextureFilterMode>(from.filterMode);
  to.readMode = (from.flags & CU_TRSF_READ_AS_INTEGER) != 0 ? cudaReadModeElementType
                                                            : cudaReadModeNormalizedFloat;
  to.normalizedCoords = (from.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0 ? 1 : 0;
  to.sRGB = (from.flags & CU_TRSF_SRGB) != 0 ? 1 : 0;
  to.disableTrilinearOptimization =
      (from.flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION) != 0 ? 1 : 0;
  to.seamlessCubemap = (from.flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0 ? 1 : 0;
  to.maxAnisotropy = from.maxAnisotropy;
  to.mipmapFilterMode = static_cast<cudaTextureFilterMode>(from.mipmapFilterMode);
  to.mipmapLevelBias = from.mipmapLevelBias;
  to.minMipmapLevelClamp = from.minMipmapLevelClamp;
  to.maxMipmapLevelClamp = from.maxMipmapLevelClamp;
  std::ranges::copy(from.borderColor, to.borderColor);
  return to;
}

// The same layout, but that CUDA 12's structure ends before the reserved part.
constexpr std::size_t kViewBytes = offsetof(cudaResourceViewDesc, reserved);
static_assert(kViewBytes == offsetof(CUDA_RESOURCE_VIEW_DESC, reserved));

// Numbers are interpolated only where they are read as fractions.
cudaError_t check(const cudaResourceDesc& resource, const cudaTextureDesc& texture) {
  cudaChannelFormatDesc channels{};
  if (resource.resType == cudaResourceTypeArray) {
    const cudaError_t result = api::cudaGetChannelDesc(&channels, resource.res.array.array);
    if (result != cudaSuccess) return result;
  } else if (resource.resType == cudaResourceTypePitch2D) {
    channels = resource.res.pitch2D.desc;
  } else {
    return cudaSuccess;
  }
  const bool whole =
      channels.f == cudaChannelFormatKindSigned || channels.f == cudaChannelFormatKindUnsigned;
  if (whole && texture.readMode == cudaReadModeNormalizedFloat && channels.x == 32)
    return cudaErrorInvalidNormSetting;
  if (whole && texture.readMode == cudaReadModeElementType &&
      texture.filterMode == cudaFilterModeLinear)
    return cudaErrorInvalidFilterSetting;
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* texture,
                                    const cudaResourceViewDesc* view) {
  if (object == nullptr || resource == nullptr || texture == nullptr) return cudaErrorInvalidValue;
  CUDA_RESOURCE_DESC of{};
  cudaError_t result = convert(*resource, of);
  if (result == cudaSuccess) result = check(*resource, *texture);
  if (result != cudaSuccess) return result;
  const CUDA_TEXTURE_DESC how = convert(*texture);
  CUDA_RESOURCE_VIEW_DESC part{};
  if (view != nullptr) std::memcpy(&part, view, kViewBytes);
  return error_of(driver().cuTexObjectCreate(object, &of, &how, view != nullptr ? &part : nullptr));
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  return object == 0 ? cudaSuccess : error_of(driver().cuTexObjectDestroy(object));
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaTextureObject_t object) {
  if (resource == nullptr) return cudaErrorInvalidValue;
  CUDA_RESOURCE_DESC found{};
  const CUresult result = driver().cuTexObjectGetResourceDesc(&found, object);
  if (result == CUDA_SUCCESS) convert_back(found, *resource);
  return error_of(result);
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* texture, cudaTextureObject_t object) {
  if (texture == nullptr) return cudaErrorInvalidValue;
  CUDA_TEXTURE_DESC found{};
  const CUresult result = driver().cuTexObjectGetTextureDesc(&found, object);
  if (result == CUDA_SUCCESS) *texture = convert_back(found);
  return error_of(result);
}

cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc* view,
                                                 cudaTextureObject_t object) {
  if (view == nullptr) return cudaErrorInvalidValue;
  CUDA_RESOURCE_VIEW_DESC found{};
  const CUresult result = driver().cuTexObjectGetResourceViewDesc(&found, object);
  if (result == CUDA_SUCCESS) std::memcpy(static_cast<void*>(view), &found, kViewBytes);
  return error_of(result);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource) {
  if (object == nullptr || resource == nullptr) return cudaErrorInvalidValue;
  CUDA_RESOURCE_DESC of{};
  const cudaError_t result = convert(*resource, of);
  return result != cudaSuccess ? result : error_of(driver().cuSurfObjectCreate(object, &of));
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  return object == 0 ? cudaSuccess : error_of(driver().cuSurfObjectDestroy(object));
}

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaSurfaceObject_t object) {
  if (resource == nullptr) return cudaErrorInvalidValue;
  CUDA_RESOURCE_DESC found{};
  const CUresult result = driver().cuSurfObjectGetResourceDesc(&found, object);
  if (result == CUDA_SUCCESS) convert_back(found, *resource);
  return error_of(result);
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t* width,
                                                 const cudaChannelFormatDesc* channels,
                                                 int device) {
  CUarray_format format{};
  unsigned int count = 0;
  if (channels == nullptr || !driver_format(*channels, format, count))
    return cudaErrorInvalidChannelDescriptor;
  return error_of(driver().cuDeviceGetTexture1DLinearMaxWidth(width, format, count, device));
}

}  // namespace warpmark::cudart::api
