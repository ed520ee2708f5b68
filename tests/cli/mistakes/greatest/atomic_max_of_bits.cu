// MISTAKE: line 5 compares the bits of floats as int, which orders negative numbers the wrong way round
extern "C" __global__ void greatest(const float *x, float *result, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicMax((int *)result, __float_as_int(x[i]));
}
