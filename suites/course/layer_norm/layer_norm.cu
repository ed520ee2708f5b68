// Layer normalisation: y = (x - mean) / sqrt(variance + epsilon) * scale + shift for each row.

constexpr int kBlock = 128;

// A thread goes over a row three times; neighbours are a whole row apart.
extern "C" __global__ void naive(const float *x, const float *scale, const float *shift, float *y, int rows, int columns, float epsilon) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  x += row * columns;
  y += row * columns;
  float sum = 0, squares = 0;
  for (int i = 0; i < columns; ++i) sum += x[i];
  const float mean = sum / columns;
  for (int i = 0; i < columns; ++i) squares += (x[i] - mean) * (x[i] - mean);
  const float factor = 1 / sqrtf(squares / columns + epsilon);
  for (int i = 0; i < columns; ++i) y[i] = (x[i] - mean) * factor * scale[i] + shift[i];
}

// The statistics of a part of a row: how many elements, their mean, and the sum of the squares of
// their distances from it. Sums of x and of x^2 would do in exact arithmetic, but their difference
// cancels where the mean is great.
struct Part {
  float count, mean, squares;
};

// Chan, Golub, LeVeque, Updating formulae and a pairwise algorithm for computing variances (1979).
__device__ Part both(Part a, Part b) {
  const float count = a.count + b.count;
  if (count == 0) return a;
  const float distance = b.mean - a.mean, share = b.count / count;
  return {count, a.mean + distance * share, a.squares + b.squares + distance * distance * a.count * share};
}

__device__ Part of_warp(Part part) {
  for (int distance = warpSize / 2; distance > 0; distance /= 2)
    part = both(part, {__shfl_down_sync(0xffffffff, part.count, distance),
                       __shfl_down_sync(0xffffffff, part.mean, distance),
                       __shfl_down_sync(0xffffffff, part.squares, distance)});
  return part;
}

// A block goes over a row twice: mean and variance are found together, by Welford's algorithm in
// each thread.
extern "C" __global__ void welford(const float *x, const float *scale, const float *shift, float *y, int rows, int columns, float epsilon) {
  __shared__ Part parts[kBlock / 32];
  const int t = threadIdx.x;
  x += blockIdx.x * columns;
  y += blockIdx.x * columns;
  Part part = {0, 0, 0};
  for (int i = t; i < columns; i += kBlock) part = both(part, {1, x[i], 0});
  part = of_warp(part);
  if (t % warpSize == 0) parts[t / warpSize] = part;
  __syncthreads();
  part = parts[0];
  for (int w = 1; w < kBlock / 32; ++w) part = both(part, parts[w]);
  const float factor = 1 / sqrtf(part.squares / columns + epsilon);
  for (int i = t; i < columns; i += kBlock) y[i] = (x[i] - part.mean) * factor * scale[i] + shift[i];
}
