// Formats that are numbers up to 1 by themselves, cubemaps without seams, coordinates that are over,
// and what no driver's texture or no array of this device is.
#include <array>
#include <cmath>
#include <string>

#include "device/machine/texture.hpp"

namespace warpmark::test {
namespace {

// Their texels are numbers whatever the flags say, and are filtered.
TEST_F(TextureTest, NormalisedFormatsAreNumbers) {
  const std::vector<std::uint8_t> bytes = {0, 255, 51, 128};
  const std::vector<std::int16_t> halves = {-32768, 32767, 0, 16384, -1, 1, 100, -100};
  const auto fetch = "tex.2d.v4.f32.s32 {%q0,%q1,%q2,%q3}, [%rd1, {%c0, %c1}];";
  for (const unsigned flags : {0U, unsigned{CU_TRSF_READ_AS_INTEGER}}) {
    const CUarray one = array(descriptor(2, 2, 0, 0, CU_AD_FORMAT_UNORM_INT8X1), bytes.data(), 1);
    const CUarray two =
        array(descriptor(2, 2, 0, 0, CU_AD_FORMAT_SNORM_INT16X2, 2), halves.data(), 4);
    const auto description = sampler(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, flags);
    const std::vector<Words> rows = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
    const auto of_one = run(texture(of_array(one), description), fetch, rows);
    const auto of_two = run(texture(of_array(two), description), fetch, rows);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(number(of_one[i][0]), static_cast<float>(bytes[i]) / 255.0f) << i;
      for (std::size_t c = 0; c < 2; ++c)
        EXPECT_EQ(number(of_two[i][c]),
                  std::max(static_cast<float>(halves[i * 2 + c]) / 32767.0f, -1.0f))
            << i;
    }
    const auto filtered = run(
        texture(of_array(one), sampler(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_LINEAR, flags)),
        "tex.2d.v4.f32.f32 {%q0,%q1,%q2,%q3}, [%rd1, {%c0, %c1}];", {{word(1.0f), word(0.5f)}});
    EXPECT_NEAR(number(filtered[0][0]), 0.5f, 0.005f);
  }
  CUarray none = nullptr;
  const CUDA_ARRAY3D_DESCRIPTOR wrong = descriptor(2, 2, 0, 0, CU_AD_FORMAT_UNORM_INT8X2, 1);
  EXPECT_EQ(api().find<decltype(::cuArray3DCreate_v2)>("cuArray3DCreate_v2")(&none, &wrong),
            CUDA_ERROR_INVALID_VALUE)
      << "two channels are in its name";
}

using Direction = std::array<double, 3>;

// The texel of a face of four by four that a direction meets: the guide's table of cubemaps.
int texel_of(Direction d) {
  const double ax = std::abs(d[0]), ay = std::abs(d[1]), az = std::abs(d[2]);
  int face = 0;
  double m = 0, s = 0, t = 0;
  if (ax >= ay && ax >= az)
    face = d[0] > 0 ? 0 : 1, m = ax, s = d[0] > 0 ? -d[2] : d[2], t = -d[1];
  else if (ay >= az)
    face = d[1] > 0 ? 2 : 3, m = ay, s = d[0], t = d[1] > 0 ? d[2] : -d[2];
  else
    face = d[2] > 0 ? 4 : 5, m = az, s = d[2] > 0 ? d[0] : -d[0], t = -d[1];
  const auto place = [m](double x) { return std::clamp(static_cast<int>((x / m + 1) * 2), 0, 3); };
  return face * 16 + place(t) * 4 + place(s);
}

// Between two faces the filter has two texels of each; without the flag only those of one.
TEST_F(TextureTest, CubemapsWithoutSeamsGoOnToTheNextFace) {
  const auto data = texels(6 * 16, 21);
  const CUarray cube = array(descriptor(4, 4, 6, CUDA_ARRAY3D_CUBEMAP), data.data(), 4);
  const unsigned seams = CU_TRSF_NORMALIZED_COORDINATES;
  const auto fetch = "tex.cube.v4.f32.f32 {%q0,%q1,%q2,%q3}, [%rd1, {%c0,%c1,%c2,%c2}];";
  std::vector<Words> rows;
  std::vector<std::array<float, 2>> want;
  // Directions to the middle of each edge of the cube, a little to the side of the first axis, at a
  // place between two texels along the edge.
  for (int axis = 0; axis < 3; ++axis) {
    for (const int sign : {-1, 1}) {
      for (const int other_sign : {-1, 1}) {
        Direction edge{};
        edge[static_cast<std::size_t>(axis)] = sign;
        edge[static_cast<std::size_t>((axis + 1) % 3)] = other_sign * 0.999999;
        rows.push_back({word(static_cast<float>(edge[0])), word(static_cast<float>(edge[1])),
                        word(static_cast<float>(edge[2]))});
        double sum = 0, own = 0;
        for (const double along : {-0.25, 0.25}) {
          Direction inner = edge, outer = edge;
          inner[static_cast<std::size_t>((axis + 2) % 3)] = along;
          outer[static_cast<std::size_t>((axis + 2) % 3)] = along;
          inner[static_cast<std::size_t>((axis + 1) % 3)] = other_sign * 0.75;
          outer[static_cast<std::size_t>(axis)] = sign * 0.75;
          outer[static_cast<std::size_t>((axis + 1) % 3)] = other_sign;
          own += static_cast<double>(data[static_cast<std::size_t>(texel_of(inner))]) / 2;
          sum += static_cast<double>(data[static_cast<std::size_t>(texel_of(inner))]) / 4 +
                 static_cast<double>(data[static_cast<std::size_t>(texel_of(outer))]) / 4;
        }
        want.push_back({static_cast<float>(own), static_cast<float>(sum)});
      }
    }
  }
  const auto with = run(
      texture(of_array(cube), sampler(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_LINEAR, seams)),
      fetch, rows);
  const auto without =
      run(texture(of_array(cube), sampler(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_LINEAR,
                                          seams | CU_TRSF_SEAMLESS_CUBEMAP)),
          fetch, rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(number(with[i][0]), want[i][0]) << i;
    EXPECT_EQ(number(without[i][0]), want[i][1]) << i;
  }
  // Where three faces meet, one texel of each.
  const auto corner =
      run(texture(of_array(cube), sampler(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_LINEAR,
                                          seams | CU_TRSF_SEAMLESS_CUBEMAP)),
          fetch, {{word(1.0f), word(0.999999f), word(0.999998f)}});
  double three = 0;
  for (const Direction& d :
       {Direction{1, .75, .75}, Direction{.75, 1, .75}, Direction{.75, .75, 1}})
    three += static_cast<double>(data[static_cast<std::size_t>(texel_of(d))]) / 3;
  EXPECT_NEAR(number(corner[0][0]), three, 0.01);
}

TEST_F(TextureTest, ComparisonsOfDepthsEndTheLaunch) {
  const auto data = texels(16, 3);
  const CUarray flat = array(descriptor(4, 4, 0), data.data(), 4);
  const CUtexObject handle =
      texture(of_array(flat), sampler(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0));
  CUfunction kernel = body(
      ".reg .f32 %q<4>; ld.global.u64 %rd2, [%rd1];\n"
      "tex.2d.v4.f32.f32 {%q0,%q1,%q2,%q3}, [%rd2, {0f3F000000, 0f3F000000}], 0f3F000000;");
  Array<std::uint64_t> given(std::vector<std::uint64_t>{handle});
  ASSERT_CU(launch(kernel, {}, {}, 0, given.address));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_LAUNCH_FAILED);
  const std::vector<Json> said = reports();
  ASSERT_FALSE(said.empty());
  EXPECT_NE(said[0].at("message").get<std::string>().find("compare"), std::string::npos);
}

TEST_F(TextureTest, PackedArraysAreRefusedWithTheReason) {
  CUarray made = nullptr;
  const auto packed = descriptor(256, 256, 0, 0, CU_AD_FORMAT_BC1_UNORM, 4);
  EXPECT_EQ(images().array(&made, &packed), CUDA_ERROR_NOT_SUPPORTED);
  const std::vector<Json> all = reports();
  ASSERT_FALSE(all.empty());
  EXPECT_NE(all.back().at("message").get<std::string>().find("block-compressed"),
            std::string::npos);
}

// PTX ISA: vectors of four are allowed for any geometry, and the elements that are over are ignored.
TEST_F(TextureTest, CoordinatesThatAreOverAreIgnored) {
  const auto data = texels(8 * 3, 23);
  const CUarray row = array(descriptor(8, 0, 3, CUDA_ARRAY3D_LAYERED), data.data(), 4);
  const CUtexObject handle =
      texture(of_array(row), sampler(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0));
  const std::vector<Words> rows = {{2, word(5.5f), word(NAN), 77}, {0, word(3.5f), 0, word(9e9f)}};
  for (const char* place : {"{%c0,%c1}", "{%c0,%c1,%c2,%c3}"}) {
    const auto got = run(
        handle, "tex.a1d.v4.f32.f32 {%q0,%q1,%q2,%q3}, [%rd1, " + std::string(place) + "];", rows);
    EXPECT_EQ(number(got[0][0]), data[2 * 8 + 5]) << place;
    EXPECT_EQ(number(got[1][0]), data[3]) << place;
  }
}

}  // namespace
}  // namespace warpmark::test
