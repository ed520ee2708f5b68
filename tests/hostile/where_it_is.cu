// Names of files and counts that the compiler knows: nothing of the machine is in them.
#if __INCLUDE_LEVEL__ > 3
#error too deep
#endif
__device__ __noinline__ int length(const char *text) {
  int count = 0;
  for (; text[count]; ++count)
    if (text[count] == '/') return 1000;
  return count;
}
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dst[i] = length(__FILE__) + length(__BASE_FILE__) < 100 ? 2 * src[i] : __COUNTER__;
}
