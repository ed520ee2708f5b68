// MISTAKE: line 5 casts x + i to float4 although i is not a multiple of 4
extern "C" __global__ void linear_combination(float a, const float *x, float b, const float *y, float *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 3 < n) {
        float4 u = *(const float4 *)(x + i);
        float4 v = *(const float4 *)(y + i);
        float4 w = make_float4(a * u.x + b * v.x, a * u.y + b * v.y, a * u.z + b * v.z, a * u.w + b * v.w);
        *(float4 *)(z + i) = w;
    } else if (i < n) {
        z[i] = a * x[i] + b * y[i];
    }
}
