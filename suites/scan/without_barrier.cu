// A scan of one block after Hillis and Steele, in one array and without the barrier between the reads
// and the writes of a step: a thread may add what its neighbour has already changed.
extern "C" __global__ void scan(const int *x, int *y) {
  __shared__ int values[256];
  const int i = threadIdx.x;
  values[i] = x[i];
  for (int distance = 1; distance < 256; distance *= 2) {
    __syncthreads();
    if (i >= distance) values[i] += values[i - distance];
  }
  y[i] = values[i];
}
