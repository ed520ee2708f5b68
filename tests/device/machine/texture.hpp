// Shared by tests of textures: descriptions, samplers and texels.
#pragma once

#include <random>
#include <vector>

#include "device/support/image.hpp"

namespace warpmark::test {

inline constexpr CUaddress_mode kModes[] = {CU_TR_ADDRESS_MODE_WRAP, CU_TR_ADDRESS_MODE_CLAMP,
                                            CU_TR_ADDRESS_MODE_MIRROR, CU_TR_ADDRESS_MODE_BORDER};

inline CUDA_ARRAY3D_DESCRIPTOR descriptor(std::size_t width, std::size_t height, std::size_t depth,
                                          unsigned flags = 0,
                                          CUarray_format format = CU_AD_FORMAT_FLOAT,
                                          unsigned channels = 1) {
  return {width, height, depth, format, channels, flags};
}

inline CUDA_TEXTURE_DESC sampler(CUaddress_mode mode, CUfilter_mode filter, unsigned flags) {
  CUDA_TEXTURE_DESC made{};
  for (CUaddress_mode& axis : made.addressMode) axis = mode;
  made.filterMode = filter;
  made.flags = flags;
  made.maxMipmapLevelClamp = 100;
  return made;
}

// Small integers: every sum of products with weights of 8 bits is exact, in any order.
inline std::vector<float> texels(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(static_cast<int>(random() % 2001) - 1000);
  return values;
}

class TextureTest : public ImageTest {};

}  // namespace warpmark::test
