extern "C" __global__ void k(float *out, const int *x, int n) {  //+
  int i = blockIdx.x * blockDim.x + threadIdx.x;  //+
  if (i >= n) return;  //+ 4 6
  if (x[i] > 100) return;  //+ 5 !6
  out[i] = x[i];  //+
}  //+
