// constexpr and static_assert inside the kernel, and a bool.
extern "C" __global__ void double_array(float *d_a, unsigned n, float factor) {
  constexpr int kWarp = 32;
  static_assert(kWarp == 32, "a warp has 32 threads");
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  bool mine = i < n;
  if (mine) d_a[i] = d_a[i] * factor;
}
