// Fifteen lines of macros that make millions of statements.
#define B0 x = x * 1.5f + i;
#define B1 B0 B0 B0 B0
#define B2 B1 B1 B1 B1
#define B3 B2 B2 B2 B2
#define B4 B3 B3 B3 B3
#define B5 B4 B4 B4 B4
#define B6 B5 B5 B5 B5
#define B7 B6 B6 B6 B6
#define B8 B7 B7 B7 B7
#define B9 B8 B8 B8 B8
#define B10 B9 B9 B9 B9
#define B11 B10 B10 B10 B10
#define B12 B11 B11 B11 B11

extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = src[0];
  B12
  if (i < n) dst[i] = x;
}
