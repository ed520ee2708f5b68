// Shared by tests of textures and surfaces: the entry points, and kernels of one instruction.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "device/support/client.hpp"

namespace warpmark::test {

/// The entry points for images.
struct ImageApi {
#define WARPMARK_ENTRY(member, name) \
  decltype(&::name) member = api().find<std::remove_pointer_t<decltype(&::name)>>(#name)
  WARPMARK_ENTRY(array, cuArray3DCreate_v2);
  WARPMARK_ENTRY(plain_array, cuArrayCreate_v2);
  WARPMARK_ENTRY(destroy_array, cuArrayDestroy);
  WARPMARK_ENTRY(describe, cuArrayGetDescriptor_v2);
  WARPMARK_ENTRY(describe_3d, cuArray3DGetDescriptor_v2);
  WARPMARK_ENTRY(mipmap, cuMipmappedArrayCreate);
  WARPMARK_ENTRY(level, cuMipmappedArrayGetLevel);
  WARPMARK_ENTRY(destroy_mipmap, cuMipmappedArrayDestroy);
  WARPMARK_ENTRY(alloc_pitch, cuMemAllocPitch_v2);
  WARPMARK_ENTRY(copy_2d, cuMemcpy2D_v2);
  WARPMARK_ENTRY(copy_2d_unaligned, cuMemcpy2DUnaligned_v2);
  WARPMARK_ENTRY(copy_2d_async, cuMemcpy2DAsync_v2);
  WARPMARK_ENTRY(copy_3d, cuMemcpy3D_v2);
  WARPMARK_ENTRY(copy_3d_async, cuMemcpy3DAsync_v2);
  WARPMARK_ENTRY(copy_3d_peer, cuMemcpy3DPeer);
  WARPMARK_ENTRY(host_to_array, cuMemcpyHtoA_v2);
  WARPMARK_ENTRY(array_to_host, cuMemcpyAtoH_v2);
  WARPMARK_ENTRY(device_to_array, cuMemcpyDtoA_v2);
  WARPMARK_ENTRY(array_to_device, cuMemcpyAtoD_v2);
  WARPMARK_ENTRY(array_to_array, cuMemcpyAtoA_v2);
  WARPMARK_ENTRY(fill8, cuMemsetD2D8_v2);
  WARPMARK_ENTRY(fill16, cuMemsetD2D16_v2);
  WARPMARK_ENTRY(fill32, cuMemsetD2D32_v2);
  WARPMARK_ENTRY(texture, cuTexObjectCreate);
  WARPMARK_ENTRY(destroy_texture, cuTexObjectDestroy);
  WARPMARK_ENTRY(texture_resource, cuTexObjectGetResourceDesc);
  WARPMARK_ENTRY(texture_sampler, cuTexObjectGetTextureDesc);
  WARPMARK_ENTRY(texture_view, cuTexObjectGetResourceViewDesc);
  WARPMARK_ENTRY(surface, cuSurfObjectCreate);
  WARPMARK_ENTRY(destroy_surface, cuSurfObjectDestroy);
  WARPMARK_ENTRY(surface_resource, cuSurfObjectGetResourceDesc);
#undef WARPMARK_ENTRY
};
inline const ImageApi& images() {
  static const ImageApi instance;
  return instance;
}

using Words = std::array<std::uint32_t, 8>;
using Texels = std::array<std::uint32_t, 4>;

inline std::uint32_t word(float value) {
  return std::bit_cast<std::uint32_t>(value);
}
inline float number(std::uint32_t word) {
  return std::bit_cast<float>(word);
}

/// Contexts with images in them.
class ImageTest : public DeviceTest {
 protected:
  /// An array with these bytes: rows of `width` texels without gaps.
  CUarray array(const CUDA_ARRAY3D_DESCRIPTOR& descriptor, const void* bytes, unsigned texel) {
    CUarray made = nullptr;
    EXPECT_CU(images().array(&made, &descriptor));
    if (made != nullptr && bytes != nullptr) upload(made, descriptor, bytes, texel);
    return made;
  }
  static void upload(CUarray to, const CUDA_ARRAY3D_DESCRIPTOR& descriptor, const void* bytes,
                     unsigned texel) {
    CUDA_MEMCPY3D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = bytes;
    copy.srcPitch = descriptor.Width * texel;
    copy.srcHeight = std::max<std::size_t>(descriptor.Height, 1);
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = to;
    copy.WidthInBytes = descriptor.Width * texel;
    copy.Height = copy.srcHeight;
    copy.Depth = std::max<std::size_t>(descriptor.Depth, 1);
    EXPECT_CU(images().copy_3d(&copy));
  }
  static CUDA_RESOURCE_DESC of_array(CUarray array) {
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    return resource;
  }
  CUtexObject texture(const CUDA_RESOURCE_DESC& resource, const CUDA_TEXTURE_DESC& sampler,
                      const CUDA_RESOURCE_VIEW_DESC* view = nullptr) {
    CUtexObject made = 0;
    EXPECT_CU(images().texture(&made, &resource, &sampler, view));
    return made;
  }
  CUsurfObject surface(CUarray array) {
    const CUDA_RESOURCE_DESC resource = of_array(array);
    CUsurfObject made = 0;
    EXPECT_CU(images().surface(&made, &resource));
    return made;
  }

  /// A kernel that executes `instruction` for each row of eight words %c0 … %c7 (also the low ones
  /// as %w0 … %w1, 64 bits) and stores %q0 … %q3. The handle is %rd1; %p1 becomes bit 31 of
  /// nothing: tests that want it select on it.
  CUfunction one(const std::string& instruction) {
    return kernel_of(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 handle, "
        ".param .u64 in, .param .u64 out, .param .u32 n)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; "
        ".reg .b32 %c<8>, %q<4>, %r<8>; .reg .b64 %rd<8>, %w<4>;\n"
        "ld.param.u64 %rd1, [handle]; ld.param.u64 %rd2, [in]; ld.param.u64 %rd3, [out];\n"
        "ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x;\n"
        "mad.lo.s32 %r2, %r3, 64, %r2; setp.ge.u32 %p2, %r2, %r1; @%p2 bra END;\n"
        "mul.wide.u32 %rd4, %r2, 32; add.s64 %rd2, %rd2, %rd4;\n"
        "mul.wide.u32 %rd4, %r2, 16; add.s64 %rd3, %rd3, %rd4;\n"
        "ld.global.v4.b32 {%c0, %c1, %c2, %c3}, [%rd2];\n"
        "ld.global.v4.b32 {%c4, %c5, %c6, %c7}, [%rd2+16];\n"
        "mov.b32 %q0, 0; mov.b32 %q1, 0; mov.b32 %q2, 0; mov.b32 %q3, 0; setp.ne.u32 %p1, %q0, "
        "0;\n" +
            instruction + "\nst.global.v4.b32 [%rd3], {%q0, %q1, %q2, %q3};\nEND: ret;\n}\n",
        "k");
  }
  std::vector<Texels> run(std::uint64_t handle, const std::string& instruction,
                          const std::vector<Words>& rows) {
    std::vector<Texels> results(rows.size());
    const CUfunction kernel = one(instruction);
    if (kernel == nullptr) return results;
    Array<Words> in(rows);
    Array<Texels> out(results);
    EXPECT_CU(launch(kernel, {static_cast<unsigned>((rows.size() + 63) / 64)}, {64}, 0, handle,
                     in.address, out.address, static_cast<std::uint32_t>(rows.size())));
    EXPECT_CU(out.fetch());
    EXPECT_CU(api().free(in.address));
    EXPECT_CU(api().free(out.address));
    return out.host;
  }
  /// The result of a launch that must fail, and its report.
  CUresult failing(std::uint64_t handle, const std::string& instruction, const Words& row,
                   Json& report) {
    const CUfunction kernel = one(instruction);
    Array<Words> in(std::vector<Words>{row});
    Array<Texels> out(1);
    EXPECT_CU(launch(kernel, {1}, {64}, 0, handle, in.address, out.address, std::uint32_t{1}));
    const CUresult result = api().synchronize();
    const auto lines = reports();
    EXPECT_EQ(lines.size(), 1u);
    if (!lines.empty()) report = lines[0];
    // A failed launch takes the context with it.
    EXPECT_CU(api().destroy_context(context_));
    context_ = nullptr;
    EXPECT_CU(api().create_context(&context_, 0, 0));
    return result;
  }
};

}  // namespace warpmark::test
