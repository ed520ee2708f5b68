extern "C" __global__ void k(float *out, const int *x, int n) {  //+
  int i = threadIdx.x;  //+
  switch (x[i] & 3) {  //+ 5 8 !11 !14
    case 0:
      atomicAdd(out + i, 1.0f);  //+
      break;  //+
    case 1:
      atomicExch(out + i, 2.0f);  //+
      break;  //+
    case 2:
      out[i] = 3;  //-
      break;  //-
    default:
      atomicAdd(out, -1.0f);  //-
  }
}  //+
