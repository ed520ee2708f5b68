// Does nothing.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
}
