// Texture fetches against results that an H200 gave, to the bit.
//
// textures_h200.bin was packed by tests/figures/record_textures.py from 936000 fetches recorded on
// an NVIDIA H200: plain ones, and those whose positions are hardest to round.
#include <fstream>
#include <iterator>
#include <map>

#include "device/support/image.hpp"

namespace warpmark::test {
namespace {

struct Format {
  CUarray_format format;
  unsigned bytes;
};
const std::map<std::string, Format> kFormats = {{"f32", {CU_AD_FORMAT_FLOAT, 4}},
                                                {"f16", {CU_AD_FORMAT_HALF, 2}},
                                                {"s16", {CU_AD_FORMAT_SIGNED_INT16, 2}},
                                                {"s8", {CU_AD_FORMAT_SIGNED_INT8, 1}}};

// Fetches with one axis, two and three; the third coordinate is p0·0.7f + p1·0.3f by one fma.
const std::string kFetches[] = {
    "tex.1d.v4.f32.f32 {%q0,%q1,%q2,%q3}, [%rd1, {%c0}];",
    "tex.2d.v4.f32.f32 {%q0,%q1,%q2,%q3}, [%rd1, {%c0,%c1}];",
    "mul.rn.f32 %c2, %c1, 0f3e99999a;\nfma.rn.f32 %c2, %c0, 0f3f333333, %c2;\n"
    "tex.3d.v4.f32.f32 {%q0,%q1,%q2,%q3}, [%rd1, {%c0,%c1,%c2,%c2}];"};

class TextureRecordedTest : public ImageTest {
 protected:
  // The next bytes of the file.
  const char* take(std::size_t bytes) {
    EXPECT_LE(at_ + bytes, file_.size());
    const char* const from = file_.data() + at_;
    at_ += bytes;
    return from;
  }

  std::string file_;
  std::size_t at_ = 0;
};

TEST_F(TextureRecordedTest, ResultsAreTheH200s) {
  std::ifstream stream(WARPMARK_RECORDED "/textures_h200.bin", std::ios::binary);
  file_.assign(std::istreambuf_iterator<char>(stream), {});
  const std::size_t end = file_.find('\n');
  ASSERT_NE(end, std::string::npos);
  const Json header = Json::parse(file_.substr(0, end));
  at_ = end + 1;

  struct Recorded {
    std::string name;
    std::size_t axes;
    CUarray array;
  };
  std::vector<Recorded> textures;
  for (const Json& texture : header["textures"]) {
    const auto& [format, bytes] = kFormats.at(texture["format"]);
    auto size = texture["size"].get<std::vector<std::size_t>>();
    const std::size_t axes = size.size();
    size.resize(3);
    const CUDA_ARRAY3D_DESCRIPTOR descriptor = {size[0], size[1], size[2], format, 1, 0};
    const std::size_t texels =
        size[0] * std::max<std::size_t>(size[1], 1) * std::max<std::size_t>(size[2], 1);
    const CUarray storage = array(descriptor, take(texels * bytes), bytes);
    textures.push_back({texture.dump(), axes, storage});
  }

  std::size_t compared = 0;
  for (const Json& group : header["fetches"]) {
    const Recorded& recorded = textures.at(group[0].get<std::size_t>());
    const auto mode = static_cast<CUaddress_mode>(group[1].get<int>());
    const bool normalized = group[2].get<int>() != 0, linear = group[3].get<int>() != 0;
    CUDA_TEXTURE_DESC sampler{};
    for (CUaddress_mode& axis : sampler.addressMode) axis = mode;
    sampler.filterMode = linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
    sampler.flags = normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0;

    const auto count = group[4].get<std::size_t>();
    const std::size_t coordinates = std::min<std::size_t>(recorded.axes, 2);
    std::vector<Words> rows(count);
    std::vector<std::uint32_t> expected(count);
    for (std::size_t i = 0; i < count; ++i) {
      std::memcpy(rows[i].data(), take(4 * coordinates), 4 * coordinates);
      std::memcpy(&expected[i], take(4), 4);
    }
    const CUtexObject handle = texture(of_array(recorded.array), sampler);
    const auto results = run(handle, kFetches[recorded.axes - 1], rows);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(results[i][0], expected[i])
          << number(results[i][0]) << " instead of " << number(expected[i]) << " from "
          << recorded.name << ", mode " << mode << (linear ? " linear" : " point")
          << (normalized ? " normalized" : "") << " at " << number(rows[i][0]) << ", "
          << number(rows[i][1]);
    }
    EXPECT_CU(images().destroy_texture(handle));
    compared += count;
  }
  EXPECT_EQ(at_, file_.size());
  EXPECT_GE(compared, 2500u);
}

}  // namespace
}  // namespace warpmark::test
