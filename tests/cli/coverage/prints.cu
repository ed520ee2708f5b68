extern "C" __global__ void k(float *out, const int *x, int n) {  //+
  int i = threadIdx.x;  //+
  if (x[i] > 100)  //+ !4 5
    printf("%d\n", i);  //-
  out[i] = i;  //+
}  //+
