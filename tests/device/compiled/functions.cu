// Functions that NVRTC builds from exact operations only: what they give on a GPU is what literal
// execution gives. Compiled with NVRTC's default options.
#define ONE(name, type, expression)                                                      \
  extern "C" __global__ void name(const type* a, const type* b, type* out, unsigned n) { \
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                  \
    if (i >= n) return;                                                                  \
    type x = a[i], y = b[i];                                                             \
    (void)y;                                                                             \
    out[i] = expression;                                                                 \
  }
ONE(f_sinf, float, sinf(x))
ONE(f_cosf, float, cosf(x))
ONE(f_logf, float, logf(x))
ONE(f_log2f, float, log2f(x))
ONE(f_log10f, float, log10f(x))
ONE(f_log1pf, float, log1pf(x))
ONE(f_sqrtf, float, sqrtf(x))
ONE(f_reciprocal, float, 1.0f / x)
ONE(f_divide, float, x / y)
ONE(f_atan2f, float, atan2f(x, y))
ONE(f_hypotf, float, hypotf(x, y))
ONE(d_sin, double, sin(x))
ONE(d_exp, double, exp(x))
ONE(d_sqrt, double, sqrt(x))
ONE(d_divide, double, x / y)
ONE(d_fmod, double, fmod(x, y))
ONE(d_atan2, double, atan2(x, y))
