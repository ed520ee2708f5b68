__device__ void keep(float *to, int value) {
  if (value > 3)  //+ 3 5
    atomicAdd(to, 1.0f);  //+
  else
    atomicExch(to, 2.0f);  //+
}
extern "C" __global__ void k(float *out, const int *x, int n) {  //+
  int i = threadIdx.x;  //+
  keep(out + i, x[i] - 100);  //+
  keep(out + i, x[i] + 100);  //+
}  //+
