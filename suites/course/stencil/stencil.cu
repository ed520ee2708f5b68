// A step of heat in a box of nx x ny x nz points: each inner point becomes a quarter of itself and
// an eighth of its six neighbours. Points at the faces keep their values.

__device__ bool at_face(int x, int y, int z, int nx, int ny, int nz) {
  return x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1;
}

// One thread for each point, which loads all seven.
extern "C" __global__ void naive(const float *a, float *b, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z;
  if (x >= nx || y >= ny) return;
  const int plane = nx * ny, i = z * plane + y * nx + x;
  if (at_face(x, y, z, nx, ny, nz)) {
    b[i] = a[i];
  } else {
    const float around = a[i - 1] + a[i + 1] + a[i - nx] + a[i + nx] + a[i - plane] + a[i + plane];
    b[i] = 0.25f * a[i] + 0.125f * around;
  }
}

// A block of 32 x 8 threads goes through all planes. The points below and above are in registers,
// those of the plane in shared memory with a halo, so that each point is loaded once, and the
// halo's once more.
extern "C" __global__ void marching(const float *a, float *b, int nx, int ny, int nz) {
  constexpr int width = 32, height = 8;
  __shared__ float tile[height + 2][width + 2];
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const int x = blockIdx.x * width + threadIdx.x, y = blockIdx.y * height + threadIdx.y;
  const bool inside = x < nx && y < ny;
  const int plane = nx * ny;
  int i = y * nx + x;
  float below = 0, here = inside ? a[i] : 0, above = 0;
  for (int z = 0; z < nz; ++z, i += plane) {
    if (inside) {
      if (z + 1 < nz) above = a[i + plane];
      tile[ty][tx] = here;
      if (tx == 1 && x > 0) tile[ty][0] = a[i - 1];
      if (tx == width && x + 1 < nx) tile[ty][width + 1] = a[i + 1];
      if (ty == 1 && y > 0) tile[0][tx] = a[i - nx];
      if (ty == height && y + 1 < ny) tile[height + 1][tx] = a[i + nx];
    }
    __syncthreads();
    if (inside) {
      if (at_face(x, y, z, nx, ny, nz)) {
        b[i] = here;
      } else {
        const float around = tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] +
                             tile[ty + 1][tx] + below + above;
        b[i] = 0.25f * here + 0.125f * around;
      }
    }
    __syncthreads();  // before the next plane overwrites the tile
    below = here;
    here = above;
  }
}
