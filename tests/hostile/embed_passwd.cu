// Embeds a file, or asks whether there is one.
#ifdef __has_embed
#if __has_embed("/etc/passwd")
#error there is one
#endif
#endif
constexpr unsigned char text[] = {
#embed "/etc/passwd"
};
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dst[i] = 2 * src[i];
}
