// Calls malloc through its address, declared in inline assembly.
extern "C" __device__ void *malloc(unsigned long);
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  void *(*volatile get)(unsigned long) = malloc;
  float *kept = static_cast<float *>(get(4096));
  if (kept) *kept = 2;
  if (i < n) dst[i] = 2 * src[i];
}
