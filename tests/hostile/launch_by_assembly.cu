// Launches a kernel by the device runtime's own functions, declared in inline assembly.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("{ .reg .b64 p; .reg .b32 e; .param .b64 f; .param .b32 r; call.uni (r), cudaDeviceSynchronize, (); ld.param.b32 e, [r]; }");
  if (i < n) dst[i] = 2 * src[i];
}
