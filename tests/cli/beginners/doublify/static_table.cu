// A small table at the top of the file, read with an index.
static const float kOnes[4] = {1.0f, 1.0f, 1.0f, 1.0f};
__constant__ float kOne = 1.0f;
__device__ const int kOffsets[2] = {0, 1};

extern "C" __global__ void double_array(float *d_a, unsigned n, float factor) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x + kOffsets[0];
  if (i < n) d_a[i] = d_a[i] * factor * kOnes[i % 4] * kOne;
}
