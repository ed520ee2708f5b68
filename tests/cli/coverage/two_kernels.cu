extern "C" __global__ void other(float *out, const int *x, int n) {  //-
  if (n > 1)  //- !3 !4
    out[threadIdx.x] = 0;  //-
}  //-
extern "C" __global__ void k(float *out, const int *x, int n) {  //+
  out[threadIdx.x] = n;  //+
}  //+
