// y = A x of a sparse matrix in CSR form: the elements of row r are those from begin[r] to
// begin[r + 1] of `value`, in the columns `column`.

// A thread for each row: neighbours read elements that are a row apart, and the longest of 32 rows
// makes all of its warp wait.
extern "C" __global__ void scalar(const int *begin, const int *column, const float *value, const float *x, float *y, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int i = begin[row]; i < begin[row + 1]; ++i) sum += value[i] * x[column[i]];
  y[row] = sum;
}

// A warp for each row: neighbours read neighbouring elements.
extern "C" __global__ void vector(const int *begin, const int *column, const float *value, const float *x, float *y, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x % warpSize;
  if (row >= rows) return;  // the whole warp
  float sum = 0;
  for (int i = begin[row] + lane; i < begin[row + 1]; i += warpSize) sum += value[i] * x[column[i]];
  for (int distance = warpSize / 2; distance > 0; distance /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, distance);
  if (lane == 0) y[row] = sum;
}
