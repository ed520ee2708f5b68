// Each thread takes a run of neighbouring elements.
extern "C" __global__ void double_array(float *d_a, unsigned n, float factor) {
  const unsigned threads = gridDim.x * blockDim.x;
  const unsigned each = (n + threads - 1) / threads;
  const unsigned first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
  const unsigned last = first + each < n ? first + each : n;
#pragma unroll 2
  for (unsigned i = first; i < last; ++i) d_a[i] *= factor;
}
