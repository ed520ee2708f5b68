__device__ int nothing();
