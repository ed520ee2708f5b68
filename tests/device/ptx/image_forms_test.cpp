// Which texture and surface instructions load: ptxas 13.0's verdicts on each of these.
#include "device/support/client.hpp"

namespace warpmark::test {
namespace {

constexpr const char* kValid[] = {
    "tex.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, %f5];",
    "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {0f3f800000, %f5}];",
    "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {1.0, %f5}];",
    "tex.2d.v4.f32.f32 {%f1,%f2,%f3,_}, [%rd1, {%f6, %f5}];",
    "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}|%p1, [%rd1, {%f6, %f5}];",
    "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f6, %f5}], {%r1, %r2};",
    "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f6, %f5}], {1, 2};",
    "tex.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f6}], {%r1};",
    "tex.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f6}], %r1;",
    "tex.3d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f6,%f5,%f4,%f3}], {%r1,%r1,%r1,%r1};",
    "tex.2d.v4.f32.f32 {%r1,%r2,%r3,%r4}, [%rd1, {%f6, %f5}];",
    "tex.2d.v4.f16.f32 {%h1,%h2,%h3,%h4}, [%rd1, {%f6, %f5}];",
    "tex.2d.v2.f16x2.f32 {%r1,%r2}, [%rd1, {%f6, %f5}];",
    "tex.2d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%rd1, {%r6, %f5}];",
    "tex.2d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%rd1, {%r6, %r5}];",
    "tex.a1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%r6,%f5}];",
    "tex.a2d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%rd1, {%r6,%r5,%r4,%r4}];",
    "tex.base.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f6, %f5}];",
    "tex.level.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f6, %f5}], 0f3f800000;",
    "tex.level.2d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%rd1, {%r6, %r5}], %r1;",
    "tex.level.acube.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%r6, %f5,%f6,%f7}], %f1;",
    "tex.grad.acube.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%r6, %f5,%f6,%f7}], "
    "{%f1,%f2,%f3,%f4},{%f1,%f2,%f3,%f4};",
    "tld4.r.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f6, %f5}], {1,2};",
    "tld4.r.a2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%r1,%f6, %f5,%f5}];",
    "tld4.r.cube.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f6, %f5,%f5,%f5}];",
    "tld4.r.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}|%p1, [%rd1, {%f6, %f5}];",
    "txq.width.b32 %r1, [%rd1];",
    "txq.level.width.b32 %r1, [%rd1], %r2;",
    "txq.level.width.b32 %r1, [%rd1], 1;",
    "txq.channel_data_type.b32 %r1, [%rd1];",
    "txq.channel_order.b32 %r1, [%rd1];",
    "txq.normalized_coords.b32 %r1, [%rd1];",
    "txq.array_size.b32 %r1, [%rd1];",
    "txq.num_mipmap_levels.b32 %r1, [%rd1];",
    "txq.num_samples.b32 %r1, [%rd1];",
    "txq.filter_mode.b32 %r1, [%rd1];",
    "txq.addr_mode_0.b32 %r1, [%rd1];",
    "txq.force_unnormalized_coords.b32 %r1, [%rd1];",
    "suq.width.b32 %r1, [%rd1];",
    "suq.memory_layout.b32 %r1, [%rd1];",
    "suq.channel_data_type.b32 %r1, [%rd1];",
    "suld.b.1d.b32.trap %r1, [%rd1, %r2];",
    "suld.b.1d.b32.trap {%r1}, [%rd1, {4}];",
    "suld.b.2d.b32.trap {%f1}, [%rd1, {%r1, %r2}];",
    "suld.b.2d.ca.b32.trap {%f1}, [%rd1, {%r1, %r2}];",
    "suld.b.2d.b8.trap {%r1}, [%rd1, {%r1, %r2}];",
    "suld.b.2d.b64.trap {%fd1}, [%rd1, {%r1, %r2}];",
    "sust.p.2d.v4.b32.trap [%rd1, {%r1, %r2}], {%r1,%r2,%r3,%r4};",
    "sust.p.2d.b32.trap [%rd1, {%r1, %r2}], {%r1};",
    "sust.p.2d.v2.b32.trap [%rd1, {%r1, %r2}], {%r1,%r2};",
    "sust.b.2d.b32.trap [%rd1, {%r1, %r2}], 7;",
    "sust.b.2d.b32.trap [%rd1, {%r1, %r2}], {7};",
    "sured.b.add.2d.u32.trap [%rd1, {%r1, %r2}], %r3;",
    "sured.b.add.2d.u64.trap [%rd1, {%r1, %r2}], %rd3;",
    "sured.b.min.2d.s32.clamp [%rd1, {%r1, %r2}], %r3;",
    "sured.b.min.2d.s64.clamp [%rd1, {%r1, %r2}], %rd3;",
    "sured.b.and.2d.b32.zero [%rd1, {%r1, %r2}], %r3;",
    "sured.p.add.2d.b32.zero [%rd1, {%r1, %r2}], %r3;"};

constexpr const char* kWrong[] = {
    "tex.2d.v4.u32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f6, %f5}];",
    "tex.3d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f6,%f5,%f4}];",
    "tex.a2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%r6,%f5,%f4}];",
    "tex.cube.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%rd1, {%r6,%r5,%r4,%r4}];",
    "tex.level.2d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%rd1, {%r6, %r5}], %f1;",
    "tld4.r.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f6}];",
    "txq.level.array_size.b32 %r1, [%rd1], 1;",
    "suld.b.3d.b32.trap {%r1}, [%rd1, {%r1, %r2, %r3}];",
    "suld.b.2d.v4.b64.trap {%rd1,%rd2,%rd3,%rd4}, [%rd1, {%r1, %r2}];",
    "sust.p.2d.v4.f32.trap [%rd1, {%r1, %r2}], {%r1,%r2,%r3,%r4};",
    "sust.b.cube.b32.trap [%rd1, {%r1, %r2}], %r1;",
    "sured.p.and.2d.b32.zero [%rd1, {%r1, %r2}], {%r3};",
    "sured.p.min.2d.b64.zero [%rd1, {%r1, %r2}], {%rd3};",
    "sured.b.or.a2d.b32.zero [%rd1, {%r1, %r2,%r3,%r3}], %r3;"};

class ImageForms : public DeviceTest {
 protected:
  static CUresult load(const std::string& instruction) {
    const std::string text =
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 o)\n{\n"
        ".reg .pred %p<5>; .reg .b16 %h<9>; .reg .b32 %r<20>; .reg .f32 %f<20>; .reg .b64 %rd<9>; "
        ".reg .f64 %fd<4>;\n" +
        instruction + "\nret;\n}\n";
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    CUresult result = api().load(&module, text.c_str());
    if (result != CUDA_SUCCESS) return result;
    result = api().function(&function, module, "k");
    EXPECT_EQ(api().unload(module), CUDA_SUCCESS);
    return result;
  }
};

TEST_F(ImageForms, ValidOnesLoad) {
  for (const char* instruction : kValid) EXPECT_EQ(load(instruction), CUDA_SUCCESS) << instruction;
}

TEST_F(ImageForms, WrongOnesAreInvalidPtx) {
  for (const char* instruction : kWrong)
    EXPECT_EQ(load(instruction), CUDA_ERROR_INVALID_PTX) << instruction;
}

// Text that ends or breaks a name, and operands that are missing or of a wrong kind.
TEST_F(ImageForms, PiecesAreInvalidPtx) {
  for (const char* instruction :
       {"tex;",
        "tex.2d;",
        "tex.;",
        "tex.2d.v4.f32.f32;",
        "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4};",
        "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1];",
        "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {}];",
        "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%rd1, %rd2}];",
        "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%r1, {%f1, %f2}];",
        "tex.2d.v4.f32.f32 {%f1,%f2,%f3}, [%rd1, {%f1, %f2}];",
        "tex.2d.v4.f32.f32 {%f1,%f2,%f3,1}, [%rd1, {%f1, %f2}];",
        "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f1, %p1}];",
        "tex.grad.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f1, %f2}], {%f1, %f2};",
        "tex.level.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f1, %f2}], {%f1, %f2};",
        "tld4.x.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f6, %f5}];",
        "txq.b32 %r1, [%rd1];",
        "txq.width.b32 %r1, [%rd1], 1;",
        "txq.width.b64 %rd1, [%rd1];",
        "suld.b;",
        "suld.b.2d.b32.wrap %r1, [%rd1, {%r1, %r2}];",
        "suld.b.2d.f32.trap %r1, [%rd1, {%r1, %r2}];",
        "suld.b.2d.b32.trap %r1, [%rd1, %r1];",
        "suld.b.2d.b32.trap 1, [%rd1, {%r1, %r2}];",
        "suld.b.2d.v2.b32.trap %r1, [%rd1, {%r1, %r2}];",
        "suld.b.2d.v3.b32.trap {%r1,%r2,%r3}, [%rd1, {%r1, %r2}];",
        "sured.b.xor.2d.b32.trap [%rd1, {%r1, %r2}], %r3;"}) {
    EXPECT_EQ(load(instruction), CUDA_ERROR_INVALID_PTX) << instruction;
  }
}

}  // namespace
}  // namespace warpmark::test
