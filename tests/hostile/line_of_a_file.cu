// Faults at what it says is a line of the machine's own file.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#line 1 "/etc/passwd"
  dst[i + 100000] = 2 * src[i];
}
