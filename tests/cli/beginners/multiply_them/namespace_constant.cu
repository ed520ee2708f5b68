namespace {
const int BLOCK = 256;
}
struct Launch {
  static constexpr int threads = 256;
  enum { kAgain = 256 };
};

extern "C" __global__ void multiply_them_grid(float *dest, const float *a, const float *b, int n) {
  static_assert(Launch::threads == BLOCK && Launch::kAgain == BLOCK, "");
  int i = blockIdx.x * Launch::threads + threadIdx.x;
  if (i < n) dest[i] = a[i] * b[i];
}
