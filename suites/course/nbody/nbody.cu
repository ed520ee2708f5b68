// The acceleration of each of n bodies by all others: the sum of m r / (|r|^2 + softening)^(3/2).
// A body is x, y, z and its mass; the softening keeps it from being attracted by itself.

__device__ float3 attracted(float3 sum, float4 at, float4 other, float softening) {
  const float x = other.x - at.x, y = other.y - at.y, z = other.z - at.z;
  const float inverse = rsqrtf(x * x + y * y + z * z + softening);
  const float weight = other.w * inverse * inverse * inverse;
  return {sum.x + weight * x, sum.y + weight * y, sum.z + weight * z};
}

// Every thread loads every body from global memory.
extern "C" __global__ void naive(const float4 *body, float *acceleration, int n, float softening) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 at = body[i];
  float3 sum = {0, 0, 0};
  for (int j = 0; j < n; ++j) sum = attracted(sum, at, body[j], softening);
  acceleration[3 * i] = sum.x;
  acceleration[3 * i + 1] = sum.y;
  acceleration[3 * i + 2] = sum.z;
}

// A block loads 128 bodies at a time, one for each thread, and all of its threads use them.
extern "C" __global__ void tiled(const float4 *body, float *acceleration, int n, float softening) {
  constexpr int size = 128;
  __shared__ float4 tile[size];
  const int i = blockIdx.x * size + threadIdx.x;
  const float4 at = i < n ? body[i] : float4{0, 0, 0, 0};
  float3 sum = {0, 0, 0};
  for (int first = 0; first < n; first += size) {
    const int j = first + threadIdx.x;
    tile[threadIdx.x] = j < n ? body[j] : float4{0, 0, 0, 0};  // without mass
    __syncthreads();
    for (int k = 0; k < size; ++k) sum = attracted(sum, at, tile[k], softening);
    __syncthreads();
  }
  if (i < n) {
    acceleration[3 * i] = sum.x;
    acceleration[3 * i + 1] = sum.y;
    acceleration[3 * i + 2] = sum.z;
  }
}
