// cuTensorMapEncode… and cuTensorMapReplaceAddress: descriptions of tensors, checked and
// sealed.
#include "machine/tensor_map.hpp"

#include <cstdint>
#include <cstring>
#include <string>

#include "api/number.hpp"
#include "api/state.hpp"

namespace warpmark::cpu {
namespace {

// In no manual: a driver of version 580 takes boxes of 228 KiB, and none of 256.
constexpr std::uint64_t kBoxEnd = std::uint64_t{256} << 10;

CUresult invalid(const std::string& why) {
  return fail(CUDA_ERROR_INVALID_VALUE, "cuTensorMap: " + why);
}

// The parameters that both kinds of maps have for a tensor.
struct Description {
  unsigned int type, interleave, swizzle, promotion, fill;  // any numbers, as enumerations may not
  cuuint32_t rank;
  void* address;
  const cuuint64_t *dims, *strides;
  const cuuint32_t* steps;
};

CUresult describe(const Description& given, TensorMap& map) {
  if (given.rank == 0 || given.rank > TensorMap::kMostRank)
    return invalid("a tensor has 1 to 5 dimensions");
  // The strides, too, where there are none.
  if (given.dims == nullptr || given.strides == nullptr || given.steps == nullptr)
    return invalid("null pointer");
  const unsigned int type = given.type, pattern = given.swizzle;
  const unsigned int layout = given.interleave, fill = given.fill;
  if (type > CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B || layout > CU_TENSOR_MAP_INTERLEAVE_32B ||
      pattern > CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B ||
      given.promotion > CU_TENSOR_MAP_L2_PROMOTION_L2_256B ||
      fill > CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA)
    return invalid("unknown enumerator");
  if (type > CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ)
    return invalid("packed data types need compute capability 10.0");
  if (pattern > CU_TENSOR_MAP_SWIZZLE_128B)
    return invalid("this swizzle needs compute capability 10.0");
  if (layout != CU_TENSOR_MAP_INTERLEAVE_NONE) {
    if (given.rank < 3) return invalid("an interleaved tensor has 3 to 5 dimensions");
    return fail(CUDA_ERROR_NOT_SUPPORTED, "interleaved tensors are not implemented on this device");
  }
  map.address = reinterpret_cast<std::uintptr_t>(given.address);
  map.rank = static_cast<std::uint8_t>(given.rank);
  map.type = static_cast<TensorMap::Type>(type);
  map.swizzle = static_cast<TensorMap::Swizzle>(pattern);
  map.nan_outside = static_cast<std::uint8_t>(fill);
  for (cuuint32_t d = 0; d < given.rank; ++d) {
    if (given.dims[d] == 0 || given.dims[d] > std::uint64_t{1} << 32)
      return invalid("a dimension has 1 to 2^32 elements");
    map.last[d] = static_cast<std::uint32_t>(given.dims[d] - 1);
    if (given.steps[d] == 0 || given.steps[d] > TensorMap::kMostStep)
      return invalid("an element stride is 1 to 8");
    // In the first dimension every element is copied, whatever step is given.
    map.steps[d] = d == 0 ? 1 : static_cast<std::uint8_t>(given.steps[d]);
  }
  for (cuuint32_t d = 0; d + 1 < given.rank; ++d) map.strides[d] = given.strides[d];
  return CUDA_SUCCESS;
}

CUresult finish(TensorMap& map, CUtensorMap* into) {
  if (const char* wrong = map.wrong(); wrong != nullptr) return invalid(wrong);
  map.make_seal();
  std::memcpy(into, &map, sizeof map);
  return CUDA_SUCCESS;
}

}  // namespace
}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuTensorMapEncodeTiled(CUtensorMap* tensorMap, CUtensorMapDataType tensorDataType,
                                cuuint32_t tensorRank, void* globalAddress,
                                const cuuint64_t* globalDim, const cuuint64_t* globalStrides,
                                const cuuint32_t* boxDim, const cuuint32_t* elementStrides,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion l2Promotion,
                                CUtensorMapFloatOOBfill oobFill) {
  return initialised("cuTensorMapEncodeTiled", [&]() -> CUresult {
    if (tensorMap == nullptr) return invalid("null pointer");
    TensorMap map;
    const CUresult result =
        describe({number_in(tensorDataType), number_in(interleave), number_in(swizzle),
                  number_in(l2Promotion), number_in(oobFill), tensorRank, globalAddress, globalDim,
                  globalStrides, elementStrides},
                 map);
    if (result != CUDA_SUCCESS) return result;
    if (boxDim == nullptr) return invalid("null pointer");
    for (cuuint32_t d = 0; d < tensorRank; ++d) {
      if (boxDim[d] > TensorMap::kMostBox) return invalid("a box has 1 to 256 elements");
      map.box[d] = static_cast<std::uint16_t>(boxDim[d]);
    }
    if (map.box_bytes() >= kBoxEnd) return invalid("a box has less than 256 KiB");
    return finish(map, tensorMap);
  });
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap* tensorMap, CUtensorMapDataType tensorDataType,
                                 cuuint32_t tensorRank, void* globalAddress,
                                 const cuuint64_t* globalDim, const cuuint64_t* globalStrides,
                                 const int* pixelBoxLowerCorner, const int* pixelBoxUpperCorner,
                                 cuuint32_t channelsPerPixel, cuuint32_t pixelsPerColumn,
                                 const cuuint32_t* elementStrides, CUtensorMapInterleave interleave,
                                 CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion,
                                 CUtensorMapFloatOOBfill oobFill) {
  return initialised("cuTensorMapEncodeIm2col", [&]() -> CUresult {
    if (tensorMap == nullptr) return invalid("null pointer");
    if (tensorRank < 3) return invalid("im2col needs 3 to 5 dimensions");
    TensorMap map;
    const CUresult result =
        describe({number_in(tensorDataType), number_in(interleave), number_in(swizzle),
                  number_in(l2Promotion), number_in(oobFill), tensorRank, globalAddress, globalDim,
                  globalStrides, elementStrides},
                 map);
    if (result != CUDA_SUCCESS) return result;
    if (pixelBoxLowerCorner == nullptr || pixelBoxUpperCorner == nullptr)
      return invalid("null pointer");
    if (channelsPerPixel > TensorMap::kMostBox || pixelsPerColumn > TensorMap::kMostPixels)
      return invalid("a column has at most 256 channels and 1024 pixels");
    map.im2col = 1;
    map.box.fill(1);
    map.box[0] = static_cast<std::uint16_t>(channelsPerPixel);
    map.pixels = static_cast<std::uint16_t>(pixelsPerColumn);
    for (std::uint32_t d = 0; d < map.spatial(); ++d) {
      const auto narrow = [](int corner) { return static_cast<std::int16_t>(corner); };
      map.lower[d] = narrow(pixelBoxLowerCorner[d]);
      map.upper[d] = narrow(pixelBoxUpperCorner[d]);
      if (map.lower[d] != pixelBoxLowerCorner[d] || map.upper[d] != pixelBoxUpperCorner[d])
        return invalid("a corner of the bounding box is too far away");
    }
    return finish(map, tensorMap);
  });
}

CUresult cuTensorMapReplaceAddress(CUtensorMap* tensorMap, void* globalAddress) {
  return initialised("cuTensorMapReplaceAddress", [&]() -> CUresult {
    if (tensorMap == nullptr) return invalid("null pointer");
    TensorMap map;
    std::memcpy(static_cast<void*>(&map), tensorMap, sizeof map);
    if (const char* complaint = map.complaint(); complaint != nullptr) return invalid(complaint);
    map.address = reinterpret_cast<std::uintptr_t>(globalAddress);
    return finish(map, tensorMap);
  });
}

}  // extern "C"
