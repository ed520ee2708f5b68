// MISTAKE: line 2 takes double *, and the grader passes float *
extern "C" __global__ void linear_combination(float a, const double *x, float b, const double *y, double *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = a * x[i] + b * y[i];
}
