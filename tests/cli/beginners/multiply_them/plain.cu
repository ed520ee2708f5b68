extern "C" __global__ void multiply_them_grid(float *dest, const float *a, const float *b, int n)
{
    const int i = threadIdx.x + blockIdx.x * blockDim.x;

    if (i < n)
        dest[i] = a[i] * b[i];
}
