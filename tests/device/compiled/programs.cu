// Programs beside the six of figures.cu: what benchmarks such as HeCBench have, as generated. cpu_programs runs them.
extern "C" __global__ void all_pairs(const float4* bodies, float4* forces, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 own = bodies[i], force = {0, 0, 0, 0};
  for (int j = 0; j < n; ++j) {
    float4 other = bodies[j];
    float x = other.x - own.x, y = other.y - own.y, z = other.z - own.z;
    float squared = x * x + y * y + z * z + 0.01f, one = rsqrtf(squared), scale = other.w * one * one * one;
    force.x += x * scale;
    force.y += y * scale;
    force.z += z * scale;
  }
  forces[i] = force;
}
extern "C" __global__ void all_pairs_by_tiles(const float4* bodies, float4* forces, int n) {
  __shared__ float4 tile[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 own = bodies[i], force = {0, 0, 0, 0};
  for (int first = 0; first < n; first += 128) {
    tile[threadIdx.x] = bodies[first + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 128; ++j) {
      float4 other = tile[j];
      float x = other.x - own.x, y = other.y - own.y, z = other.z - own.z;
      float squared = x * x + y * y + z * z + 0.01f, one = rsqrtf(squared), scale = other.w * one * one * one;
      force.x += x * scale;
      force.y += y * scale;
      force.z += z * scale;
    }
    __syncthreads();
  }
  forces[i] = force;
}
extern "C" __global__ void transpose(const float* in, float* out, int side) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * side + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) out[(y + k) * side + x] = tile[threadIdx.x][threadIdx.y + k];
}
extern "C" __global__ void dot(const float* a, const float* b, float* sum, int n) {
  __shared__ float part[256];
  int t = threadIdx.x;
  float own = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) own += a[i] * b[i];
  part[t] = own;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) atomicAdd(sum, part[0]);
}
extern "C" __global__ void sparse_product(const int* begin, const int* column, const float* value, const float* x, float* y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int k = begin[row]; k < begin[row + 1]; ++k) sum += value[k] * x[column[k]];
  y[row] = sum;
}
__device__ float normal(float d) {
  float k = 1 / (1 + 0.2316419f * fabsf(d));
  float tail = 0.3989423f * expf(-0.5f * d * d) *
               (k * (0.3193815f + k * (-0.3565638f + k * (1.781478f + k * (-1.821256f + k * 1.330274f)))));
  return d > 0 ? 1 - tail : tail;
}
extern "C" __global__ void black_scholes(const float* price, const float* strike, float* call, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = 10 + 20 * price[i], x = 10 + 20 * strike[i], years = 1.5f, rate = 0.02f, volatility = 0.3f;
  float root = volatility * sqrtf(years), d = (logf(s / x) + (rate + 0.5f * volatility * volatility) * years) / root;
  call[i] = s * normal(d) - x * expf(-rate * years) * normal(d - root);
}
extern "C" __global__ void heat(const float* in, float* out, int side) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 0 || y == 0 || x == side - 1 || y == side - 1) return;
  int at = y * side + x;
  out[at] = in[at] + 0.2f * (in[at - 1] + in[at + 1] + in[at - side] + in[at + side] - 4 * in[at]);
}
extern "C" __global__ void life(const unsigned char* in, unsigned char* out, int side) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, alive = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      alive += (dx | dy) != 0 && in[((y + dy) & (side - 1)) * side + ((x + dx) & (side - 1))] % 2;
  out[y * side + x] = alive == 3 || (alive == 2 && in[y * side + x] % 2);
}
extern "C" __global__ void gather(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i * 7 & (n - 1)];
}
extern "C" __global__ void linear4(const float4* x, const float4* y, float4* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 p = x[i], q = y[i];
  z[i] = make_float4(5 * p.x + 6 * q.x, 5 * p.y + 6 * q.y, 5 * p.z + 6 * q.z, 5 * p.w + 6 * q.w);
}
extern "C" __global__ void sum_by_shuffles(const float* x, float* sums, int n) {
  float own = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own += x[i];
  for (int d = 16; d; d /= 2) own += __shfl_xor_sync(0xffffffffu, own, d);
  if (threadIdx.x % 32 == 0) atomicAdd(sums, own);
}
extern "C" __global__ void bitonic(const int* in, int* out) {  // of each block's 256 elements
  __shared__ int values[256];
  int t = threadIdx.x, at = blockIdx.x * 256 + t;
  values[t] = in[at];
  __syncthreads();
  for (int size = 2; size <= 256; size *= 2) {
    for (int reach = size / 2; reach > 0; reach /= 2) {
      int other = t ^ reach;
      if (other > t) {
        int a = values[t], b = values[other];
        if ((a > b) == ((t & size) == 0)) {
          values[t] = b;
          values[other] = a;
        }
      }
      __syncthreads();
    }
  }
  out[at] = values[t];
}
extern "C" __global__ void matrix_vector(const float* a, const float* x, float* y, int columns) {  // a warp for each row
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  float sum = 0;
  for (int k = lane; k < columns; k += 32) sum += a[row * columns + k] * x[k];
  for (int d = 16; d; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (lane == 0) y[row] = sum;
}
extern "C" __global__ void column_sums(const float* a, float* sums, int rows, int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int row = 0; row < rows; ++row) sum += a[row * columns + column];
  sums[column] = sum;
}
