// Attention: softmax(Q K^T / sqrt(depth)) V for each head; q, k, v and out are heads x n x depth.

constexpr int kDepth = 32;

// With a matrix of scores in global memory, in three steps.
extern "C" __global__ void scores(const float *q, const float *k, float *s, int n) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int head = blockIdx.z;
  if (row >= n || column >= n) return;
  float sum = 0;
  for (int i = 0; i < kDepth; ++i)
    sum += q[(head * n + row) * kDepth + i] * k[(head * n + column) * kDepth + i];
  s[(head * n + row) * n + column] = sum * rsqrtf(kDepth);
}

extern "C" __global__ void softmax(float *s, int n) {  // a warp for each row
  s += (blockIdx.y * n + blockIdx.x) * n;
  float greatest = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < n; i += warpSize) greatest = fmaxf(greatest, s[i]);
  for (int d = warpSize / 2; d > 0; d /= 2)
    greatest = fmaxf(greatest, __shfl_xor_sync(0xffffffff, greatest, d));
  for (int i = threadIdx.x; i < n; i += warpSize) sum += s[i] = expf(s[i] - greatest);
  for (int d = warpSize / 2; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
  for (int i = threadIdx.x; i < n; i += warpSize) s[i] /= sum;
}

extern "C" __global__ void weighted(const float *s, const float *v, float *out, int n) {
  const int i = threadIdx.x, row = blockIdx.x * blockDim.y + threadIdx.y, head = blockIdx.y;
  if (row >= n) return;
  float sum = 0;
  for (int j = 0; j < n; ++j)
    sum += s[(head * n + row) * n + j] * v[(head * n + j) * kDepth + i];
  out[(head * n + row) * kDepth + i] = sum;
}

// In one launch without a matrix of scores, as FlashAttention does: a thread has a query, its sum
// and its part of the output in registers; the block goes over keys and values tile by tile. When a
// score is greater than all before, what was summed up is scaled to the new maximum.
extern "C" __global__ void online(const float *q, const float *k, const float *v, float *out, int n) {
  constexpr int keys = 32;
  __shared__ float k_tile[keys][kDepth], v_tile[keys][kDepth];
  const int row = blockIdx.x * blockDim.x + threadIdx.x, head = blockIdx.y;
  q += head * n * kDepth;
  k += head * n * kDepth;
  v += head * n * kDepth;
  out += head * n * kDepth;
  float query[kDepth], result[kDepth] = {}, greatest = -INFINITY, sum = 0;
  for (int i = 0; i < kDepth; ++i)
    query[i] = row < n ? q[row * kDepth + i] * rsqrtf(kDepth) : 0;
  for (int first = 0; first < n; first += keys) {
    const int count = min(keys, n - first);
    __syncthreads();  // before the tiles are overwritten
    for (int i = threadIdx.x; i < count * kDepth; i += blockDim.x) {
      k_tile[i / kDepth][i % kDepth] = k[first * kDepth + i];
      v_tile[i / kDepth][i % kDepth] = v[first * kDepth + i];
    }
    __syncthreads();
    for (int j = 0; j < count; ++j) {
      float score = 0;
      for (int i = 0; i < kDepth; ++i) score += query[i] * k_tile[j][i];
      const float before = greatest;
      greatest = fmaxf(greatest, score);
      const float scale = expf(before - greatest), weight = expf(score - greatest);
      sum = sum * scale + weight;
      for (int i = 0; i < kDepth; ++i) result[i] = result[i] * scale + weight * v_tile[j][i];
    }
  }
  if (row < n)
    for (int i = 0; i < kDepth; ++i) out[row * kDepth + i] = result[i] / sum;
}
