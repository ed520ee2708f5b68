// Included by included.cu.
__device__ int part(int value) {
  if (value > 1000)  //+ 0 !4
    atomicAdd((int *)value, 1);  //-
  return value;
}
