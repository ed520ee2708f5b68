// Changes an input in place and puts it back.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  volatile float *in = const_cast<volatile float *>(src);
  float old = in[i];
  in[i] = 2 * old;
  dst[i] = in[i];
  in[i] = old;
}
