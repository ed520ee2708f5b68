// MISTAKE: line 4 adds 1 to the index, as arrays of MATLAB or Fortran begin
extern "C" __global__ void linear_combination(float a, const float *x, float b, const float *y, float *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (i < n) z[i] = a * x[i] + b * y[i];
}
