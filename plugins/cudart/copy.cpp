// Linear copies, and how all others are said to the driver.
#include "copy.hpp"

#include "api.hpp"
#include "runtime.hpp"

namespace warpmark::cudart {
namespace {

CUarray driver_array(cudaArray_const_t array) {
  return reinterpret_cast<CUarray>(const_cast<cudaArray_t>(array));
}

}  // namespace

bool is_kind(cudaMemcpyKind kind) {
  const auto number = static_cast<unsigned int>(kind);
  return number <= cudaMemcpyDefault;
}

// The memory of a copy's one side, which is the host's for the kind `host` and between hosts.
CUmemorytype memory_type(cudaMemcpyKind kind, cudaMemcpyKind host) {
  if (kind == cudaMemcpyDefault) return CU_MEMORYTYPE_UNIFIED;
  return kind == cudaMemcpyHostToHost || kind == host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

CUDA_MEMCPY3D make_copy(const Place& to, const Place& from, std::size_t width, std::size_t height,
                        std::size_t depth, cudaMemcpyKind kind) {
  CUDA_MEMCPY3D copy{};
  copy.srcXInBytes = from.x;
  copy.srcY = from.y;
  copy.srcZ = from.z;
  copy.srcPitch = from.pitch;
  copy.srcHeight = from.height;
  if (from.array != nullptr) {
    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.srcArray = driver_array(from.array);
  } else {
    copy.srcMemoryType = memory_type(kind, cudaMemcpyHostToDevice);
    copy.srcHost = from.pointer;
    copy.srcDevice = address_of(from.pointer);
  }
  copy.dstXInBytes = to.x;
  copy.dstY = to.y;
  copy.dstZ = to.z;
  copy.dstPitch = to.pitch;
  copy.dstHeight = to.height;
  if (to.array != nullptr) {
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = driver_array(to.array);
  } else {
    copy.dstMemoryType = memory_type(kind, cudaMemcpyDeviceToHost);
    copy.dstHost = const_cast<void*>(to.pointer);
    copy.dstDevice = address_of(to.pointer);
  }
  copy.WidthInBytes = width;
  copy.Height = height;
  copy.Depth = depth;
  return copy;
}

std::size_t element_bytes(cudaArray_const_t array) {
  CUDA_ARRAY3D_DESCRIPTOR descriptor{};
  if (array == nullptr ||
      driver().cuArray3DGetDescriptor(&descriptor, driver_array(array)) != CUDA_SUCCESS)
    return 1;
  switch (descriptor.Format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
    case CU_AD_FORMAT_UNORM_INT8X1:
    case CU_AD_FORMAT_SNORM_INT8X1:
      return descriptor.NumChannels;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
    case CU_AD_FORMAT_UNORM_INT16X1:
    case CU_AD_FORMAT_SNORM_INT16X1:
      return std::size_t{2} * descriptor.NumChannels;
    default:
      return std::size_t{4} * descriptor.NumChannels;
  }
}

// With an array on either side, widths and offsets count its elements; otherwise they are bytes.
cudaError_t convert_copy(const cudaMemcpy3DParms& from, CUDA_MEMCPY3D& copy) {
  const bool from_array = from.srcArray != nullptr, to_array = from.dstArray != nullptr;
  if (from_array == (from.srcPtr.ptr != nullptr) || to_array == (from.dstPtr.ptr != nullptr))
    return cudaErrorInvalidValue;
  if (!is_kind(from.kind)) return cudaErrorInvalidMemcpyDirection;
  const std::size_t source = element_bytes(from.srcArray), target = element_bytes(from.dstArray);
  const std::size_t width = from_array ? source : target;
  const Place begin{from.srcPtr.ptr,        from.srcPtr.pitch, from.srcPtr.ysize, from.srcArray,
                    from.srcPos.x * source, from.srcPos.y,     from.srcPos.z};
  const Place end{from.dstPtr.ptr,        from.dstPtr.pitch, from.dstPtr.ysize, from.dstArray,
                  from.dstPos.x * target, from.dstPos.y,     from.dstPos.z};
  copy = make_copy(end, begin, from.extent.width * width, from.extent.height, from.extent.depth,
                   from.kind);
  return cudaSuccess;
}

cudaError_t convert_back(const CUDA_MEMCPY3D& copy, cudaMemcpy3DParms& to) {
  const auto pointer = [](CUmemorytype type, const void* host, CUdeviceptr device) {
    return type == CU_MEMORYTYPE_HOST ? const_cast<void*>(host) : pointer_to(device);
  };
  to = {};
  // The width of rows is no part of a node: a GPU's runtime says 0, too.
  if (copy.srcMemoryType == CU_MEMORYTYPE_ARRAY)
    to.srcArray = reinterpret_cast<cudaArray_t>(copy.srcArray);
  else
    to.srcPtr = {pointer(copy.srcMemoryType, copy.srcHost, copy.srcDevice), copy.srcPitch, 0,
                 copy.srcHeight};
  if (copy.dstMemoryType == CU_MEMORYTYPE_ARRAY)
    to.dstArray = reinterpret_cast<cudaArray_t>(copy.dstArray);
  else
    to.dstPtr = {pointer(copy.dstMemoryType, copy.dstHost, copy.dstDevice), copy.dstPitch, 0,
                 copy.dstHeight};
  const std::size_t source = element_bytes(to.srcArray), target = element_bytes(to.dstArray);
  to.srcPos = {copy.srcXInBytes / source, copy.srcY, copy.srcZ};
  to.dstPos = {copy.dstXInBytes / target, copy.dstY, copy.dstZ};
  to.extent = {copy.WidthInBytes / (to.srcArray != nullptr ? source : target), copy.Height,
               copy.Depth};
  const bool from_host = copy.srcMemoryType == CU_MEMORYTYPE_HOST;
  const bool to_host = copy.dstMemoryType == CU_MEMORYTYPE_HOST;
  const bool unified =
      copy.srcMemoryType == CU_MEMORYTYPE_UNIFIED || copy.dstMemoryType == CU_MEMORYTYPE_UNIFIED;
  to.kind = unified     ? cudaMemcpyDefault
            : from_host ? (to_host ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice)
            : to_host   ? cudaMemcpyDeviceToHost
                        : cudaMemcpyDeviceToDevice;
  return cudaSuccess;
}

cudaError_t copy_bytes(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                       When when) {
  if (!is_kind(kind)) return cudaErrorInvalidMemcpyDirection;
  if (bytes == 0) return cudaSuccess;
  if (to == nullptr || from == nullptr) return cudaErrorInvalidValue;
  const Driver& call = driver();
  const CUdeviceptr target = address_of(to), source = address_of(from);
  if (when.waits) {
    switch (kind) {
      case cudaMemcpyHostToDevice:
        return error_of(call.cuMemcpyHtoD(target, from, bytes));
      case cudaMemcpyDeviceToHost:
        return error_of(call.cuMemcpyDtoH(to, source, bytes));
      case cudaMemcpyDeviceToDevice:
        return error_of(call.cuMemcpyDtoD(target, source, bytes));
      default:
        return error_of(call.cuMemcpy(target, source, bytes));
    }
  }
  switch (kind) {
    case cudaMemcpyHostToDevice:
      return error_of(call.cuMemcpyHtoDAsync(target, from, bytes, when.stream));
    case cudaMemcpyDeviceToHost:
      return error_of(call.cuMemcpyDtoHAsync(to, source, bytes, when.stream));
    case cudaMemcpyDeviceToDevice:
      return error_of(call.cuMemcpyDtoDAsync(target, source, bytes, when.stream));
    default:
      return error_of(call.cuMemcpyAsync(target, source, bytes, when.stream));
  }
}

cudaError_t run_copy(const CUDA_MEMCPY3D& copy, When when) {
  if (copy.WidthInBytes == 0 || copy.Height == 0 || copy.Depth == 0) return cudaSuccess;
  return error_of(when.waits ? driver().cuMemcpy3D(&copy)
                             : driver().cuMemcpy3DAsync(&copy, when.stream));
}

namespace api {

// The driver's structures have the same layout.
static_assert(sizeof(cudaMemcpyAttributes) == sizeof(CUmemcpyAttributes) &&
              sizeof(cudaMemcpy3DBatchOp) == sizeof(CUDA_MEMCPY3D_BATCH_OP));

cudaError_t cudaMemcpyBatchAsync(void* const* to, const void* const* from, const size_t* bytes,
                                 size_t count, cudaMemcpyAttributes* attributes,
                                 size_t* attribute_indices, size_t attribute_count,
                                 cudaStream_t stream) {
  return error_of(driver().cuMemcpyBatchAsync(
      same<CUdeviceptr>(const_cast<void**>(to)), same<CUdeviceptr>(const_cast<const void**>(from)),
      const_cast<size_t*>(bytes), count, same<CUmemcpyAttributes>(attributes), attribute_indices,
      attribute_count, stream));
}

}  // namespace api
}  // namespace warpmark::cudart
