extern "C" __global__ void k(float *out, const int *x, int n) {  //+
  int i = threadIdx.x;  //+
  if (x[i] % 2 == 0) {  //+ 4 7
    out[i] = 1;  //+
    atomicAdd(out + i, 1.0f);  //+
  } else {
    out[i] = 2;  //+
    atomicAdd(out + i, 2.0f);  //+
  }
}  //+
