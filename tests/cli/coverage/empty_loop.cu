extern "C" __global__ void k(float *out, const int *x, int n) {  //+
  float sum = 0;
  for (int j = 0; j < n - 100; ++j) {  //+ !4 7
    sum += x[j];  //-
    atomicAdd(out, 1.0f);  //-
  }
  out[threadIdx.x] = sum;  //+
}  //+
