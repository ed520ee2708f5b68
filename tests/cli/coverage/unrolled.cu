extern "C" __global__ void k(float *out, const int *x, int n) {  //+
  float sum = 0;
#pragma unroll
  for (int j = 0; j < 4; ++j)  //+
    sum += x[j];  //+
  out[threadIdx.x] = sum;  //+
}  //+
