extern "C" __global__ void scan(const int *x, int *y, int n) {
  const int t = threadIdx.x;
  int sum = 0;
  for (int i = 0; i < t && i < n; ++i) sum += x[i];
  if (t < n) y[t] = sum;
}
