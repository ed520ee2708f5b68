extern "C" __global__ void k(float *out, const int *x, int n) {  //+
  int i = threadIdx.x;  //+
  switch (x[i] + 1) {  //+ !4 5 6 7 8 !9 !10 !12
    case 0: atomicAdd(out + i, 1.0f); return;  //-
    case 1: atomicAdd(out + 1, 2.0f); return;  //+
    case 2: atomicExch(out + 2, 3.0f); return;  //+
    case 3: atomicAdd(out + 3, 4.0f); return;  //+
    case 4: atomicExch(out + 4, 5.0f); return;  //+
    case 5: atomicAdd(out + 5, 6.0f); return;  //-
    case 6: atomicExch(out + 6, 7.0f); return;  //-
  }
  out[i] = 9;  //-
}  //+
