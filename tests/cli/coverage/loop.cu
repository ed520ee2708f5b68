extern "C" __global__ void k(float *out, const int *x, int n) {  //+
  float sum = 0;
  for (int j = 0; j < n; ++j)  //+ 4 5
    sum += x[j];  //+
  out[threadIdx.x] = sum;  //+
}  //+
