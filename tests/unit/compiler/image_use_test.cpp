// Which kernels use layered textures, by lines of PTX as NVRTC 13.0 writes them.
#include "compiler/image_use.hpp"

#include <gtest/gtest.h>

namespace warpmark {
namespace {

constexpr const char* kImagePtx =
    ".func  (.param .b32 func_retval0) _Z1fy(\n\t.param .b64 _Z1fy_param_0\n)\n{\n"
    "\ttex.a1d.v4.f32.f32 \t{%f2, %f3, %f4, %f5}, [%rd1, {%r2, %f1}];\n}\n"
    ".func _Z1gy()\n{\n\tcall.uni (retval0), \n\t_Z1fy, \n\t(\n\tparam0\n\t);\n}\n"
    ".visible .entry plain(\n)\n{\n\ttex.2d.v4.f32.f32 \t{%f3, %f4, %f5, %f6}, [%rd1, {%f1, "
    "%f2}];\n}\n"
    "\t// .globl\tlayered\n.visible .entry layered(\n)\n{\n"
    "@%p1\ttex.level.a2d.v4.f32.f32 \t{%f3, %f4, %f5, %f6}, [%rd1, {%r2, %f1, %f2, %f2}], %f2;\n}\n"
    ".entry cube(\n)\n{\n\ttld4.r.cube.v4.f32.f32 \t{%f4, %f5, %f6, %f7}, [%rd1, {%f1, %f3}];\n}\n"
    ".visible .entry called(\n)\n{\n\t{ // callseq 0\n\tcall.uni \n\t_Z1gy, \n\t(\n\t);\n\t}\n}\n"
    ".visible .entry draw(\n)\n{\n\tsust.b.a2d.b32.trap \t[%rd1, {%r5, %r2, %r4, %r4}], "
    "{%r3};\n}\n";

TEST(LayeredImageUse, IsOfTheKernelAndOfWhatItCalls) {
  EXPECT_EQ(layered_image_use(kImagePtx, "plain"), std::nullopt);
  EXPECT_EQ(layered_image_use(kImagePtx, "layered"),
            (ImageUse{"tex.level.a2d.v4.f32.f32", "tex2DLayered"}));
  EXPECT_EQ(layered_image_use(kImagePtx, "cube"),
            (ImageUse{"tld4.r.cube.v4.f32.f32", "texCubemap"}));
  EXPECT_EQ(layered_image_use(kImagePtx, "called"),
            (ImageUse{"tex.a1d.v4.f32.f32", "tex1DLayered"}));
  EXPECT_EQ(layered_image_use(kImagePtx, "draw"),
            (ImageUse{"sust.b.a2d.b32.trap", "surf2DLayered…"}));
  EXPECT_EQ(layered_image_use(kImagePtx, "missing"), std::nullopt);
  EXPECT_EQ(layered_image_use("", "plain"), std::nullopt);
}

}  // namespace
}  // namespace warpmark
