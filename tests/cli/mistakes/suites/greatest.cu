extern "C" __global__ void greatest(const float *x, float *result, int n) {
  if (blockIdx.x > 0 || threadIdx.x > 0) return;
  float best = x[0];
  for (int i = 1; i < n; ++i) best = fmaxf(best, x[i]);
  *result = best;
}
