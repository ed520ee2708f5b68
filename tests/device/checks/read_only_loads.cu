// Data that the launch itself wrote, read by loads of memory that must not change; tables of labels.

//@ bug same_thread_reads_back_through_the_read_only_cache race block=32 args="float32[32] float32[32]" hazard=read_after_write
extern "C" __global__ void same_thread_reads_back_through_the_read_only_cache(float* a, float* b) {
  int i = threadIdx.x;
  a[i] = i;  //~
  b[i] = __ldg(a + i);  //! thread=0 other_thread=0 count=32 says=read-only_cache
}

//@ bug last_block_reads_partial_sums_through_the_read_only_cache race grid=3 block=32 args="int32[3] uint32[1]=0 int32[1]" hazard=read_after_write
extern "C" __global__ void last_block_reads_partial_sums_through_the_read_only_cache(int* part, unsigned* count, int* out) {
  if (threadIdx.x != 0) return;
  part[blockIdx.x] = blockIdx.x + 1;  //~
  __threadfence();
  if (atomicAdd(count, 1u) != gridDim.x - 1) return;
  int sum = 0;
  #pragma unroll 1
  for (int i = 0; i < gridDim.x; ++i) sum += __ldg(part + i);  //! in_block=2 count=3
  *out = sum;
}

//@ bug added_to_and_read_through_the_read_only_cache race block=32 args="int32[4]=0 int32[32]" hazard=read_after_write
extern "C" __global__ void added_to_and_read_through_the_read_only_cache(int* a, int* b) {
  atomicAdd(a + threadIdx.x % 4, 1);  //~
  __syncthreads();
  asm volatile("ldu.global.s32 %0, [%1];" : "=r"(b[threadIdx.x]) : "l"(a + threadIdx.x % 4));  //! count=32
}

// In place, though it says that the arrays are apart: each thread reads before it writes.
//@ good in_place_with_restrict grid=2 block=64 args="float32[128]= 128:int32"
extern "C" __global__ void in_place_with_restrict(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = __ldg(x + i);
    x[i] = 2 * v;
  }
}

//@ bug index_behind_its_table invalid_pc block=32 args="int32[32]"
extern "C" __global__ void index_behind_its_table(int* b) {
  int v;
  asm volatile("{ T: .branchtargets A, B;\n brx.idx %1, T;\n A: mov.u32 %0, 1; bra E;\n B: mov.u32 %0, 2; E: }" : "=r"(v) : "r"(threadIdx.x / 8));  //! thread=16 count=16
  b[threadIdx.x] = v;
}

//@ bug index_behind_a_table_of_one invalid_pc block=32 args="int32[32]"
extern "C" __global__ void index_behind_a_table_of_one(int* b) {
  int v;
  asm volatile("{ T: .branchtargets A;\n brx.idx %1, T;\n A: mov.u32 %0, 1; }" : "=r"(v) : "r"((int)threadIdx.x - 1));  //! thread=0
  b[threadIdx.x] = v;
}

//@ good indices_of_their_table block=32 args="int32[32]"
extern "C" __global__ void indices_of_their_table(int* b) {
  int v;
  asm volatile("{ T: .branchtargets A, B, C, D;\n brx.idx %1, T;\n A: mov.u32 %0, 1; bra E;\n B: mov.u32 %0, 2; bra E;\n"
               "C: mov.u32 %0, 3; bra E;\n D: mov.u32 %0, 4;\n E: }" : "=r"(v) : "r"(threadIdx.x % 4));
  b[threadIdx.x] = v;
}
