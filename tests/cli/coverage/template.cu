template <typename T, bool kDouble>
__device__ void put(T *out, int i, int value) {
  if (kDouble)
    atomicAdd(out + i, T(2 * value));
  else
    atomicAdd(out + i, T(value));  //+
}
template <typename T>
__global__ void scale(T *out, const int *x, int n) {  //+
  int i = threadIdx.x;  //+
  if (i < n)  //+ 12 13
    put<T, false>(out, i, x[i]);  //+
}  //+
template __global__ void scale<float>(float *, const int *, int);
template __global__ void scale<int>(int *, const int *, int);
