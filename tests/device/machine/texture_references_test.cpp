// Textures and surfaces that kernels name, and that the host binds by cuTexRef… and cuSurfRef….
#include <string>

#include "device/machine/texture.hpp"

// cuda.h calls all of these functions old, and drivers still have them.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace warpmark::test {
namespace {

constexpr const char* kText = R"(.version 8.5
.target sm_90a
.address_size 64
.global .texref T; .global .texref L; .global .surfref S; .global .u32 V;
.global .u64 P = T;
.visible .entry named(.param .u64 out, .param .f32 x, .param .f32 y)
{ .reg .b64 %rd<4>; .reg .f32 %f<7>; .reg .b32 %r<4>;
  ld.param.u64 %rd1, [out]; ld.param.f32 %f5, [x]; ld.param.f32 %f6, [y];
  tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [T, {%f5,%f6}]; st.global.f32 [%rd1], %f1;
  mov.u64 %rd2, T; tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd2, {%f5,%f6}]; st.global.f32 [%rd1+4], %f1;
  ld.global.u64 %rd3, [P]; tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd3, {%f5,%f6}]; st.global.f32 [%rd1+8], %f1;
  txq.width.b32 %r1, [T]; st.global.u32 [%rd1+12], %r1; ret; }
.visible .entry linear(.param .u64 out, .param .s32 i)
{ .reg .b64 %rd<2>; .reg .b32 %r<7>;
  ld.param.u64 %rd1, [out]; ld.param.s32 %r5, [i];
  tex.1d.v4.u32.s32 {%r1,%r2,%r3,%r4}, [L, {%r5}]; st.global.v2.u32 [%rd1], {%r1,%r2}; ret; }
.visible .entry surface(.param .u64 out)
{ .reg .b64 %rd<2>; .reg .b32 %r<4>;
  ld.param.u64 %rd1, [out]; mov.u32 %r1, 4; mov.u32 %r2, 1; mov.u32 %r3, 99;
  sust.b.2d.b32.trap [S, {%r1,%r2}], {%r3}; suld.b.2d.b32.trap {%r3}, [S, {%r1,%r2}];
  st.global.u32 [%rd1], %r3; ret; })";

#define CALL(name) api().find<decltype(::name)>(#name)

class TextureReferences : public ImageTest {
 protected:
  void SetUp() override {
    ImageTest::SetUp();
    ASSERT_CU(api().load(&module_, kText));
  }
  CUtexref texture(const char* name) {
    CUtexref reference = nullptr;
    EXPECT_CU(CALL(cuModuleGetTexRef)(&reference, module_, name));
    return reference;
  }
  template <typename... Arguments>
  CUresult run(const char* name, Array<std::uint32_t>& out, Arguments... arguments) {
    CUfunction kernel = nullptr;
    EXPECT_CU(api().function(&kernel, module_, name));
    EXPECT_CU(launch(kernel, {}, {}, 0, out.address, arguments...));
    const CUresult result = api().synchronize();
    return result != CUDA_SUCCESS ? result : out.fetch();
  }
  CUmodule module_ = nullptr;
};

TEST_F(TextureReferences, FetchWhatIsBound) {
  const auto data = texels(12, 7), other = texels(12, 8);
  const CUarray first = array(descriptor(4, 3, 0), data.data(), 4);
  const CUarray second = array(descriptor(4, 3, 0), other.data(), 4);
  const CUtexref reference = texture("T");
  EXPECT_EQ(texture("T"), reference) << "one reference for each variable";
  Array<std::uint32_t> out(4);
  for (const auto& [bound, values] : {std::pair{first, data}, {second, other}}) {
    ASSERT_CU(CALL(cuTexRefSetArray)(reference, bound, CU_TRSA_OVERRIDE_FORMAT));
    EXPECT_CU(run("named", out, 2.5f, 1.5f));
    for (int place = 0; place < 3; ++place) EXPECT_EQ(number(out.host[place]), values[6]) << place;
    EXPECT_EQ(out.host[3], 4u);
  }
  CUarray got = nullptr;
  EXPECT_CU(CALL(cuTexRefGetArray)(&got, reference));
  EXPECT_EQ(got, second);
  EXPECT_EQ(CALL(cuTexRefSetArray)(reference, first, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(TextureReferences, SampleAsTheyAreSet) {
  const auto data = texels(12, 9);
  const CUtexref reference = texture("T");
  ASSERT_CU(CALL(cuTexRefSetArray)(reference, array(descriptor(4, 3, 0), data.data(), 4),
                                   CU_TRSA_OVERRIDE_FORMAT));
  Array<std::uint32_t> out(4);
  EXPECT_CU(run("named", out, -3.0f, 0.5f));
  EXPECT_EQ(number(out.host[0]), data[0]) << "clamped at first";
  EXPECT_CU(CALL(cuTexRefSetFilterMode)(reference, CU_TR_FILTER_MODE_LINEAR));
  EXPECT_CU(run("named", out, 1.0f, 0.5f));
  EXPECT_EQ(number(out.host[0]), (data[0] + data[1]) / 2);
  EXPECT_CU(CALL(cuTexRefSetFlags)(reference, CU_TRSF_NORMALIZED_COORDINATES));
  EXPECT_CU(CALL(cuTexRefSetFilterMode)(reference, CU_TR_FILTER_MODE_POINT));
  EXPECT_CU(CALL(cuTexRefSetAddressMode)(reference, 0, CU_TR_ADDRESS_MODE_WRAP));
  EXPECT_CU(run("named", out, 2.625f, 0.5f));
  EXPECT_EQ(number(out.host[0]), data[4 + 2]);
  float colour[4] = {7, 8, 9, 10}, got[4] = {};
  EXPECT_CU(CALL(cuTexRefSetAddressMode)(reference, 0, CU_TR_ADDRESS_MODE_BORDER));
  EXPECT_CU(CALL(cuTexRefSetBorderColor)(reference, colour));
  EXPECT_CU(CALL(cuTexRefGetBorderColor)(got, reference));
  EXPECT_EQ(got[3], 10);
  EXPECT_CU(run("named", out, 2.625f, 0.5f));
  EXPECT_EQ(number(out.host[0]), 7);
  CUaddress_mode mode{};
  CUfilter_mode filter{};
  unsigned flags = 0;
  EXPECT_CU(CALL(cuTexRefGetAddressMode)(&mode, reference, 1));
  EXPECT_EQ(mode, CU_TR_ADDRESS_MODE_CLAMP);
  EXPECT_CU(CALL(cuTexRefGetFilterMode)(&filter, reference));
  EXPECT_EQ(filter, CU_TR_FILTER_MODE_POINT);
  EXPECT_CU(CALL(cuTexRefGetFlags)(&flags, reference));
  EXPECT_EQ(flags, unsigned{CU_TRSF_NORMALIZED_COORDINATES});
  EXPECT_EQ(CALL(cuTexRefSetAddressMode)(reference, 3, mode), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(CALL(cuTexRefSetFilterMode)(reference, static_cast<CUfilter_mode>(5)),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(CALL(cuTexRefSetFlags)(reference, 0x100), CUDA_ERROR_INVALID_VALUE);
}

// An address that a texture cannot begin at gives an offset, which the kernel must add.
TEST_F(TextureReferences, ReadMemory) {
  std::vector<std::uint32_t> values(512);
  for (std::uint32_t i = 0; i < 512; ++i) values[i] = i * 3;
  const Array<std::uint32_t> memory(values);
  const CUtexref reference = texture("L");
  ASSERT_CU(CALL(cuTexRefSetFormat)(reference, CU_AD_FORMAT_UNSIGNED_INT32, 2));
  ASSERT_CU(CALL(cuTexRefSetFlags)(reference, CU_TRSF_READ_AS_INTEGER));
  std::size_t offset = 1;
  ASSERT_CU(CALL(cuTexRefSetAddress_v2)(&offset, reference, memory.address, 2048));
  EXPECT_EQ(offset, 0u);
  Array<std::uint32_t> out(2);
  EXPECT_CU(run("linear", out, 17));
  EXPECT_EQ(out.host, (std::vector<std::uint32_t>{34 * 3, 35 * 3}));
  EXPECT_EQ(CALL(cuTexRefSetAddress_v2)(nullptr, reference, memory.address + 16, 64),
            CUDA_ERROR_INVALID_VALUE);
  ASSERT_CU(CALL(cuTexRefSetAddress_v2)(&offset, reference, memory.address + 16, 64));
  EXPECT_EQ(offset, 16u);
  EXPECT_CU(run("linear", out, 2 + 7));
  EXPECT_EQ(out.host[0], 18u * 3);
  EXPECT_CU(run("linear", out, 2 + 8));
  EXPECT_EQ(out.host[0], 0u) << "behind the end";
  CUdeviceptr address = 0;
  CUarray none = nullptr;
  EXPECT_CU(CALL(cuTexRefGetAddress_v2)(&address, reference));
  EXPECT_EQ(address, memory.address);
  EXPECT_EQ(CALL(cuTexRefGetArray)(&none, reference), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(TextureReferences, ReadRowsOfMemory) {
  const auto data = texels(64 * 3, 11);
  const Array<float> memory(data);
  const CUDA_ARRAY_DESCRIPTOR shape{50, 3, CU_AD_FORMAT_FLOAT, 1};
  const CUtexref reference = texture("T");
  ASSERT_CU(CALL(cuTexRefSetAddress2D_v3)(reference, &shape, memory.address, 256));
  Array<std::uint32_t> out(4);
  EXPECT_CU(run("named", out, 40.5f, 2.5f));
  EXPECT_EQ(number(out.host[0]), data[2 * 64 + 40]);
  EXPECT_EQ(CALL(cuTexRefSetAddress2D_v3)(reference, &shape, memory.address, 16),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(CALL(cuTexRefSetFormat)(reference, CU_AD_FORMAT_FLOAT, 2), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(TextureReferences, OfSurfacesAreWritten) {
  const CUarray storage = array(
      descriptor(4, 3, 0, CUDA_ARRAY3D_SURFACE_LDST, CU_AD_FORMAT_UNSIGNED_INT32), nullptr, 4);
  CUsurfref reference = nullptr;
  ASSERT_CU(CALL(cuModuleGetSurfRef)(&reference, module_, "S"));
  ASSERT_CU(CALL(cuSurfRefSetArray)(reference, storage, 0));
  Array<std::uint32_t> out(1);
  EXPECT_CU(run("surface", out));
  EXPECT_EQ(out.host[0], 99u);
  CUarray got = nullptr;
  EXPECT_CU(CALL(cuSurfRefGetArray)(&got, reference));
  EXPECT_EQ(got, storage);
  std::uint32_t read = 0;
  EXPECT_CU(images().array_to_host(&read, storage, 20, 4));
}

TEST_F(TextureReferences, AreFoundByTheirKind) {
  CUtexref reference = nullptr;
  CUsurfref other = nullptr;
  for (const char* name : {"S", "V", "none"})
    EXPECT_EQ(CALL(cuModuleGetTexRef)(&reference, module_, name), CUDA_ERROR_NOT_FOUND) << name;
  for (const char* name : {"T", "V"})
    EXPECT_EQ(CALL(cuModuleGetSurfRef)(&other, module_, name), CUDA_ERROR_NOT_FOUND) << name;
  CUdeviceptr address = 0;
  EXPECT_EQ(api().global(&address, nullptr, module_, "T"), CUDA_ERROR_NOT_FOUND);
  reference = texture("T");
  ASSERT_CU(api().unload(module_));
  EXPECT_EQ(CALL(cuTexRefSetFlags)(reference, 0), CUDA_ERROR_INVALID_VALUE);
}

// A texture to which nothing is bound, or whose array is gone.
TEST_F(TextureReferences, WithoutATextureEndTheLaunch) {
  Array<std::uint32_t> out(4);
  texture("T");
  EXPECT_EQ(run("named", out, 0.5f, 0.5f), CUDA_ERROR_LAUNCH_FAILED);
  const std::vector<Json> said = reports();
  ASSERT_FALSE(said.empty());
  EXPECT_EQ(said[0].at("kind"), "invalid_handle");
  EXPECT_THAT(said[0].at("message").get<std::string>(),
              ::testing::HasSubstr("nothing is bound to the reference of a texture"));
}

TEST_F(TextureReferences, OfNoModuleKeepTheirSettings) {
  CUtexref reference = nullptr;
  ASSERT_CU(CALL(cuTexRefCreate)(&reference));
  EXPECT_CU(CALL(cuTexRefSetFormat)(reference, CU_AD_FORMAT_HALF, 4));
  CUarray_format format{};
  int channels = 0;
  EXPECT_CU(CALL(cuTexRefGetFormat)(&format, &channels, reference));
  EXPECT_EQ(format, CU_AD_FORMAT_HALF);
  EXPECT_EQ(channels, 4);
  EXPECT_CU(CALL(cuTexRefDestroy)(reference));
  EXPECT_EQ(CALL(cuTexRefDestroy)(reference), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(CALL(cuTexRefDestroy)(texture("T")), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace warpmark::test

#pragma GCC diagnostic pop
