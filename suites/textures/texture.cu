// The examples of PyCUDA's texture references, with texture objects.

// One element for each thread, at the middle of its texel.
extern "C" __global__ void fetch(cudaTextureObject_t image, float *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = tex2D<float>(image, x + 0.5f, y + 0.5f);
}

// Half the size: each read is at the corner of four texels, which the hardware averages.
extern "C" __global__ void shrink(cudaTextureObject_t image, float *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = tex2D<float>(image, 2 * x + 1, 2 * y + 1);
}

// The image moved by (right, down), what leaves it on one side coming back on the other.
extern "C" __global__ void roll(cudaTextureObject_t image, float *out, int width, int height,
                                int right, int down) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  out[y * width + x] =
      tex2D<float>(image, (x - right + 0.5f) / width, (y - down + 0.5f) / height);
}
