// A program that calls, for tests of what is counted of it.
#pragma once

namespace warpmark::test {

/// Kernel k doubles the float at `out` by a function that is not inlined.
inline constexpr const char* kCallsAFunction = R"(.version 9.0
.target sm_90
.address_size 64
.func (.param .b32 r) twice(.param .b32 x) {
.reg .f32 %f<3>;
ld.param.f32 %f1, [x]; add.f32 %f2, %f1, %f1; st.param.f32 [r], %f2; ret;
}
.visible .entry k(.param .u64 out) {
.reg .b64 %rd<3>; .reg .f32 %f<3>;
ld.param.u64 %rd1, [out]; ld.global.f32 %f1, [%rd1];
{ .param .b32 a; .param .b32 b; st.param.f32 [a], %f1; call (b), twice, (a); ld.param.f32 %f2, [b]; }
st.global.f32 [%rd1], %f2; ret;
})";

}  // namespace warpmark::test
