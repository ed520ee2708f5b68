// Mipmapped arrays, what is asked of arrays, and what textures and surfaces say of themselves.
#include <numeric>
#include <vector>

#include "cudart/registered.hpp"

namespace warpmark::test {
namespace {

using Words = std::vector<unsigned int>;

class Arrays : public ::testing::Test {
 protected:
  void SetUp() override {
    cudaGetLastError();
    ASSERT_CUDA(cudaMallocArray(&array_, &format_, 8, 4, cudaArraySurfaceLoadStore));
    ASSERT_CUDA(cudaMallocMipmappedArray(&mipmap_, &format_, {8, 4, 0}, 3, 0));
  }
  void TearDown() override {
    EXPECT_CUDA(cudaFreeArray(array_));
    EXPECT_CUDA(cudaFreeMipmappedArray(mipmap_));
  }

  cudaChannelFormatDesc format_ = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindUnsigned);
  cudaArray_t array_ = nullptr;
  cudaMipmappedArray_t mipmap_ = nullptr;
};

TEST_F(Arrays, EachLevelHasHalfTheExtents) {
  for (unsigned int number = 0; number < 3; ++number) {
    cudaArray_t level = nullptr;
    cudaExtent extent{};
    cudaChannelFormatDesc format{};
    ASSERT_CUDA(cudaGetMipmappedArrayLevel(&level, mipmap_, number));
    ASSERT_CUDA(cudaArrayGetInfo(&format, &extent, nullptr, level));
    EXPECT_EQ(format.x, 32);
    EXPECT_EQ(extent.width, 8u >> number);
    EXPECT_EQ(extent.height, 4u >> number);
    EXPECT_EQ(extent.depth, 0u);
  }
  cudaArray_t none = nullptr;
  EXPECT_EQ(cudaGetMipmappedArrayLevel(&none, mipmap_, 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetMipmappedArrayLevel(&none, nullptr, 0), cudaErrorInvalidResourceHandle);
  EXPECT_CUDA(cudaFreeMipmappedArray(nullptr));
}

TEST_F(Arrays, LevelsHaveMemoryOfTheirOwn) {
  Words given(32);
  std::iota(given.begin(), given.end(), 1u);
  cudaArray_t levels[2] = {};
  for (unsigned int number = 0; number < 2; ++number) {
    ASSERT_CUDA(cudaGetMipmappedArrayLevel(&levels[number], mipmap_, number));
    const size_t row = 32u >> number;
    ASSERT_CUDA(cudaMemcpy2DToArray(levels[number], 0, 0, given.data() + number, row, row,
                                    4u >> number, cudaMemcpyHostToDevice));
  }
  Words first(32), second(8);
  ASSERT_CUDA(
      cudaMemcpy2DFromArray(first.data(), 32, levels[0], 0, 0, 32, 4, cudaMemcpyDeviceToHost));
  ASSERT_CUDA(
      cudaMemcpy2DFromArray(second.data(), 16, levels[1], 0, 0, 16, 2, cudaMemcpyDeviceToHost));
  EXPECT_EQ(first, given);
  EXPECT_EQ(second, Words(given.begin() + 1, given.begin() + 9));
}

TEST_F(Arrays, LevelsAreNotMoreThanTheLongestSideHas) {
  cudaMipmappedArray_t clamped = nullptr;
  ASSERT_CUDA(cudaMallocMipmappedArray(&clamped, &format_, {8, 0, 0}, 100, 0));
  cudaArray_t level = nullptr;
  EXPECT_CUDA(cudaGetMipmappedArrayLevel(&level, clamped, 3));
  EXPECT_EQ(cudaGetMipmappedArrayLevel(&level, clamped, 5), cudaErrorInvalidValue);
  EXPECT_CUDA(cudaFreeMipmappedArray(clamped));
  EXPECT_EQ(cudaMallocMipmappedArray(nullptr, &format_, {8, 0, 0}, 1, 0), cudaErrorInvalidValue);
}

TEST_F(Arrays, PlanesTilesAndMappedMemoryAreOfOtherArrays) {
  cudaArray_t plane = nullptr;
  EXPECT_EQ(cudaArrayGetPlane(&plane, array_, 0), cudaErrorInvalidValue)
      << "the format has no planes";
  cudaArraySparseProperties tiles{};
  EXPECT_EQ(cudaArrayGetSparseProperties(&tiles, array_), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMipmappedArrayGetSparseProperties(&tiles, mipmap_), cudaErrorInvalidValue);
  cudaArrayMemoryRequirements requirements{};
  EXPECT_EQ(cudaArrayGetMemoryRequirements(&requirements, array_, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMipmappedArrayGetMemoryRequirements(&requirements, mipmap_, 0),
            cudaErrorInvalidValue);
}

TEST_F(Arrays, SurfacesSayWhatTheyAreOf) {
  cudaResourceDesc resource{}, found{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array_;
  cudaSurfaceObject_t surface = 0;
  ASSERT_CUDA(cudaCreateSurfaceObject(&surface, &resource));
  ASSERT_CUDA(cudaGetSurfaceObjectResourceDesc(&found, surface));
  EXPECT_EQ(found.resType, cudaResourceTypeArray);
  EXPECT_EQ(found.res.array.array, array_);
  EXPECT_CUDA(cudaDestroySurfaceObject(surface));
  EXPECT_EQ(cudaCreateSurfaceObject(nullptr, &resource), cudaErrorInvalidValue);
}

TEST_F(Arrays, TexturesSayTheirView) {
  cudaResourceDesc resource{}, found{};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = mipmap_;
  cudaTextureDesc how{};
  how.normalizedCoords = 1;
  how.maxMipmapLevelClamp = 2;
  cudaResourceViewDesc view{}, same{};
  view.format = cudaResViewFormatUnsignedInt1;
  view.width = 8;
  view.height = 4;
  view.lastMipmapLevel = 1;
  cudaTextureObject_t texture = 0;
  ASSERT_CUDA(cudaCreateTextureObject(&texture, &resource, &how, &view));
  ASSERT_CUDA(cudaGetTextureObjectResourceViewDesc(&same, texture));
  EXPECT_EQ(same.format, cudaResViewFormatUnsignedInt1);
  EXPECT_EQ(same.width, 8u);
  EXPECT_EQ(same.height, 4u);
  EXPECT_EQ(same.firstMipmapLevel, 0u);
  EXPECT_EQ(same.lastMipmapLevel, 1u);
  ASSERT_CUDA(cudaGetTextureObjectResourceDesc(&found, texture));
  EXPECT_EQ(found.resType, cudaResourceTypeMipmappedArray);
  EXPECT_EQ(found.res.mipmap.mipmap, mipmap_);
  EXPECT_CUDA(cudaDestroyTextureObject(texture));
  ASSERT_CUDA(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  EXPECT_CUDA(cudaGetTextureObjectResourceViewDesc(&same, texture)) << "though it has none";
  EXPECT_CUDA(cudaDestroyTextureObject(texture));
}

TEST_F(Arrays, TexturesOfMemorySayWhereItIs) {
  cudaResourceDesc resource{}, found{};
  cudaTextureDesc how{};
  cudaTextureObject_t texture = 0;
  void* memory = nullptr;
  size_t pitch = 0;
  ASSERT_CUDA(cudaMallocPitch(&memory, &pitch, 64, 4));
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D = {memory, cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat),
                          16, 4, pitch};
  ASSERT_CUDA(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  ASSERT_CUDA(cudaGetTextureObjectResourceDesc(&found, texture));
  EXPECT_EQ(found.resType, cudaResourceTypePitch2D);
  EXPECT_EQ(found.res.pitch2D.devPtr, memory);
  EXPECT_EQ(found.res.pitch2D.width, 16u);
  EXPECT_EQ(found.res.pitch2D.height, 4u);
  EXPECT_EQ(found.res.pitch2D.pitchInBytes, pitch);
  EXPECT_EQ(found.res.pitch2D.desc.f, cudaChannelFormatKindFloat);
  EXPECT_EQ(found.res.pitch2D.desc.y, 16);
  EXPECT_EQ(found.res.pitch2D.desc.z, 0);
  EXPECT_CUDA(cudaDestroyTextureObject(texture));
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {memory, cudaCreateChannelDesc(8, 8, 8, 8, cudaChannelFormatKindSigned),
                         64};
  ASSERT_CUDA(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  ASSERT_CUDA(cudaGetTextureObjectResourceDesc(&found, texture));
  EXPECT_EQ(found.resType, cudaResourceTypeLinear);
  EXPECT_EQ(found.res.linear.devPtr, memory);
  EXPECT_EQ(found.res.linear.sizeInBytes, 64u);
  EXPECT_EQ(found.res.linear.desc.f, cudaChannelFormatKindSigned);
  EXPECT_EQ(found.res.linear.desc.w, 8);
  EXPECT_CUDA(cudaDestroyTextureObject(texture));
  EXPECT_CUDA(cudaFree(memory));
}

TEST_F(Arrays, LinearTexturesHaveAGreatestWidth) {
  for (const int bits : {8, 16, 32}) {
    const auto format = cudaCreateChannelDesc(bits, 0, 0, 0, cudaChannelFormatKindSigned);
    size_t width = 0;
    ASSERT_CUDA(cudaDeviceGetTexture1DLinearMaxWidth(&width, &format, 0));
    EXPECT_GE(width, 1u << 27) << "of every device since compute capability 5.0";
  }
}

}  // namespace
}  // namespace warpmark::test
