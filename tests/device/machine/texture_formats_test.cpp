// Values of texels: every format, sRGB, halves, and the forms of a result.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "device/machine/texture.hpp"

namespace warpmark::test {
namespace {

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

}  // namespace
}  // namespace warpmark::test
