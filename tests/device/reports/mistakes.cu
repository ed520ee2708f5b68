// Kernels whose mistakes reports_test.py looks for, by the lines that `@word` marks.
extern "C" __device__ void *malloc(size_t bytes);
extern "C" __device__ void free(void *pointer);

namespace tools {
template <typename T>
__device__ __forceinline__ T load(const T *from, int i) {
  return from[i];  // @load
}
}  // namespace tools

__device__ __forceinline__ float more(const float *from, int i) {
  return tools::load(from, i) + 1.0f;  // @more
}

extern "C" __global__ void twice(float *out, const float *in, int n) {
  const int i = threadIdx.x;
  out[i] = more(in, i + n);       // @first
  out[i] += more(in, i + 2 * n);  // @second
}

extern "C" __global__ void unrolled(int *out) {
#pragma unroll
  for (int i = 0; i < 4; ++i)
    out[threadIdx.x + 8 + 8 * i] = i;  // @unrolled
}

extern "C" __global__ void neighbours(float *out, const float *in) {
  const int i = threadIdx.x;
  out[i] = in[i - 1] + in[i + 1];  // @neighbours
}

__device__ __noinline__ int read_int(const void *place) {
  return *static_cast<const int *>(place);  // @read_int
}

extern "C" __global__ void misaligned(int *out, int which) {
  __shared__ int shared[8];
  int local[8];
  for (int i = 0; i < 8; ++i) local[i] = which + i;
  shared[threadIdx.x] = which;
  __syncthreads();
  const void *place = which == 0 ? static_cast<void *>(out) : which == 1 ? shared : local;
  const int skew = threadIdx.x == 3 ? 2 : 0;
  const int value = read_int(static_cast<const char *>(place) + skew);
  if (value == 12345) out[7] = value;
}

__device__ __noinline__ int deep(int n) {
  volatile int values[16];
  values[n & 15] = n;
  return n == 0 ? values[0] : deep(n - 1) + values[n & 15];
}

extern "C" __global__ void overflow(int *out, int n) {
  if (threadIdx.x == 5) out[0] = deep(n);
}

extern "C" __global__ void frees(int *out, int which) {
  if (threadIdx.x != 2) return;
  char *memory = static_cast<char *>(malloc(64));
  if (which == 2) return;  // a leak
  if (which == 0) free(memory);
  free(which == 0 ? memory : memory + 16);  // @frees
  out[0] = which;
}

extern "C" __global__ void races(int *out) {
  __shared__ int shared[64];
  shared[threadIdx.x] = threadIdx.x;        // @race_write
  out[threadIdx.x] = shared[63 - threadIdx.x];  // @race_read
}

extern "C" __global__ void unset(int *out, const int *in) {
  const int value = in[threadIdx.x];   // @unset_read
  if (value > 0) out[threadIdx.x] = 1;  // @unset_used
}

extern "C" __global__ void several(int *out, const int *in) {
  out[1] = 7;                            // @harmless
  if (in[threadIdx.x] > 0) out[2] = 1;   // @several_unset
  __syncthreads();
  out[2000 + threadIdx.x] = 1;           // @several_outside
}

extern "C" __global__ void apart(int *out) {
  if (threadIdx.x < 32)
    __syncthreads();
  else
    __syncthreads();
  out[threadIdx.x] = 1;
}

extern "C" __global__ void correct(int *out) { out[threadIdx.x] = threadIdx.x; }

extern "C" __global__ void agree(int *out) {
  out[0] = 7;  // @agree
}
