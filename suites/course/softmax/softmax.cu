// The softmax of each row: exp(x - m) / sum, where m is the row's greatest element, so that nothing
// overflows.

constexpr int kBlock = 128;

// A thread goes over a row three times; neighbours are a whole row apart.
extern "C" __global__ void naive(const float *x, float *y, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  x += row * columns;
  y += row * columns;
  float greatest = -INFINITY, sum = 0;
  for (int i = 0; i < columns; ++i) greatest = fmaxf(greatest, x[i]);
  for (int i = 0; i < columns; ++i) sum += expf(x[i] - greatest);
  for (int i = 0; i < columns; ++i) y[i] = expf(x[i] - greatest) / sum;
}

// The statistics of a part of a row: its greatest element, and the sum of exp(x - greatest).
struct Part {
  float greatest, sum;
};

__device__ Part both(Part a, Part b) {
  const float greatest = fmaxf(a.greatest, b.greatest);
  if (greatest == -INFINITY) return a;  // two empty parts
  return {greatest, a.sum * expf(a.greatest - greatest) + b.sum * expf(b.greatest - greatest)};
}

__device__ Part of_warp(Part part) {
  for (int distance = warpSize / 2; distance > 0; distance /= 2)
    part = both(part, {__shfl_xor_sync(0xffffffff, part.greatest, distance),
                       __shfl_xor_sync(0xffffffff, part.sum, distance)});
  return part;
}

// A block goes over a row twice: greatest element and sum are found together ("online"), as a sum
// for one maximum becomes one for another by a factor.
extern "C" __global__ void online(const float *x, float *y, int rows, int columns) {
  __shared__ Part parts[kBlock / 32];
  const int t = threadIdx.x;
  x += blockIdx.x * columns;
  y += blockIdx.x * columns;
  Part part = {-INFINITY, 0};
  for (int i = t; i < columns; i += kBlock) part = both(part, {x[i], 1});
  part = of_warp(part);
  if (t % warpSize == 0) parts[t / warpSize] = part;
  __syncthreads();
  part = parts[0];
  for (int w = 1; w < kBlock / 32; ++w) part = both(part, parts[w]);
  for (int i = t; i < columns; i += kBlock) y[i] = expf(x[i] - part.greatest) / part.sum;
}
