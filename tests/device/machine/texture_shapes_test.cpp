// Where texels lie: linear and pitched memory, layers, cubemaps, mipmaps, and the four of a gather.
#include <algorithm>
#include <cmath>

#include "device/machine/texture.hpp"

namespace warpmark::test {
namespace {

TEST_F(TextureTest, LinearMemoryIsZeroBeyondItsEnds) {
  Array<float> data(std::vector<float>(100, 5.0f));
  CUDA_RESOURCE_DESC memory{};
  memory.resType = CU_RESOURCE_TYPE_LINEAR;
  memory.res.linear = {data.address, CU_AD_FORMAT_FLOAT, 1, 99 * 4 + 3};
  const auto results =
      run(texture(memory, sampler(CU_TR_ADDRESS_MODE_WRAP, CU_TR_FILTER_MODE_LINEAR, 0)),
          "tex.1d.v4.f32.s32 {%q0,%q1,%q2,%q3}, [%rd1, {%c0}];",
          {{0}, {98}, {99}, {0xffffffff}, {0x80000000}, {0x7fffffff}});
  EXPECT_EQ(number(results[0][0]), 5);
  EXPECT_EQ(number(results[1][0]), 5);
  for (int i = 2; i < 6; ++i) EXPECT_EQ(results[i], (Texels{0, 0, 0, 0})) << i;
}

TEST_F(TextureTest, PitchedMemoryHasGaps) {
  CUdeviceptr address = 0;
  std::size_t pitch = 0;
  ASSERT_CU(images().alloc_pitch(&address, &pitch, 10 * 4, 6, 4));
  std::vector<float> rows(pitch / 4 * 6, -1.0f);
  for (std::size_t y = 0; y < 6; ++y)
    for (std::size_t x = 0; x < 10; ++x) rows[y * pitch / 4 + x] = static_cast<float>(100 * y + x);
  ASSERT_CU(api().to_device(address, rows.data(), rows.size() * 4));
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_PITCH2D;
  resource.res.pitch2D = {address, CU_AD_FORMAT_FLOAT, 1, 10, 6, pitch};
  const auto results =
      run(texture(resource, sampler(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_LINEAR, 0)),
          "tex.2d.v4.f32.f32 {%q0,%q1,%q2,%q3}, [%rd1, {%c0, %c1}];",
          {{word(4.0f), word(3.0f)}, {word(9.9f), word(5.9f)}, {word(50.0f), word(-3.0f)}});
  EXPECT_EQ(number(results[0][0]), (203 + 204 + 303 + 304) / 4.0f - 50 + 50);
  EXPECT_EQ(number(results[1][0]), 509);
  EXPECT_EQ(number(results[2][0]), 9);
}

TEST_F(TextureTest, LayersAreClampedAndNeverBlended) {
  const auto data = texels(4 * 3 * 5, 11);
  const CUarray flat = array(descriptor(4, 3, 5, CUDA_ARRAY3D_LAYERED), data.data(), 4);
  const CUarray line = array(descriptor(12, 0, 5, CUDA_ARRAY3D_LAYERED), data.data(), 4);
  const auto description = sampler(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_LINEAR, 0);
  std::vector<Words> rows;
  for (int layer = -2; layer < 8; ++layer)
    rows.push_back({static_cast<std::uint32_t>(layer), word(2.5f), word(1.5f)});
  const auto of_flat =
      run(texture(of_array(flat), description),
          "tex.a2d.v4.f32.f32 {%q0,%q1,%q2,%q3}, [%rd1, {%c0,%c1,%c2,%c2}];", rows);
  const auto of_line = run(texture(of_array(line), description),
                           "tex.a1d.v4.f32.f32 {%q0,%q1,%q2,%q3}, [%rd1, {%c0,%c1}];", rows);
  const auto named = run(texture(of_array(flat), description),
                         "mov.b32 %c1, 2; mov.b32 %c2, 1;\n"
                         "tex.a2d.v4.f32.s32 {%q0,%q1,%q2,%q3}, [%rd1, {%c0,%c1,%c2,%c2}];",
                         rows);
  for (int layer = -2; layer < 8; ++layer) {
    const int real = std::clamp(layer, 0, 4);
    EXPECT_EQ(number(of_flat[layer + 2][0]), data[real * 12 + 4 + 2]);
    EXPECT_EQ(number(named[layer + 2][0]), data[real * 12 + 4 + 2]);
    EXPECT_EQ(number(of_line[layer + 2][0]), data[real * 12 + 2]);
  }
}

TEST_F(TextureTest, CubemapsHaveSixFaces) {
  // Each texel encodes its layer, row and column.
  std::vector<float> data(12 * 16);
  for (int layer = 0; layer < 12; ++layer)
    for (int t = 0; t < 4; ++t)
      for (int s = 0; s < 4; ++s)
        data[layer * 16 + t * 4 + s] = static_cast<float>(layer * 100 + t * 10 + s);
  const CUarray single = array(descriptor(4, 4, 6, CUDA_ARRAY3D_CUBEMAP), data.data(), 4);
  const CUarray layered =
      array(descriptor(4, 4, 12, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED), data.data(), 4);
  const auto description =
      sampler(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, CU_TRSF_NORMALIZED_COORDINATES);
  // Directions by face from the guide's table, with s/m = 0.75 and t/m = −0.25: column 3, row 1.
  const float directions[6][3] = {{1, .25f, -.75f}, {-1, .25f, .75f}, {.75f, 1, -.25f},
                                  {.75f, -1, .25f}, {.75f, .25f, 1},  {-.75f, .25f, -1}};
  std::vector<Words> rows;
  for (int layer = 0; layer < 2; ++layer) {
    for (const auto& v : directions)
      rows.push_back(
          {static_cast<std::uint32_t>(layer), word(v[0] * 3), word(v[1] * 3), word(v[2] * 3)});
  }
  const auto plain = run(texture(of_array(single), description),
                         "tex.cube.v4.f32.f32 {%q0,%q1,%q2,%q3}, [%rd1, {%c1,%c2,%c3,%c3}];", rows);
  const auto of_layers =
      run(texture(of_array(layered), description),
          "tex.acube.v4.f32.f32 {%q0,%q1,%q2,%q3}, [%rd1, {%c0,%c1,%c2,%c3}];", rows);
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(number(plain[i][0]), static_cast<float>(i % 6 * 100 + 13)) << i;
    EXPECT_EQ(number(of_layers[i][0]), static_cast<float>(i * 100 + 13)) << i;
  }
}

TEST_F(TextureTest, MipmapsByLevelAndByGradient) {
  CUmipmappedArray mipmap = nullptr;
  const auto d = descriptor(16, 8, 0);
  ASSERT_CU(images().mipmap(&mipmap, &d, 99));  // clamped to 5 levels: 16 8 4 2 1
  CUarray level = nullptr;
  EXPECT_EQ(images().level(&level, mipmap, 5), CUDA_ERROR_INVALID_VALUE);
  for (unsigned l = 0; l < 5; ++l) {
    ASSERT_CU(images().level(&level, mipmap, l));
    CUDA_ARRAY3D_DESCRIPTOR of_level{};
    ASSERT_CU(images().describe_3d(&of_level, level));
    EXPECT_EQ(of_level.Width, 16u >> l);
    EXPECT_EQ(of_level.Height, std::max(8u >> l, 1u));
    const std::vector<float> constant(of_level.Width * of_level.Height,
                                      static_cast<float>(10 * (l + 1)));
    upload(level, of_level, constant.data(), 4);
  }
  EXPECT_EQ(images().destroy_array(level), CUDA_ERROR_INVALID_HANDLE);
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
  resource.res.mipmap.hMipmappedArray = mipmap;
  auto description =
      sampler(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, CU_TRSF_NORMALIZED_COORDINATES);
  const std::string by_level =
      "tex.level.2d.v4.f32.f32 {%q0,%q1,%q2,%q3}, [%rd1, {0f3f000000,0f3f000000}], %c0;";
  const std::vector<float> levels = {0, 0.25f, 0.49f, 0.51f, 1, 2.75f, 4, 9, -3};
  std::vector<Words> rows;
  for (const float l : levels) rows.push_back({word(l)});
  auto results = run(texture(resource, description), by_level, rows);
  const float nearest[] = {10, 10, 10, 20, 20, 40, 50, 50, 10};
  for (int i = 0; i < 9; ++i) EXPECT_EQ(number(results[i][0]), nearest[i]) << levels[i];
  description.mipmapFilterMode = CU_TR_FILTER_MODE_LINEAR;
  results = run(texture(resource, description), by_level, rows);
  for (int i = 0; i < 9; ++i) {
    const float l = std::clamp(levels[i], 0.0f, 4.0f);
    EXPECT_EQ(number(results[i][0]), 10 + 10 * std::floor(l * 256 + 0.5f) / 256) << levels[i];
  }
  description.mipmapLevelBias = 0.5f;
  description.minMipmapLevelClamp = 1;
  description.maxMipmapLevelClamp = 3;
  results = run(texture(resource, description), by_level, rows);
  const float biased[] = {20, 20, 20, 20, 25, 40, 40, 40, 20};
  for (int i = 0; i < 9; ++i) {
    EXPECT_NEAR(number(results[i][0]), levels[i] == 0.51f ? 20.1f : biased[i], 0.03f) << levels[i];
  }
  // Steps of 4 texels along x, 2 along y: the longer one decides, log2(4) = 2.
  description =
      sampler(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, CU_TRSF_NORMALIZED_COORDINATES);
  results = run(texture(resource, description),
                "tex.grad.2d.v4.f32.f32 {%q0,%q1,%q2,%q3}, [%rd1, {%c0,%c0}], {%c1,%c2}, "
                "{%c3,%c4};",
                {{word(.5f), word(.25f), 0, 0, word(.25f)}, {word(.5f), 0, 0, 0, 0}});
  EXPECT_EQ(number(results[0][0]), 30);
  EXPECT_EQ(number(results[1][0]), 10);  // no footprint: level 0
  // A view that begins at level 2.
  CUDA_RESOURCE_VIEW_DESC view{};
  view.width = 16;
  view.height = 8;
  view.firstMipmapLevel = 2;
  view.lastMipmapLevel = 3;
  results = run(texture(resource, description, &view), by_level, {{word(0.0f)}, {word(9.0f)}});
  EXPECT_EQ(number(results[0][0]), 30);
  EXPECT_EQ(number(results[1][0]), 40);
  ASSERT_CU(images().destroy_mipmap(mipmap));
  EXPECT_EQ(images().level(&level, mipmap, 0), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(TextureTest, GatherGivesTheFootprintCounterClockwise) {
  std::vector<std::uint8_t> data(8 * 8 * 4);
  for (int i = 0; i < 64; ++i)
    for (int c = 0; c < 4; ++c) data[i * 4 + c] = static_cast<std::uint8_t>(i + 64 * c);
  const CUarray storage =
      array(descriptor(8, 8, 0, CUDA_ARRAY3D_TEXTURE_GATHER, CU_AD_FORMAT_UNSIGNED_INT8, 4),
            data.data(), 4);
  const CUtexObject handle =
      texture(of_array(storage),
              sampler(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, CU_TRSF_READ_AS_INTEGER));
  const char components[] = "rgba";
  for (std::uint32_t c = 0; c < 4; ++c) {
    const auto results = run(handle,
                             std::string("tld4.") + components[c] +
                                 ".2d.v4.u32.f32 {%q0,%q1,%q2,%q3}, [%rd1, {%c0, %c1}];",
                             {{word(3.0f), word(5.0f)}, {word(0.0f), word(0.0f)}});
    const std::uint32_t x = 2, y = 4, at = y * 8 + x + 64 * c;  // floor(3 − 0.5), floor(5 − 0.5)
    EXPECT_EQ(results[0], (Texels{at + 8, at + 9, at + 1, at}));
    EXPECT_EQ(results[1], (Texels{64 * c, 64 * c, 64 * c, 64 * c}));
  }
}

}  // namespace
}  // namespace warpmark::test
