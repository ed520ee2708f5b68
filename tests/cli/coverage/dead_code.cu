extern "C" __global__ void k(float *out, const int *x, int n) {  //+
  int i = threadIdx.x;  //+
  int unused = x[i] * 3;  //-
  if (blockDim.x == 0)  //+ !5 8
    out[i] = unused;  //-
  if (false)
    out[i] = 7;
  if (n >= 0) out[i] = 1;  //+
}  //+
