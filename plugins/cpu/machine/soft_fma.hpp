// Fused multiply-add in integers, for processors without the instruction and as a reference.
#pragma once

namespace warpmark::cpu {

/// a × b + c with one rounding to nearest even; NaNs are quiet but otherwise unspecified. Does not
/// use libm, whose fma may itself be emulated with different results for exceptional operands.
float soft_fma(float a, float b, float c);
double soft_fma(double a, double b, double c);

}  // namespace warpmark::cpu
