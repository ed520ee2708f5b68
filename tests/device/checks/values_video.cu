// Values of which only some bytes are defined, in video instructions that read parts of them.

__device__ unsigned three_bytes(unsigned char* mine, const unsigned char* a) {
  for (int i = 0; i < 3; ++i) mine[i] = a[i];
  return *(volatile unsigned*)mine;
}

//@ good selected_parts block=32 args="uint8[128]= uint32[64]"
extern "C" __global__ void selected_parts(const unsigned char* a, unsigned* b) {
  __shared__ __align__(4) unsigned char s[128];
  unsigned v = three_bytes(s + 4 * threadIdx.x, a + 4 * threadIdx.x), sum, product;
  asm("vadd.u32.s32.u32.sat %0, %1.b0, %1.b2;" : "=r"(sum) : "r"(v));
  asm("vmad.u32.u32.u32.shr7 %0, %1.b1, %1.h0, 300;" : "=r"(product) : "r"(v));
  b[threadIdx.x] = sum;
  b[threadIdx.x + 32] = product;
}

//@ bug missing_part uninitialised block=32 args="uint8[128]= uint32[32]"
extern "C" __global__ void missing_part(const unsigned char* a, unsigned* b) {
  __shared__ __align__(4) unsigned char s[128];
  unsigned v = three_bytes(s + 4 * threadIdx.x, a + 4 * threadIdx.x), sum;
  asm("vsub.s32.u32.u32 %0, %1.b0, %1.b3;" : "=r"(sum) : "r"(v));
  b[threadIdx.x] = sum;  //! thread=0 count=32 origin=shared
}

//@ good merged_over_the_missing_part block=32 args="uint8[128]= uint32[32]"
extern "C" __global__ void merged_over_the_missing_part(const unsigned char* a, unsigned* b) {
  __shared__ __align__(4) unsigned char s[128];
  unsigned v = three_bytes(s + 4 * threadIdx.x, a + 4 * threadIdx.x), whole;
  asm("vmax.u32.u32.u32 %0.b3, %1.b0, %1.b1, %1;" : "=r"(whole) : "r"(v));
  b[threadIdx.x] = whole;
}

//@ bug merged_beside_the_missing_part uninitialised block=32 args="uint8[128]= uint32[32]"
extern "C" __global__ void merged_beside_the_missing_part(const unsigned char* a, unsigned* b) {
  __shared__ __align__(4) unsigned char s[128];
  unsigned v = three_bytes(s + 4 * threadIdx.x, a + 4 * threadIdx.x), whole;
  asm("vset.u32.u32.lt %0.b2, %1.b0, %1.b1, %1;" : "=r"(whole) : "r"(v));
  b[threadIdx.x] = whole + 1;  //! thread=0 count=32 origin=shared
}

//@ good sum_of_the_defined_lanes block=32 args="uint8[128]= uint32[32]"
extern "C" __global__ void sum_of_the_defined_lanes(const unsigned char* a, unsigned* b) {
  __shared__ __align__(4) unsigned char s[128];
  unsigned v = three_bytes(s + 4 * threadIdx.x, a + 4 * threadIdx.x), sum, most;
  asm("vavrg4.u32.u32.u32.add %0.b210, %1, %1.b7046, %2;" : "=r"(sum) : "r"(v), "r"(v & 0xff));
  asm("vmax4.u32.u32.u32 %0.b3, %1.b0123, %2, %1;" : "=r"(most) : "r"(v), "r"(sum));
  b[threadIdx.x] = most;
}

//@ bug sum_of_all_lanes uninitialised block=32 args="uint8[128]= uint32[32]"
extern "C" __global__ void sum_of_all_lanes(const unsigned char* a, unsigned* b) {
  __shared__ __align__(4) unsigned char s[128];
  unsigned v = three_bytes(s + 4 * threadIdx.x, a + 4 * threadIdx.x), sum;
  asm("vset4.u32.u32.ne.add %0, %1, %2, %2;" : "=r"(sum) : "r"(v), "r"(0u));
  b[threadIdx.x] = sum;  //! thread=0 count=32 origin=shared
}
