// Names in other scripts, as students may have. No CUDA compiler of these years reads them.
__device__ float удвоить(float число) { return 2 * число; }
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int индекс = blockIdx.x * blockDim.x + threadIdx.x;
  if (индекс < n) dst[индекс] = удвоить(src[индекс]);
}
