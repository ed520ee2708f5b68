// sums[b] is the sum of the 128 elements of x from index 128 * b on, or of fewer in the last block.
// The block has 128 threads.
extern "C" __global__ void block_sums(const float *x, float *sums, int n) {
  // Your code.
}
