// Four elements at once, also where three are left.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * i >= n) return;
  float4 v = ((const float4 *)src)[i];
  ((float4 *)dst)[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
}
