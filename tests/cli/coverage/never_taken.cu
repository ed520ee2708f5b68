extern "C" __global__ void k(float *out, const int *x, int n) {  //+
  int i = threadIdx.x;  //+
  if (x[i] < 0) {  //+ !4 7
    out[i] = 1;  //-
    atomicAdd(out, 1.0f);  //-
  } else {
    out[i] = 2;  //+
  }
}  //+
