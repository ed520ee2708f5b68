extern "C" __global__ void k(float *out, const int *x, int n) {  //+
  __shared__ int tile[32];
  int i = threadIdx.x;  //+
  tile[i] = x[i];  //+
  __syncthreads();  //+
  while (tile[0] > 1000)  //+ !7 8
    __nanosleep(20);  //-
  out[i] = tile[31 - i];  //+
}  //+
