// Filters and address modes against the formulas of the CUDA C++ Programming Guide with the H200's
// roundings, written here once more; texture_recorded_test.cpp has results that the H200 gave.
#include <algorithm>
#include <cmath>
#include <random>

#include "device/machine/texture.hpp"

namespace warpmark::test {
namespace {

// The guide's texture T beyond its edges, for one axis: the index that replaces `i`, or −1.
long outside(long i, long n, CUaddress_mode mode) {
  if (mode == CU_TR_ADDRESS_MODE_BORDER) return i < 0 || i >= n ? -1 : i;
  if (mode == CU_TR_ADDRESS_MODE_CLAMP) return std::min(std::max(i, 0L), n - 1);
  const long period = ((i % n) + n) % n, image = (i - period) / n;
  return mode == CU_TR_ADDRESS_MODE_MIRROR && image % 2 != 0 ? n - 1 - period : period;
}

// The share of `whole` 256ths that falls to a neighbour of this weight, to the nearest.
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

}  // namespace
}  // namespace warpmark::test
