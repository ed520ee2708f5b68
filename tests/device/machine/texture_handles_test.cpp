// Texture objects: what a description may be, what a query returns, and invalid handles.
#include <cmath>
#include <random>
#include <utility>

#include "device/machine/texture.hpp"

namespace warpmark::test {
namespace {

TEST_F(TextureTest, QueriesReturnTheDescription) {
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
  // A handle of another context.
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
  view.width = 1;
  ASSERT_CU(images().texture_view(&view, handle));  // as on an H200: results/h200/runtime_tests.txt
  EXPECT_EQ(view.format, CU_RES_VIEW_FORMAT_NONE);
  EXPECT_EQ(view.width, 0u);
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
