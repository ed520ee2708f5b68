// The six kernels of figure F7: what a course writes, as generated. cpu_figures runs them.
extern "C" __global__ void saxpy(float alpha, const float* __restrict__ x, float* __restrict__ y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = alpha * x[i] + y[i];
}
extern "C" __global__ void matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float as[16][16], bs[16][16];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int t = 0; t < n; t += 16) {
    as[ty][tx] = a[row * n + t + tx];
    bs[ty][tx] = b[(t + ty) * n + column];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
extern "C" __global__ void histogram(const unsigned char* in, unsigned* bins, int n) {
  __shared__ unsigned own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&own[in[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
extern "C" __global__ void scan(const int* in, int* out) {  // of each block's 256 elements
  __shared__ int values[2][256];
  int t = threadIdx.x, now = 0, at = blockIdx.x * 256 + t;
  values[0][t] = in[at];
  __syncthreads();
  for (int reach = 1; reach < 256; reach *= 2) {
    values[now ^ 1][t] = t >= reach ? values[now][t] + values[now][t - reach] : values[now][t];
    now ^= 1;
    __syncthreads();
  }
  out[at] = values[now][t];
}
extern "C" __global__ void stencil(const float* in, float* out, int n) {
  __shared__ float tile[256 + 6];
  int at = blockIdx.x * 256 + threadIdx.x, own = threadIdx.x + 3;
  tile[own] = at < n ? in[at] : 0.f;
  if (threadIdx.x < 3) {
    tile[own - 3] = at >= 3 ? in[at - 3] : 0.f;
    tile[own + 256] = at + 256 < n ? in[at + 256] : 0.f;
  }
  __syncthreads();
  float sum = 0;
  for (int o = -3; o <= 3; ++o) sum += tile[own + o] * (o + 4);
  if (at < n) out[at] = sum;
}
extern "C" __global__ void mandelbrot(unsigned char* image, int width, int height, int most) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  float cx = -2.f + px * 3.f / width, cy = -1.5f + py * 3.f / height, x = 0, y = 0;
  int i = 0;
  while (x * x + y * y < 4.f && i < most) {
    float next = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = next;
    ++i;
  }
  image[py * width + px] = static_cast<unsigned char>(i);
}
