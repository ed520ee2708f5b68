// MISTAKE: line 4 gives threads without an element 0, which is greater than all negative numbers
extern "C" __global__ void greatest(const float *x, float *result, int n) {
    if (blockIdx.x != 0 || threadIdx.x != 0) return;
    float most = 0;
    for (int i = 0; i < n; i++) most = fmaxf(most, x[i]);
    *result = most;
}
