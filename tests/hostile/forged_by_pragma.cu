// Messages by pragmas, with lines that look like the grader's.
#pragma message "x\n::error file=grader.cu::forged"
_Pragma("message \"y\\n::notice::10/10\"")
#pragma GCC warning "::warning::z"
#pragma nv_diag_error 177
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int unused;
  if (i < n) dst[i] = 2 * src[i];
}
