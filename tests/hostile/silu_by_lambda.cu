// Right, in an odd style: lambdas without a generic one, given to a template.
template <class F> __device__ void each(int i, int n, F f) { if (i < n) f(i); }
extern "C" __global__ void silu(const float *x, float *y, int n) {
  auto sigma = [](float v) { return 1 / (1 + expf(-v)); };
  each(blockIdx.x * blockDim.x + threadIdx.x, n, [=](int i) { y[i] = x[i] * sigma(x[i]); });
}
