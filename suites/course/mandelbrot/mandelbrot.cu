// How many steps z = z^2 + c takes until |z| > 2, for the points c of an image of the plane.
// Neighbours take about as many, so a warp waits least for its slowest lane if its 32 points are
// near each other in both directions. The kernel is one; the launches differ in their blocks.

extern "C" __global__ void mandelbrot(int *steps, int width, int height, int most) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= width || row >= height) return;
  const float cx = -2.0f + 3.0f * column / width, cy = -1.5f + 3.0f * row / height;
  float x = 0, y = 0;
  int count = 0;
  while (count < most && x * x + y * y <= 4) {
    const float next = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = next;
    ++count;
  }
  steps[row * width + column] = count;
}
