// MISTAKE: line 4 starts with FLT_MIN, which is the smallest positive number and not the least of all
#include <cfloat>
extern "C" __global__ void greatest(const float *x, float *result, int n) {
    float best = FLT_MIN;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        for (int i = 0; i < n; i++)
            if (x[i] > best) best = x[i];
        *result = best;
    }
}
