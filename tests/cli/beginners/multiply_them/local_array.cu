extern "C" __global__ void multiply_them_grid(float *dest, const float *a, const float *b, int n) {
  float both[2];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    both[0] = a[i];
    both[1] = b[i];
    float product = 1;
    for (int k = 0; k < 2; k++) product = product * both[k];
    dest[i] = product;
  }
}
