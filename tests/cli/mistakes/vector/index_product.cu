// MISTAKE: line 4 multiplies blockIdx.x by threadIdx.x in place of blockDim.x and adds nothing
extern "C" __global__ void linear_combination(float a, const float *x, float b, const float *y, float *z, int n)
{
    int i = blockIdx.x * threadIdx.x;
    if (i < n) {
        z[i] = a * x[i] + b * y[i];
    }
}
