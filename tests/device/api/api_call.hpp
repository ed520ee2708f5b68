// Calls of entry points that client.hpp has no member for, by their exported names.
#pragma once

#include "device/support/client.hpp"

/// CALL(cuGraphCreate)(&graph, 0): looked up each time, with the signature of cuda.h.
/// cuda.h's macros choose the version, as they do for a program that links.
#define CALL(name) CALL_AS_NAMED(name)
#define CALL_AS_NAMED(name) (*::warpmark::test::api().find<decltype(::name)>(#name))

namespace warpmark::test {

/// A kernel text with two entries: `add_one` adds 1 to each of n ints, `scale` multiplies them.
inline const char* const kTwoKernels = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 counter = 5;
.visible .entry add_one(.param .u64 data, .param .u32 n)
{
  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [data]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
  mad.lo.s32 %r2, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r2, %r1;
  @%p1 bra done;
  mul.wide.u32 %rd2, %r2, 4; add.s64 %rd1, %rd1, %rd2;
  ld.global.u32 %r5, [%rd1]; add.s32 %r5, %r5, 1; st.global.u32 [%rd1], %r5;
done:
  ret;
}
.visible .entry scale(.param .u64 data, .param .u32 n, .param .u32 factor)
{
  .reg .pred %p<2>; .reg .b32 %r<7>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [data]; ld.param.u32 %r1, [n]; ld.param.u32 %r6, [factor];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
  mad.lo.s32 %r2, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r2, %r1;
  @%p1 bra done;
  mul.wide.u32 %rd2, %r2, 4; add.s64 %rd1, %rd1, %rd2;
  ld.global.u32 %r5, [%rd1]; mul.lo.s32 %r5, %r5, %r6; st.global.u32 [%rd1], %r5;
done:
  ret;
}
)";

}  // namespace warpmark::test
