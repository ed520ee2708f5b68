// The cudaCG… functions of programs with relocatable code, which the device has itself.
#include <algorithm>
#include <numeric>

#include "device/support/client.hpp"
#include "device/support/cooperative_launch.hpp"

namespace warpmark::test {
namespace {

using ::testing::ElementsAre;

// As nvcc -rdc=true compiles calls of cuda_device_runtime_api.h.
const char* const kText = R"(
.version 8.0
.target sm_80
.address_size 64
.extern .func  (.param .b64 func_retval0) cudaCGGetIntrinsicHandle
(
  .param .b32 cudaCGGetIntrinsicHandle_param_0
)
;
.extern .func  (.param .b32 func_retval0) cudaCGGetSize
(
  .param .b64 cudaCGGetSize_param_0,
  .param .b64 cudaCGGetSize_param_1,
  .param .b64 cudaCGGetSize_param_2
)
;
.extern .func  (.param .b32 func_retval0) cudaCGGetRank
(
  .param .b64 cudaCGGetRank_param_0,
  .param .b64 cudaCGGetRank_param_1,
  .param .b64 cudaCGGetRank_param_2
)
;
.extern .func  (.param .b32 func_retval0) cudaCGSynchronize
(
  .param .b64 cudaCGSynchronize_param_0,
  .param .b32 cudaCGSynchronize_param_1
)
;
.extern .func  (.param .b32 func_retval0) cudaCGSynchronizeGrid
(
  .param .b64 cudaCGSynchronizeGrid_param_0,
  .param .b32 cudaCGSynchronizeGrid_param_1
)
;
// Thread i writes x[i] = i, waits for all, and writes y[i] = x[(i + shift) % threads], twice.
.visible .entry shift(.param .u64 x, .param .u64 y, .param .u32 by)
{
  .local .align 8 .b8 frame[8];
  .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<16>;
  ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.u32 %r1, [by];
  mov.u64 %rd3, frame; cvta.local.u64 %rd3, %rd3; add.u64 %rd4, %rd3, 4;
  { .param .b32 a; .param .b64 c; st.param.b32 [a+0], 1;
    call.uni (c), cudaCGGetIntrinsicHandle, (a); ld.param.b64 %rd5, [c+0]; }
  { .param .b64 a; .param .b64 b; .param .b64 h; .param .b32 c;
    st.param.b64 [a+0], %rd3; st.param.b64 [b+0], 0; st.param.b64 [h+0], %rd5;
    call.uni (c), cudaCGGetSize, (a, b, h); ld.param.b32 %r2, [c+0]; }
  { .param .b64 a; .param .b64 b; .param .b64 h; .param .b32 c;
    st.param.b64 [a+0], %rd4; st.param.b64 [b+0], 0; st.param.b64 [h+0], %rd5;
    call.uni (c), cudaCGGetRank, (a, b, h); ld.param.b32 %r3, [c+0]; }
  ld.u32 %r4, [%rd3]; ld.u32 %r5, [%rd4];
  mul.wide.u32 %rd6, %r5, 4; add.u64 %rd7, %rd1, %rd6; st.global.u32 [%rd7], %r5;
  { .param .b64 a; .param .b32 b; .param .b32 c; st.param.b64 [a+0], %rd5; st.param.b32 [b+0], 0;
    call.uni (c), cudaCGSynchronize, (a, b); ld.param.b32 %r6, [c+0]; }
  add.u32 %r7, %r5, %r1; rem.u32 %r7, %r7, %r4;
  mul.wide.u32 %rd8, %r7, 4; add.u64 %rd9, %rd1, %rd8; ld.global.u32 %r8, [%rd9];
  { .param .b64 a; .param .b32 b; .param .b32 c; st.param.b64 [a+0], %rd5; st.param.b32 [b+0], 0;
    call.uni (c), cudaCGSynchronizeGrid, (a, b); ld.param.b32 %r9, [c+0]; }
  st.global.u32 [%rd7], %r8;
  add.u64 %rd10, %rd2, %rd6; or.b32 %r10, %r2, %r3; or.b32 %r10, %r10, %r6;
  or.b32 %r10, %r10, %r9; mul.lo.u32 %r10, %r10, 1000000; add.u32 %r10, %r10, %r8;
  st.global.u32 [%rd10], %r10;
  ret;
}
// What each function gives for the handle, by one thread: results, and the handles of two scopes.
.visible .entry ask(.param .u64 out, .param .u64 other)
{
  .local .align 8 .b8 frame[8];
  .reg .pred %p<3>; .reg .b32 %r<16>; .reg .b64 %rd<16>;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [other];
  mov.u64 %rd3, frame; cvta.local.u64 %rd3, %rd3; add.u64 %rd4, %rd3, 4;
  st.u32 [%rd3], 77; st.u32 [%rd4], 78;
  { .param .b32 a; .param .b64 c; st.param.b32 [a+0], 1;
    call.uni (c), cudaCGGetIntrinsicHandle, (a); ld.param.b64 %rd5, [c+0]; }
  { .param .b32 a; .param .b64 c; st.param.b32 [a+0], 2;
    call.uni (c), cudaCGGetIntrinsicHandle, (a); ld.param.b64 %rd6, [c+0]; }
  add.u64 %rd7, %rd5, %rd2;
  { .param .b64 a; .param .b64 b; .param .b64 h; .param .b32 c;
    st.param.b64 [a+0], 0; st.param.b64 [b+0], %rd3; st.param.b64 [h+0], %rd7;
    call.uni (c), cudaCGGetSize, (a, b, h); ld.param.b32 %r1, [c+0]; }
  { .param .b64 a; .param .b64 b; .param .b64 h; .param .b32 c;
    st.param.b64 [a+0], 0; st.param.b64 [b+0], %rd4; st.param.b64 [h+0], %rd7;
    call.uni (c), cudaCGGetRank, (a, b, h); ld.param.b32 %r2, [c+0]; }
  { .param .b64 a; .param .b32 b; .param .b32 c; st.param.b64 [a+0], %rd7; st.param.b32 [b+0], 0;
    call.uni (c), cudaCGSynchronize, (a, b); ld.param.b32 %r3, [c+0]; }
  ld.u32 %r4, [%rd3]; ld.u32 %r5, [%rd4];
  setp.ne.u64 %p1, %rd5, 0; selp.u32 %r6, 1, 0, %p1;
  setp.ne.u64 %p2, %rd6, 0; selp.u32 %r7, 1, 0, %p2;
  st.global.u32 [%rd1], %r1; st.global.u32 [%rd1+4], %r2; st.global.u32 [%rd1+8], %r3;
  st.global.u32 [%rd1+12], %r4; st.global.u32 [%rd1+16], %r5;
  st.global.u32 [%rd1+20], %r6; st.global.u32 [%rd1+24], %r7;
  ret;
}
)";

class GridGroups : public DeviceTest {};

TEST_F(GridGroups, WaitForAllOfTheGrid) {
  for (const char* options :
       {R"({"checks": ["memory"]})", R"({"workers": 2})",
        R"({"checks": ["memory", "init", "race", "sync"]})", R"({"check": "none"})"}) {
    configure(options);
    CUfunction shift = kernel_of(kText, "shift");
    for (const auto& [grid, block] : {std::pair(Dim{1}, Dim{1}), std::pair(Dim{9}, Dim{64}),
                                      std::pair(Dim{2, 3, 2}, Dim{4, 3, 5})}) {
      const unsigned threads = grid.x * grid.y * grid.z * block.x * block.y * block.z, by = 37;
      Array<unsigned> x(std::vector<unsigned>(threads, 0)), y(std::vector<unsigned>(threads, 0));
      ASSERT_CU(cooperate(shift, grid, block, x.address, y.address, by));
      ASSERT_CU(api().synchronize());
      ASSERT_CU(y.fetch());
      std::vector<unsigned> expected(threads);
      for (unsigned i = 0; i < threads; ++i) expected[i] = (i + by) % threads;
      EXPECT_EQ(y.host, expected) << options;
      EXPECT_THAT(reports(), ::testing::IsEmpty()) << options;
    }
  }
}

TEST_F(GridGroups, HandlesAreThoseOfCooperativeLaunches) {
  CUfunction ask = kernel_of(kText, "ask");
  Array<unsigned> out(std::vector<unsigned>(7, 9));
  ASSERT_CU(cooperate(ask, {1}, {1}, out.address, std::uint64_t{0}));
  ASSERT_CU(out.fetch());
  EXPECT_THAT(out.host, ElementsAre(0, 0, 0, 1, 0, 1, 0)) << "no grid of several devices";
  ASSERT_CU(cooperate(ask, {1}, {1}, out.address, std::uint64_t{16}));
  ASSERT_CU(out.fetch());
  EXPECT_THAT(out.host, ElementsAre(1, 1, 1, 77, 78, 1, 0)) << "cudaErrorInvalidValue";
  ASSERT_CU(launch(ask, {1}, {1}, 0, out.address, std::uint64_t{0}));
  ASSERT_CU(out.fetch());
  EXPECT_THAT(out.host, ElementsAre(1, 1, 1, 77, 78, 0, 0)) << "not cooperative";
}

}  // namespace
}  // namespace warpmark::test
