extern "C" __global__ void k(float *out, const int *x, int n) {  //+
  int i = threadIdx.x;  //+
#pragma unroll 1
  for (int a = 0; a < n; ++a) {  //+ 5 13
    if (x[a] == 50) {  //+ !6 10
      atomicAdd(out + i, 1.0f);  //-
      break;
    }
#pragma unroll 1
    for (int b = 0; b < a; ++b)  //+ 4 11
      atomicAdd(out + i, 2.0f);  //+
  }
}  //+
