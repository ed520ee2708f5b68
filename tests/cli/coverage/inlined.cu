__device__ void keep(float *to, int value) {
  if (value > 1000) {  //+ !3 6
    atomicAdd(to, 1.0f);  //-
    return;
  }
  *to = value;  //+
}
extern "C" __global__ void k(float *out, const int *x, int n) {  //+
  int i = threadIdx.x;  //+
  keep(out + i, x[i]);  //+
}  //+
