// Texture fetches against the formulas of the CUDA C++ Programming Guide with the H200's roundings,
// written here once more; texture_recorded_test.cpp has results that the H200 gave.
#include <algorithm>
#include <cmath>
#include <random>

#include "device/image.hpp"

namespace warpmark::test {
namespace {

constexpr CUaddress_mode kModes[] = {CU_TR_ADDRESS_MODE_WRAP, CU_TR_ADDRESS_MODE_CLAMP,
                                     CU_TR_ADDRESS_MODE_MIRROR, CU_TR_ADDRESS_MODE_BORDER};

CUDA_ARRAY3D_DESCRIPTOR descriptor(std::size_t width, std::size_t height, std::size_t depth,
                                   unsigned flags = 0, CUarray_format format = CU_AD_FORMAT_FLOAT,
                                   unsigned channels = 1) {
  return {width, height, depth, format, channels, flags};
}

CUDA_TEXTURE_DESC sampler(CUaddress_mode mode, CUfilter_mode filter, unsigned flags) {
  CUDA_TEXTURE_DESC made{};
  for (CUaddress_mode& axis : made.addressMode) axis = mode;
  made.filterMode = filter;
  made.flags = flags;
  made.maxMipmapLevelClamp = 100;
  return made;
}

// Small integers: every sum of products with weights of 8 bits is exact, in any order.
std::vector<float> texels(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(static_cast<int>(random() % 2001) - 1000);
  return values;
}

// The guide's texture T beyond its edges, for one axis: the index that stands for `i`, or −1.
long outside(long i, long n, CUaddress_mode mode) {
  if (mode == CU_TR_ADDRESS_MODE_BORDER) return i < 0 || i >= n ? -1 : i;
  if (mode == CU_TR_ADDRESS_MODE_CLAMP) return std::min(std::max(i, 0L), n - 1);
  const long period = ((i % n) + n) % n, image = (i - period) / n;
  return mode == CU_TR_ADDRESS_MODE_MIRROR && image % 2 != 0 ? n - 1 - period : period;
}

// What of `whole` 256ths falls to a neighbour of this weight, to the nearest.
double share(double whole, double weight, bool halves_up) {
  const double exact = whole * weight / 256;
  return halves_up ? std::floor(exact + 0.5) : std::ceil(exact - 0.5);
}

struct Reference {
  std::vector<float> data;
  std::array<long, 3> size;
  int dimensions;
  CUaddress_mode mode;
  bool linear, normalized;
  float border = 0;

  CUaddress_mode effective() const {
    return normalized || mode == CU_TR_ADDRESS_MODE_BORDER ? mode : CU_TR_ADDRESS_MODE_CLAMP;
  }
  double at(long x, long y, long z) const {
    const std::array<long, 3> index = {x, y, z};
    std::array<long, 3> place{};
    for (int axis = 0; axis < 3; ++axis) {
      place[axis] = outside(index[axis], size[axis], effective());
      if (place[axis] < 0) return border;
    }
    return data[(place[2] * size[1] + place[1]) * size[0] + place[0]];
  }
  float fetch(const std::array<float, 3>& coordinates) const {
    std::array<long, 3> index{};
    std::array<double, 3> weight{};  // of the second texel, in 256ths
    for (int axis = 0; axis < 3; ++axis) {
      // Axes that there are not: row 0 and slice 0, but of a line's rows the filter takes y = 0.
      const bool absent = axis >= dimensions;
      if (absent && !(linear && axis == 1)) continue;
      long double x = absent ? 0.0f : coordinates[axis];
      if (normalized) x = std::floor(std::ldexp(x, 21)) * size[axis] / 0x1p21L;
      if (!linear) {
        index[axis] = static_cast<long>(std::floor(x));
        continue;
      }
      long double b = std::floor(x * 256 + 0.5L) / 256 - 0.5L;
      if (effective() == CU_TR_ADDRESS_MODE_CLAMP)
        b = std::clamp<long double>(b, 0, static_cast<long double>(size[axis] - 1));
      index[axis] = static_cast<long>(std::floor(b));
      weight[axis] = static_cast<double>((b - std::floor(b)) * 256);
    }
    if (!linear) return static_cast<float>(at(index[0], index[1], index[2]));
    double sum = 0;
    for (const int z : {0, 1}) {
      const double slice = z == 1 ? weight[2] : 256 - weight[2],
                   right = share(slice, weight[0], true);
      for (const int x : {0, 1}) {
        const double column = x == 1 ? right : slice - right;
        const double below = share(column, weight[1], x == 1);
        for (const int y : {0, 1})
          sum += (y == 1 ? below : column - below) * at(index[0] + x, index[1] + y, index[2] + z);
      }
    }
    return static_cast<float>(sum / 256);
  }
};

class TextureTest : public ImageTest {};

TEST_F(TextureTest, AddressAndFilterModesFollowTheGuide) {
  std::mt19937 random(20240701);
  std::uniform_real_distribution<float> range(-2.5f, 3.5f);
  const std::string kinds[] = {"1d", "2d", "3d"};
  const std::string places[] = {"{%c0}", "{%c0, %c1}", "{%c0, %c1, %c2, %c2}"};
  for (int dimensions = 1; dimensions <= 3; ++dimensions) {
    const std::array<long, 3> size = {13, dimensions > 1 ? 7 : 1, dimensions > 2 ? 5 : 1};
    const auto data = texels(13 * size[1] * size[2], 5);
    const auto d = descriptor(13, dimensions > 1 ? 7 : 0, dimensions > 2 ? 5 : 0);
    const CUarray storage = array(d, data.data(), 4);
    for (const CUaddress_mode mode : kModes) {
      for (const bool linear : {false, true}) {
        for (const bool normalized : {false, true}) {
          CUDA_TEXTURE_DESC description =
              sampler(mode, linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT,
                      normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0);
          description.borderColor[0] = 77;
          const Reference reference{data, size, dimensions, mode, linear, normalized, 77};
          std::vector<Words> rows;
          std::vector<std::array<float, 3>> points;
          for (int i = 0; i < 600; ++i) {
            std::array<float, 3> point{};
            for (int axis = 0; axis < 3; ++axis) {
              // Every other point lies on sixteenths, where floors and halves are decided.
              point[axis] = i % 2 == 0 ? range(random) : std::floor(range(random) * 16) / 16;
              if (!normalized) point[axis] *= static_cast<float>(size[axis]);
            }
            points.push_back(point);
            rows.push_back({word(point[0]), word(point[1]), word(point[2])});
          }
          const CUtexObject handle = texture(of_array(storage), description);
          const auto results =
              run(handle,
                  "tex." + kinds[dimensions - 1] + ".v4.f32.f32 {%q0, %q1, %q2, %q3}, [%rd1, " +
                      places[dimensions - 1] + "];",
                  rows);
          for (std::size_t i = 0; i < points.size(); ++i) {
            ASSERT_EQ(number(results[i][0]), reference.fetch(points[i]))
                << dimensions << "D, mode " << mode << (linear ? " linear" : " point")
                << (normalized ? " normalized" : "") << " at " << points[i][0] << ", "
                << points[i][1] << ", " << points[i][2];
          }
          EXPECT_CU(images().destroy_texture(handle));
        }
      }
    }
    EXPECT_CU(images().destroy_array(storage));
  }
}

// Half-way between two texels, by hand. 16 bits are a half up: 32767.5 gives 32768; −0.5 gives 0.
// Of s8, 127 · 128 widens to 16256 + ⌊(16256 + 64 + 16 · 3) / 128⌋ = 16383.
TEST_F(TextureTest, IntegersAndHalfFloatsAreFilteredIn16Bits) {
  struct Pair {
    CUarray_format format;
    unsigned bytes;
    std::array<std::uint8_t, 4> texels;
    float want;
  };
  const Pair pairs[] = {
      {CU_AD_FORMAT_UNSIGNED_INT8, 1, {0, 255}, 32768.0f / 65535.0f},
      {CU_AD_FORMAT_SIGNED_INT8, 1, {0, 127}, 16383.0f / 32767.0f},
      {CU_AD_FORMAT_SIGNED_INT8, 1, {0x80, 0x80}, -1.0f},
      {CU_AD_FORMAT_UNSIGNED_INT16, 2, {0, 0, 0xff, 0xff}, 32768.0f / 65535.0f},
      {CU_AD_FORMAT_SIGNED_INT16, 2, {0, 0, 0xff, 0xff}, 0.0f},
      {CU_AD_FORMAT_SIGNED_INT16, 2, {0, 0x80, 0, 0x80}, -1.0f},
      // 1 and 1 + 2^-10; −1 and −1 − 2^-10; 0 and the least subnormal; infinity and itself.
      {CU_AD_FORMAT_HALF, 2, {0, 0x3c, 1, 0x3c}, 1.0f + 0x1p-10f},
      {CU_AD_FORMAT_HALF, 2, {0, 0xbc, 1, 0xbc}, -1.0f - 0x1p-10f},
      {CU_AD_FORMAT_HALF, 2, {0, 0, 1, 0}, 0x1p-24f},
      {CU_AD_FORMAT_HALF, 2, {0, 0x7c, 0, 0x7c}, INFINITY}};
  for (const Pair& pair : pairs) {
    const CUarray storage =
        array(descriptor(2, 0, 0, 0, pair.format, 1), pair.texels.data(), pair.bytes);
    const auto results = run(
        texture(of_array(storage), sampler(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_LINEAR, 0)),
        "tex.1d.v4.f32.f32 {%q0,%q1,%q2,%q3}, [%rd1, {%c0}];", {{word(1.0f)}});
    EXPECT_EQ(number(results[0][0]), pair.want) << pair.format << " " << pair.want;
    EXPECT_EQ(number(results[0][3]), 1.0f) << pair.format;  // a channel that there is not
  }
}

TEST_F(TextureTest, CoordinatesThatAreNoNumbersStayInside) {
  const auto data = texels(8, 3);
  const CUarray storage = array(descriptor(8, 0, 0), data.data(), 4);
  for (const CUaddress_mode mode : kModes) {
    for (const unsigned flags : {0u, unsigned{CU_TRSF_NORMALIZED_COORDINATES}}) {
      const CUtexObject handle =
          texture(of_array(storage), sampler(mode, CU_TR_FILTER_MODE_LINEAR, flags));
      std::vector<Words> rows;
      for (const float x : {INFINITY, -INFINITY, NAN, 3e38f, -3e38f, 1e20f, -1e-30f, 1e-45f})
        rows.push_back({word(x)});
      const auto results = run(handle, "tex.1d.v4.f32.f32 {%q0,%q1,%q2,%q3}, [%rd1, {%c0}];", rows);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_TRUE(std::abs(number(results[i][0])) <= 1000) << mode << " " << i;
      }
      if (mode == CU_TR_ADDRESS_MODE_CLAMP) {
        EXPECT_EQ(number(results[0][0]), data[7]);
        EXPECT_EQ(number(results[1][0]), data[0]);
      }
    }
  }
}

// One channel of a texel as the guide describes both read modes, from its bytes.
std::uint32_t channel_of(CUarray_format format, const std::uint8_t* bytes, bool as_integer) {
  std::int32_t value = 0;
  float most = 0;
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
      value = *bytes;
      most = 255;
      break;
    case CU_AD_FORMAT_SIGNED_INT8:
      value = static_cast<std::int8_t>(*bytes);
      most = 127;
      break;
    case CU_AD_FORMAT_UNSIGNED_INT16:
      value = bytes[0] | bytes[1] << 8;
      most = 65535;
      break;
    case CU_AD_FORMAT_SIGNED_INT16:
      value = static_cast<std::int16_t>(bytes[0] | bytes[1] << 8);
      most = 32767;
      break;
    case CU_AD_FORMAT_HALF: {
      const int pattern = bytes[0] | bytes[1] << 8, exponent = pattern >> 10 & 31;
      const int fraction = pattern & 1023;
      const float magnitude = exponent == 0
                                  ? std::ldexp(static_cast<float>(fraction), -24)
                                  : std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
      return word((pattern & 0x8000) != 0 ? -magnitude : magnitude);
    }
    default: {
      std::uint32_t pattern = 0;
      std::memcpy(&pattern, bytes, 4);
      return pattern;
    }
  }
  if (as_integer) return static_cast<std::uint32_t>(value);
  return word(std::max(static_cast<float>(value) / most, -1.0f));
}

TEST_F(TextureTest, EveryFormatReadsAsElementOrNumber) {
  struct Kind {
    CUarray_format format;
    unsigned bytes;
    bool real;
  };
  const Kind kinds[] = {{CU_AD_FORMAT_UNSIGNED_INT8, 1, false},
                        {CU_AD_FORMAT_SIGNED_INT8, 1, false},
                        {CU_AD_FORMAT_UNSIGNED_INT16, 2, false},
                        {CU_AD_FORMAT_SIGNED_INT16, 2, false},
                        {CU_AD_FORMAT_UNSIGNED_INT32, 4, false},
                        {CU_AD_FORMAT_SIGNED_INT32, 4, false},
                        {CU_AD_FORMAT_HALF, 2, true},
                        {CU_AD_FORMAT_FLOAT, 4, true}};
  std::mt19937 random(7);
  for (const Kind& kind : kinds) {
    for (const unsigned channels : {1u, 2u, 4u}) {
      std::vector<std::uint8_t> bytes(64 * channels * kind.bytes);
      for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
      if (kind.real) {  // no NaN or infinity, whose payloads this test does not ask for
        for (std::size_t i = kind.bytes - 1; i < bytes.size(); i += kind.bytes) bytes[i] &= 0xbb;
      }
      if (kind.bytes < 4 && !kind.real) {  // the greatest and the least number
        for (unsigned b = 0; b < kind.bytes; ++b) bytes[b] = b + 1 == kind.bytes ? 0x80 : 0;
        for (unsigned b = 0; b < channels * kind.bytes; ++b)
          bytes[channels * kind.bytes + b] = 0xff;
      }
      const CUarray storage = array(descriptor(64, 0, 0, 0, kind.format, channels), bytes.data(),
                                    channels * kind.bytes);
      CUdeviceptr address = 0;
      ASSERT_CU(api().alloc(&address, bytes.size()));
      ASSERT_CU(api().to_device(address, bytes.data(), bytes.size()));
      CUDA_RESOURCE_DESC memory{};
      memory.resType = CU_RESOURCE_TYPE_LINEAR;
      memory.res.linear = {address, kind.format, channels, bytes.size()};
      for (const bool as_integer : {false, true}) {
        const auto description = sampler(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT,
                                         as_integer ? CU_TRSF_READ_AS_INTEGER : 0);
        std::vector<Words> rows;
        for (std::uint32_t i = 0; i < 64; ++i) rows.push_back({i});
        const bool number = kind.real || (!as_integer && kind.bytes < 4);
        const std::string name = number ? "f32" : "u32";
        for (const CUDA_RESOURCE_DESC& resource : {of_array(storage), memory}) {
          const auto results =
              run(texture(resource, description),
                  "tex.1d.v4." + name + ".s32 {%q0,%q1,%q2,%q3}, [%rd1, {%c0}];", rows);
          for (std::size_t i = 0; i < 64; ++i) {
            for (unsigned c = 0; c < 4; ++c) {
              // Channels that the format lacks are 0, the last one 1.
              const std::uint32_t want =
                  c < channels
                      ? channel_of(kind.format, &bytes[(i * channels + c) * kind.bytes], as_integer)
                  : c == 3 ? (number ? word(1.0f) : 1)
                           : 0;
              ASSERT_EQ(results[i][c], want)
                  << "format " << kind.format << " × " << channels << (as_integer ? " raw" : "")
                  << ", texel " << i << ", channel " << c;
            }
          }
        }
      }
      EXPECT_CU(api().free(address));
    }
  }
}

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
  // Each texel tells its layer, row and column.
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

TEST_F(TextureTest, SrgbIsLinearised) {
  std::vector<std::uint8_t> data(256 * 4);
  for (int i = 0; i < 1024; ++i) data[i] = static_cast<std::uint8_t>(i / 4);
  const CUarray storage =
      array(descriptor(256, 0, 0, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4), data.data(), 4);
  const CUtexObject handle = texture(
      of_array(storage), sampler(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, CU_TRSF_SRGB));
  std::vector<Words> rows;
  for (std::uint32_t i = 0; i < 256; ++i) rows.push_back({i});
  const auto results = run(handle, "tex.1d.v4.f32.s32 {%q0,%q1,%q2,%q3}, [%rd1, {%c0}];", rows);
  for (int i = 0; i < 256; ++i) {
    const double c = i / 255.0;
    const double want = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    EXPECT_EQ(number(results[i][2]), static_cast<float>(want)) << i;
    EXPECT_EQ(number(results[i][3]), static_cast<float>(i) / 255.0f) << i;  // alpha stays
  }
}

TEST_F(TextureTest, OffsetsHalvesPredicatesAndSinks) {
  const auto data = texels(64, 17);
  const CUarray storage = array(descriptor(8, 8, 0), data.data(), 4);
  const CUtexObject handle =
      texture(of_array(storage), sampler(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0));
  const std::vector<Words> rows = {{word(3.5f), word(4.5f)}};
  auto results =
      run(handle,
          "mov.b32 %c2, -2;\ntex.2d.v4.f32.f32 {%q0, _, _, _}, [%rd1, {%c0,%c1}], {%c2, 1};", rows);
  EXPECT_EQ(results[0], (Texels{word(data[5 * 8 + 1]), 0, 0, 0}));
  results =
      run(handle,
          "tex.2d.v4.f32.f32 {%q0,%q1,%q2,%q3}|%p1, [%rd1, {%c0,%c1}];\nselp.b32 %q1, 7, 8, %p1;",
          rows);
  EXPECT_EQ(results[0], (Texels{word(data[4 * 8 + 3]), 7, 0, word(1.0f)}));
  results = run(handle, "tex.2d.v2.f16x2.f32 {%q0,%q1}, [%rd1, {%c0,%c1}];", rows);
  EXPECT_EQ(results[0][1], 0x3c000000u);  // b = 0, a = 1
  results =
      run(handle, "tex.2d.v4.f16.f32 {%h0,%h1,%h2,%h3}, [%rd1, {%c0,%c1}];\ncvt.u32.u16 %q0, %h3;",
          rows);
  EXPECT_EQ(results[0][0], 0x3c00u);
}

TEST_F(TextureTest, QueriesTellTheDescription) {
  const CUarray storage =
      array(descriptor(20, 10, 3, CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST,
                       CU_AD_FORMAT_SIGNED_INT16, 2),
            nullptr, 4);
  auto description =
      sampler(CU_TR_ADDRESS_MODE_MIRROR, CU_TR_FILTER_MODE_LINEAR, CU_TRSF_NORMALIZED_COORDINATES);
  description.addressMode[1] = CU_TR_ADDRESS_MODE_BORDER;
  const CUtexObject handle = texture(of_array(storage), description);
  const CUsurfObject written = surface(storage);
  const auto query = [&](std::uint64_t which, const std::string& what) {
    return run(which, what + ".b32 %q0, [%rd1];", {{}})[0][0];
  };
  // The values are OpenCL's: SNORM_INT16 0x10d1, SIGNED_INT16 0x10d8, RG 0x10b2.
  EXPECT_EQ(query(handle, "txq.width"), 20u);
  EXPECT_EQ(query(handle, "txq.height"), 10u);
  EXPECT_EQ(query(handle, "txq.array_size"), 3u);
  EXPECT_EQ(query(handle, "txq.channel_data_type"), 0x10d1u);
  EXPECT_EQ(query(handle, "txq.channel_order"), 0x10b2u);
  EXPECT_EQ(query(handle, "txq.normalized_coords"), 1u);
  EXPECT_EQ(query(handle, "txq.num_mipmap_levels"), 1u);
  EXPECT_EQ(query(handle, "txq.filter_mode"), 1u);
  EXPECT_EQ(query(handle, "txq.addr_mode_0"), 1u);  // mirror
  EXPECT_EQ(query(handle, "txq.addr_mode_1"), 4u);  // clamp to border
  EXPECT_EQ(run(handle, "txq.level.width.b32 %q0, [%rd1], %c0;", {{0}})[0][0], 20u);
  EXPECT_EQ(query(written, "suq.width"), 20u);
  EXPECT_EQ(query(written, "suq.array_size"), 3u);
  EXPECT_EQ(query(written, "suq.channel_data_type"), 0x10d8u);
}

const std::string kFetch = "tex.1d.v4.f32.s32 {%q0,%q1,%q2,%q3}, [%rd1, {%c0}];";

TEST_F(TextureTest, OnlyLiveHandlesOfTheContextWork) {
  const auto data = texels(8, 3);
  const auto make = [&](CUtexObject& handle) {
    const CUarray storage = array(descriptor(8, 0, 0, CUDA_ARRAY3D_SURFACE_LDST), data.data(), 4);
    handle =
        texture(of_array(storage), sampler(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0));
    return storage;
  };
  Json report;
  CUtexObject handle = 0;
  make(handle);
  ASSERT_CU(images().destroy_texture(handle));
  EXPECT_EQ(images().destroy_texture(handle), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(failing(handle, kFetch, {}, report), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(report["kind"], "invalid_handle");
  EXPECT_THAT(report["message"], ::testing::HasSubstr("is no texture of this context"));
  EXPECT_EQ(report["ptx_line"].is_number(), true);
  // The place of a destroyed handle goes to the next one, the old handle stays dead.
  CUtexObject stale = 0, fresh = 0;
  make(stale);
  ASSERT_CU(images().destroy_texture(stale));
  make(fresh);
  EXPECT_NE(stale, fresh);
  EXPECT_EQ(failing(stale, kFetch, {}, report), CUDA_ERROR_LAUNCH_FAILED);
  const CUsurfObject written = surface(make(handle));
  EXPECT_EQ(failing(written, kFetch, {}, report), CUDA_ERROR_LAUNCH_FAILED);
  make(handle);
  EXPECT_EQ(failing(handle, "suld.b.1d.b32.trap %q0, [%rd1, {%c0}];", {}, report),
            CUDA_ERROR_LAUNCH_FAILED);
  for (const std::uint64_t wild :
       {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}, std::uint64_t{0x7fff00000000}}) {
    EXPECT_EQ(failing(wild, kFetch, {}, report), CUDA_ERROR_LAUNCH_FAILED) << wild;
    EXPECT_EQ(report["kind"], "invalid_handle");
  }
  // Of another context.
  make(handle);
  CUcontext other = nullptr;
  ASSERT_CU(api().create_context(&other, 0, 0));
  std::swap(context_, other);
  CUtexObject same_place = 0;
  make(same_place);
  EXPECT_EQ(failing(handle, kFetch, {}, report), CUDA_ERROR_LAUNCH_FAILED);
  ASSERT_CU(api().destroy_context(other));
}

TEST_F(TextureTest, MemoryThatIsGoneIsAnIllegalAddress) {
  Json report;
  const auto freed = [&] {
    Array<float> data(std::vector<float>(64, 1.0f));
    CUDA_RESOURCE_DESC memory{};
    memory.resType = CU_RESOURCE_TYPE_LINEAR;
    memory.res.linear = {data.address, CU_AD_FORMAT_FLOAT, 1, 256};
    const CUtexObject handle =
        texture(memory, sampler(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0));
    EXPECT_CU(api().free(data.address));
    return handle;
  };
  EXPECT_EQ(failing(freed(), kFetch, {}, report), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(report["kind"], "illegal_address");
  // Without checks it is contained: something from the arena, or 0.
  configure(R"({"check": "none"})");
  run(freed(), kFetch, {{0}, {63}, {64}});
}

// Instructions of every geometry on images of every other, at any bits as coordinates, with checks
// off: what comes back is a texel, a blend of some, a border or 0. AddressSanitizer sees the rest.
TEST_F(TextureTest, AnyGeometryOnAnyImageStaysInside) {
  configure(R"({"check": "none"})");
  const auto data = texels(4096, 23);
  constexpr unsigned both = CUDA_ARRAY3D_SURFACE_LDST;
  const CUDA_ARRAY3D_DESCRIPTOR shapes[] = {
      descriptor(37, 0, 0, both),
      descriptor(13, 9, 0, both),
      descriptor(5, 6, 7, both),
      descriptor(11, 0, 3, both | CUDA_ARRAY3D_LAYERED),
      descriptor(5, 4, 3, both | CUDA_ARRAY3D_LAYERED),
      descriptor(4, 4, 6, both | CUDA_ARRAY3D_CUBEMAP),
      descriptor(3, 3, 12, both | CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED),
      descriptor(1, 1, 1, both)};
  const std::string q = "{%q0,%q1,%q2,%q3}, [%rd1, ", four = "{%c0,%c1,%c2,%c3}";
  std::vector<std::string> fetches;
  for (const std::string level : {"", "level.", "grad."}) {
    const std::pair<std::string, std::string> forms[] = {
        {"1d", "{%c0}"}, {"2d", "{%c0,%c1}"}, {"3d", four},   {"a1d", "{%c0,%c1}"},
        {"a2d", four},   {"cube", four},      {"acube", four}};
    for (const auto& [shape, where] : forms) {
      const std::string step = shape == "1d" || shape == "a1d"   ? "{%c4}"
                               : shape == "2d" || shape == "a2d" ? "{%c4,%c5}"
                                                                 : "{%c4,%c5,%c6,%c7}";
      const std::string rest = level.empty()       ? "];"
                               : level == "level." ? "], %c4;"
                                                   : "], " + step + ", " + step + ";";
      fetches.push_back("tex." + level + shape + ".v4.f32.f32 " + q + where + rest);
      if (level != "grad." && !shape.ends_with("cube"))
        fetches.push_back("tex." + level + shape + ".v4.f32.s32 " + q + where + rest);
    }
  }
  fetches.push_back("tld4.r.2d.v4.f32.f32 " + q + "{%c0,%c1}];");
  fetches.push_back("tld4.g.acube.v4.f32.f32 " + q + four + "];");
  std::mt19937 random(20240930);
  std::vector<Words> rows(96);
  for (Words& row : rows) {
    for (std::uint32_t& one : row) {
      const std::uint32_t special[] = {0,          0x7f800000, 0xff800000,
                                       0x7fffffff, 0x80000000, 0xffffffff};
      one = random() % 3 == 0   ? special[random() % 6]
            : random() % 2 == 0 ? random()
                                : word(static_cast<float>(random() % 64) / 8 - 2);
    }
  }
  const auto inside = [&](const std::string& instruction, const std::vector<Texels>& results) {
    for (const Texels& texel : results) {
      for (const std::uint32_t channel : texel)
        ASSERT_LE(std::abs(number(channel)), 1000.0f) << instruction;
    }
  };
  for (const CUDA_ARRAY3D_DESCRIPTOR& shape : shapes) {
    const CUarray storage = array(shape, data.data(), 4);
    for (const bool linear : {false, true}) {
      const CUtexObject handle = texture(
          of_array(storage),
          sampler(kModes[random() % 4], linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT,
                  random() % 2 == 0 ? CU_TRSF_NORMALIZED_COORDINATES : 0));
      for (const std::string& instruction : fetches)
        inside(instruction, run(handle, instruction, rows));
      EXPECT_CU(images().destroy_texture(handle));
    }
    const CUsurfObject handle = surface(storage);
    for (const std::string boundary : {"clamp", "zero"}) {
      const std::pair<std::string, std::string> forms[] = {
          {"1d", "{%c0}"}, {"2d", "{%c0,%c1}"}, {"3d", four}, {"a1d", "{%c0,%c1}"}, {"a2d", four}};
      for (const auto& [place, where] : forms) {
        // Aligned places: others are a fault. A layer comes before x.
        const std::string align = "and.b32 %c0, %c0, -8; and.b32 %c1, %c1, -8;\n";
        const std::string load = align + "suld.b." + place + ".v2.b32." + boundary +
                                 " {%q0,%q1}, [%rd1, " + where + "];";
        inside(load, run(handle, load, rows));
        run(handle,
            align + "sust.b." + place + ".v2.b32." + boundary + " [%rd1, " + where +
                "], {%q0,%q1};",
            rows);
        run(handle,
            "mov.b32 %q0, 0;\nsust.p." + place + ".b32." + boundary + " [%rd1, " + where +
                "], {%q0};",
            rows);
      }
    }
    EXPECT_CU(images().destroy_surface(handle));
    EXPECT_CU(images().destroy_array(storage));
  }
}

TEST_F(TextureTest, DescriptionsAreCheckedAndKept) {
  const CUarray storage = array(descriptor(8, 4, 0), nullptr, 4);
  auto resource = of_array(storage);
  auto description =
      sampler(CU_TR_ADDRESS_MODE_WRAP, CU_TR_FILTER_MODE_LINEAR, CU_TRSF_NORMALIZED_COORDINATES);
  CUtexObject handle = 0;
  ASSERT_CU(images().texture(&handle, &resource, &description, nullptr));
  CUDA_RESOURCE_DESC resource_back{};
  CUDA_TEXTURE_DESC sampler_back{};
  CUDA_RESOURCE_VIEW_DESC view{};
  ASSERT_CU(images().texture_resource(&resource_back, handle));
  ASSERT_CU(images().texture_sampler(&sampler_back, handle));
  EXPECT_EQ(resource_back.res.array.hArray, storage);
  EXPECT_EQ(sampler_back.flags, CU_TRSF_NORMALIZED_COORDINATES);
  EXPECT_EQ(images().texture_view(&view, handle), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(images().texture(nullptr, &resource, &description, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(images().texture(&handle, nullptr, &description, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(images().texture(&handle, &resource, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  const auto refused = [&] {
    CUtexObject none = 0;
    return images().texture(&none, &resource, &description, nullptr) == CUDA_ERROR_INVALID_VALUE;
  };
  resource.flags = 1;
  EXPECT_TRUE(refused());
  resource.flags = 0;
  description.flags = 0x80;
  EXPECT_TRUE(refused());
  description.flags = 0;
  description.addressMode[1] = static_cast<CUaddress_mode>(4);
  EXPECT_TRUE(refused());
  description = sampler(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0);
  resource.res.array.hArray = reinterpret_cast<CUarray>(&resource);
  EXPECT_TRUE(refused());
  Array<float> memory(std::size_t{1024});
  resource = {};
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  resource.res.linear = {memory.address, CU_AD_FORMAT_FLOAT, 1, 4096};
  EXPECT_FALSE(refused());
  resource.res.linear.sizeInBytes = 4100;  // more than there is
  EXPECT_TRUE(refused());
  resource.res.linear = {memory.address + 4, CU_AD_FORMAT_FLOAT, 1, 4};  // not aligned
  EXPECT_TRUE(refused());
  resource.res.linear = {memory.address, CU_AD_FORMAT_FLOAT, 3, 12};
  EXPECT_TRUE(refused());
  resource = {};
  resource.resType = CU_RESOURCE_TYPE_PITCH2D;
  resource.res.pitch2D = {memory.address, CU_AD_FORMAT_FLOAT, 1, 8, 4, 1024};
  EXPECT_FALSE(refused());
  for (const std::size_t pitch : {std::size_t{1030}, std::size_t{0}, std::size_t{2048}}) {
    resource.res.pitch2D.pitchInBytes = pitch;
    EXPECT_TRUE(refused()) << pitch;
  }
  // A view of the same size reads a pair of 16-bit integers as one of 32 bits.
  const std::vector<std::uint16_t> pairs = {1, 2, 3, 4};
  const CUarray narrow =
      array(descriptor(2, 0, 0, 0, CU_AD_FORMAT_UNSIGNED_INT16, 2), pairs.data(), 4);
  view.format = CU_RES_VIEW_FORMAT_UINT_1X32;
  view.width = 2;
  const auto results = run(texture(of_array(narrow), description, &view),
                           "tex.1d.v4.u32.s32 {%q0,%q1,%q2,%q3}, [%rd1, {%c0}];", {{0}, {1}});
  EXPECT_EQ(results[0][0], 0x20001u);
  EXPECT_EQ(results[1][0], 0x40003u);
  view.format = CU_RES_VIEW_FORMAT_UINT_1X16;
  const auto viewed = of_array(narrow);
  EXPECT_EQ(images().texture(&handle, &viewed, &description, &view), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace warpmark::test
