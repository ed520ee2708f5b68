// Kernels that make very many mistakes, or few in very much memory; bad_inputs_test.py runs them.

// Each thread writes past the end so many times.
extern "C" __global__ void million_writes(int* a, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  #pragma unroll 1
  for (int k = 0; k < rounds; ++k) a[n + i + k] = 1;
}

extern "C" __global__ void million_races(int* a, int rounds) {
  #pragma unroll 1
  for (int k = 0; k < rounds; ++k) a[k & 63] = threadIdx.x + blockIdx.x;
}

extern "C" __global__ void million_undefined(const int* a, int* b, int rounds) {
  #pragma unroll 1
  for (int k = 0; k < rounds; ++k)
    if (a[(threadIdx.x + k) & 1023] == k) b[0] = 1;
}

// Touches one word in every `stride` words.
extern "C" __global__ void few_places(unsigned* a, unsigned long long stride, unsigned long long words) {
  for (unsigned long long i = (blockIdx.x * blockDim.x + threadIdx.x) * stride; i < words; i += gridDim.x * blockDim.x * stride)
    a[i] = a[i] + 1;
}

// Every statement of many has a mistake of its own.
#define FEW(n) a[n + 64 + i * 0] = n; b[i] += s[(i + n) & 63]; s[(i + n) & 63] = n + i;
#define MANY(n) FEW(n) FEW(n + 1) FEW(n + 2) FEW(n + 3) FEW(n + 4) FEW(n + 5) FEW(n + 6) FEW(n + 7)
#define LOTS(n) MANY(n) MANY(n + 8) MANY(n + 16) MANY(n + 24) MANY(n + 32) MANY(n + 40) MANY(n + 48) MANY(n + 56)
extern "C" __global__ void many_places(volatile int* a, volatile int* b) {
  __shared__ int s[64];
  int i = threadIdx.x;
  LOTS(0) LOTS(64) LOTS(128) LOTS(192) LOTS(256) LOTS(320) LOTS(384) LOTS(448)
}

// A lock that is asked for very often after a fence: each attempt releases.
extern "C" __global__ void many_releases(unsigned* count, int* data, int rounds) {
  #pragma unroll 1
  for (int k = 0; k < rounds; ++k) {
    __threadfence();
    atomicAdd(count, 1u);
  }
  if (data[0] == 12345) data[1] = 1;
}
