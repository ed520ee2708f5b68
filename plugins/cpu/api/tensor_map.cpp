// cuTensorMapEncodeTiled and cuTensorMapReplaceAddress: descriptions of tensors, checked and
// sealed.
#include "machine/tensor_map.hpp"

#include <cstdint>
#include <cstring>
#include <string>

#include "api/number.hpp"
#include "api/state.hpp"

namespace warpmark::cpu {
namespace {

constexpr std::uint64_t kMapAlignment = 64;

bool aligned(const CUtensorMap* map) {
  return map != nullptr && reinterpret_cast<std::uintptr_t>(map) % kMapAlignment == 0;
}

CUresult invalid(const std::string& why) {
  return fail(CUDA_ERROR_INVALID_VALUE, "cuTensorMap: " + why);
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
    if (!aligned(tensorMap)) return invalid("the map needs an address that is a multiple of 64");
    if (tensorRank == 0 || tensorRank > TensorMap::kMostRank)
      return invalid("a tensor has 1 to 5 dimensions");
    if (globalDim == nullptr || boxDim == nullptr || elementStrides == nullptr ||
        globalAddress == nullptr || (globalStrides == nullptr && tensorRank > 1))
      return invalid("null pointer");
    const unsigned int type = number_in(tensorDataType), pattern = number_in(swizzle);
    const unsigned int layout = number_in(interleave), fill = number_in(oobFill);
    if (type > CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B || layout > CU_TENSOR_MAP_INTERLEAVE_32B ||
        pattern > CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B ||
        number_in(l2Promotion) > CU_TENSOR_MAP_L2_PROMOTION_L2_256B ||
        fill > CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA)
      return invalid("unknown enumerator");
    if (type > CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ)
      return fail(CUDA_ERROR_NOT_SUPPORTED, "packed data types need compute capability 10.0");
    if (pattern > CU_TENSOR_MAP_SWIZZLE_128B)
      return fail(CUDA_ERROR_NOT_SUPPORTED, "this swizzle needs compute capability 10.0");
    if (layout != CU_TENSOR_MAP_INTERLEAVE_NONE) {
      if (tensorRank < 3) return invalid("an interleaved tensor has 3 to 5 dimensions");
      return fail(CUDA_ERROR_NOT_SUPPORTED,
                  "interleaved tensors are not implemented on this device");
    }
    TensorMap map;
    map.address = reinterpret_cast<std::uintptr_t>(globalAddress);
    map.rank = static_cast<std::uint8_t>(tensorRank);
    map.type = static_cast<TensorMap::Type>(type);
    map.swizzle = static_cast<TensorMap::Swizzle>(pattern);
    map.nan_outside = static_cast<std::uint8_t>(fill);
    for (cuuint32_t d = 0; d < tensorRank; ++d) {
      if (globalDim[d] == 0 || globalDim[d] > std::uint64_t{1} << 32)
        return invalid("a dimension has 1 to 2^32 elements");
      map.last[d] = static_cast<std::uint32_t>(globalDim[d] - 1);
      if (boxDim[d] > TensorMap::kMostBox) return invalid("a box has 1 to 256 elements");
      map.box[d] = static_cast<std::uint16_t>(boxDim[d]);
      // Of the first dimension every element is copied, whatever is said.
      if (elementStrides[d] > TensorMap::kMostStep && d != 0)
        return invalid("an element stride is 1 to 8");
      map.steps[d] = d == 0 ? 1 : static_cast<std::uint8_t>(elementStrides[d]);
    }
    for (cuuint32_t d = 0; d + 1 < tensorRank; ++d) map.strides[d] = globalStrides[d];
    if (const char* wrong = map.wrong(); wrong != nullptr) return invalid(wrong);
    map.make_seal();
    std::memcpy(tensorMap, &map, sizeof map);
    return CUDA_SUCCESS;
  });
}

CUresult cuTensorMapReplaceAddress(CUtensorMap* tensorMap, void* globalAddress) {
  return initialised("cuTensorMapReplaceAddress", [&]() -> CUresult {
    if (!aligned(tensorMap) || globalAddress == nullptr)
      return invalid("null or misaligned pointer");
    TensorMap map;
    std::memcpy(static_cast<void*>(&map), tensorMap, sizeof map);
    if (const char* complaint = map.complaint(); complaint != nullptr) return invalid(complaint);
    map.address = reinterpret_cast<std::uintptr_t>(globalAddress);
    if (const char* wrong = map.wrong(); wrong != nullptr) return invalid(wrong);
    map.make_seal();
    std::memcpy(tensorMap, &map, sizeof map);
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
