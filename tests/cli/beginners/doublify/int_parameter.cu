// The number as an int, and the pointer restricted.
extern "C" __global__ void double_array(float *__restrict__ d_a, int n, const float factor) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) d_a[i] *= factor;
}
