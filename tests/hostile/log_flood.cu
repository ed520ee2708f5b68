// Half a megabyte of warnings from a line each.
#define W0 { int unused = 1; unused == 1; }
#define W1 W0 W0
#define W2 W1 W1
#define W3 W2 W2
#define W4 W3 W3
#define W5 W4 W4
#define W6 W5 W5
#define W7 W6 W6
#define W8 W7 W7

extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  W8
  if (i < n) dst[i] = 2 * src[i];
}
