// Right, in an odd style: a switch into a loop, and goto.
extern "C" __global__ void silu(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
  if (i >= n) goto end;
  {
    int count = (n - i + stride - 1) / stride, rounds = (count + 3) / 4;
    switch (count % 4) {
      case 0: do { y[i] = x[i] / (1 + expf(-x[i])); i += stride;
      case 3: y[i] = x[i] / (1 + expf(-x[i])); i += stride;
      case 2: y[i] = x[i] / (1 + expf(-x[i])); i += stride;
      case 1: y[i] = x[i] / (1 + expf(-x[i])); i += stride;
              } while (--rounds > 0);
    }
  }
end:
  return;
}
