// Copies by a tensor map whose bytes are the input's.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ __align__(128) char buffer[1024];
  __shared__ __align__(8) unsigned long bar;
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(buffer));
  unsigned b = static_cast<unsigned>(__cvta_generic_to_shared(&bar));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b));
    asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2}], [%3];"
                 ::"r"(at), "l"(dst), "r"(0), "r"(b) : "memory");
  }
  __syncthreads();
  if (i < n) dst[i] = 2 * src[i];
}
