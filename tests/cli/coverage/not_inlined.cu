__noinline__ __device__ void keep(float *to, int value) {  //+
  if (value > 1000)  //+ !3 4
    atomicAdd(to, 1.0f);  //-
  *to = value;  //+
}  //+
__noinline__ __device__ void lose(float *to) {  //-
  *to = 0;  //-
}  //-
extern "C" __global__ void k(float *out, const int *x, int n) {  //+
  int i = threadIdx.x;  //+
  if (n < 0)  //+ !12 13
    lose(out + i);  //-
  keep(out + i, x[i]);  //+
}  //+
