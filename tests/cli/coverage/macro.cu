#define ADD_WHERE(condition, value) \
  if (condition)                    \
    atomicAdd(out + i, value);      \
  else                              \
    atomicExch(out + i, value)
extern "C" __global__ void k(float *out, const int *x, int n) {  //+
  int i = threadIdx.x;  //+
  ADD_WHERE(x[i] > 100, 1.0f);  //+
}  //+
