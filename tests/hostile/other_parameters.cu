// Another number of parameters.
extern "C" __global__ void twice(const float *src, float *dst) {
  dst[threadIdx.x] = 2 * src[threadIdx.x];
}
