// A parameter wider than what is given, which would read past the others.
struct Wide {
  float values[64];
};
extern "C" __global__ void twice(const float *src, float *dst, Wide n) {
  dst[threadIdx.x] = n.values[63];
}
