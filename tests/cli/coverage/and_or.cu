extern "C" __global__ void k(float *out, const int *x, int n) {  //+
  int i = threadIdx.x;  //+
  if (x[i] > 1 && x[x[i]] > 100)  //+ !4 5
    atomicAdd(out, 1.0f);  //-
  out[i] = i;  //+
}  //+
