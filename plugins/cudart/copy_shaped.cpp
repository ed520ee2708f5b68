// Copies of rows and slices, of arrays, of variables, and between devices.
#include <algorithm>
#include <bit>
#include <cstddef>

#include "api.hpp"
#include "copy.hpp"
#include "registry.hpp"
#include "runtime.hpp"

namespace warpmark::cudart {
namespace {

cudaError_t copy_rows(const Place& to, const Place& from, size_t width, size_t height,
                      cudaMemcpyKind kind, When when) {
  if (!is_kind(kind)) return cudaErrorInvalidMemcpyDirection;
  if ((to.array == nullptr && width > to.pitch) || (from.array == nullptr && width > from.pitch))
    return cudaErrorInvalidPitchValue;
  return run_copy(make_copy(to, from, width, height, 1, kind), when);
}

Place rows(const void* pointer, size_t pitch) {
  return {pointer, pitch, 0, nullptr, 0, 0, 0};
}
Place in_array(cudaArray_const_t array, size_t x, size_t y) {
  return {nullptr, 0, 0, array, x, y, 0};
}

// Bytes that run on from the end of an array's row to the beginning of the next: a rest of the
// first row, whole rows, and a part of the last. `each` copies one such piece.
template <typename Each>
cudaError_t for_pieces(cudaArray_const_t array, size_t x, size_t y, size_t bytes, Each each) {
  if (array == nullptr) return cudaErrorInvalidValue;
  cudaExtent extent{};
  const cudaError_t result =
      api::cudaArrayGetInfo(nullptr, &extent, nullptr, const_cast<cudaArray_t>(array));
  if (result != cudaSuccess) return result;
  const size_t row = extent.width * element_bytes(array);
  for (size_t done = 0; done < bytes;) {
    const size_t left = bytes - done;
    const size_t height = x == 0 && left >= row ? left / row : 1;
    const size_t width = height > 1 || (x == 0 && left >= row) ? row : std::min(left, row - x);
    const cudaError_t piece = each(done, x, y, width, height);
    if (piece != cudaSuccess) return piece;
    done += width * height;
    y += height;
    x = 0;
  }
  return cudaSuccess;
}

}  // namespace

cudaError_t copy_2d(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                    size_t height, cudaMemcpyKind kind, When when) {
  return copy_rows(rows(to, to_pitch), rows(from, from_pitch), width, height, kind, when);
}

cudaError_t copy_2d_to_array(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                             size_t width, size_t height, cudaMemcpyKind kind, When when) {
  return copy_rows(in_array(to, x, y), rows(from, pitch), width, height, kind, when);
}

cudaError_t copy_2d_from_array(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                               size_t width, size_t height, cudaMemcpyKind kind, When when) {
  return copy_rows(rows(to, pitch), in_array(from, x, y), width, height, kind, when);
}

cudaError_t copy_to_array(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                          cudaMemcpyKind kind, When when) {
  return for_pieces(to, x, y, bytes,
                    [&](size_t done, size_t left, size_t top, size_t width, size_t height) {
                      return copy_rows(in_array(to, left, top),
                                       rows(static_cast<const char*>(from) + done, width), width,
                                       height, kind, when);
                    });
}

cudaError_t copy_from_array(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                            cudaMemcpyKind kind, When when) {
  return for_pieces(from, x, y, bytes,
                    [&](size_t done, size_t left, size_t top, size_t width, size_t height) {
                      return copy_rows(rows(static_cast<char*>(to) + done, width),
                                       in_array(from, left, top), width, height, kind, when);
                    });
}

cudaError_t copy_to_symbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                           cudaMemcpyKind kind, When when) {
  if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice &&
      kind != cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  void* part = nullptr;
  const cudaError_t result = part_of_variable(symbol, bytes, offset, part);
  return result != cudaSuccess ? result : copy_bytes(part, from, bytes, kind, when);
}

cudaError_t copy_from_symbol(void* to, const void* symbol, size_t bytes, size_t offset,
                             cudaMemcpyKind kind, When when) {
  if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice &&
      kind != cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  void* part = nullptr;
  const cudaError_t result = part_of_variable(symbol, bytes, offset, part);
  return result != cudaSuccess ? result : copy_bytes(to, part, bytes, kind, when);
}

cudaError_t copy_box(const cudaMemcpy3DParms* parameters, When when) {
  if (parameters == nullptr) return cudaErrorInvalidValue;
  CUDA_MEMCPY3D copy{};
  const cudaError_t result = convert_copy(*parameters, copy);
  return result != cudaSuccess ? result : run_copy(copy, when);
}

cudaError_t copy_box_between(const cudaMemcpy3DPeerParms* parameters, When when) {
  if (parameters == nullptr) return cudaErrorInvalidValue;
  cudaMemcpy3DParms plain{parameters->srcArray, parameters->srcPos,      parameters->srcPtr,
                          parameters->dstArray, parameters->dstPos,      parameters->dstPtr,
                          parameters->extent,   cudaMemcpyDeviceToDevice};
  CUDA_MEMCPY3D copy{};
  cudaError_t result = convert_copy(plain, copy);
  // It has contexts where a copy of one device has reserved members.
  static_assert(offsetof(CUDA_MEMCPY3D_PEER, srcContext) == offsetof(CUDA_MEMCPY3D, reserved0) &&
                offsetof(CUDA_MEMCPY3D_PEER, dstContext) == offsetof(CUDA_MEMCPY3D, reserved1));
  auto peer = std::bit_cast<CUDA_MEMCPY3D_PEER>(copy);
  if (result == cudaSuccess) result = primary_context(parameters->srcDevice, peer.srcContext);
  if (result == cudaSuccess) result = primary_context(parameters->dstDevice, peer.dstContext);
  if (result != cudaSuccess) return result;
  return error_of(when.waits ? driver().cuMemcpy3DPeer(&peer)
                             : driver().cuMemcpy3DPeerAsync(&peer, when.stream));
}

namespace api {

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                     cudaArray_const_t from, size_t from_x, size_t from_y,
                                     size_t width, size_t height, cudaMemcpyKind kind) {
  return copy_rows(in_array(to, to_x, to_y), in_array(from, from_x, from_y), width, height, kind,
                   {});
}

// Copies pieces of rows, which must begin in the same column in both arrays.
cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                   size_t from_x, size_t from_y, size_t bytes,
                                   cudaMemcpyKind kind) {
  return for_pieces(from, from_x, from_y, bytes,
                    [&](size_t, size_t left, size_t top, size_t width, size_t height) {
                      return copy_rows(in_array(to, to_x + left - from_x, to_y + top - from_y),
                                       in_array(from, left, top), width, height, kind, {});
                    });
}

}  // namespace api
}  // namespace warpmark::cudart
