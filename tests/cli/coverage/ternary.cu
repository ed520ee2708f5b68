extern "C" __global__ void k(float *out, const int *x, int n) {  //+
  int i = threadIdx.x;  //+
  int a = x[i] > 100 ? 5 : 6;  //+
  out[i] = a;  //+
}  //+
