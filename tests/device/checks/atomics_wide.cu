// Atomic operations on vectors and on 128 bits.
//@ least 90

//@ bug vector_atomic_past illegal_address block=32 args="float32[126]=0"
extern "C" __global__ void vector_atomic_past(float* a) {
  atomicAdd((float4*)a + threadIdx.x, make_float4(1, 2, 3, 4));  //! thread=31 count=1 space=global bytes=16
}

//@ bug vector_atomic_misaligned misaligned_address block=32 args="float32[128]=0"
extern "C" __global__ void vector_atomic_misaligned(float* a) {
  float* to = a + 2 * threadIdx.x + (threadIdx.x == 9);
  asm volatile("red.global.add.v2.f32 [%0], {%1, %1};" ::"l"(to), "f"(1.0f) : "memory");  //! thread=9 count=1 bytes=8
}

//@ bug exchange_of_128_bits_misaligned misaligned_address block=2 args="uint64[8]=0"
extern "C" __global__ void exchange_of_128_bits_misaligned(unsigned long long* a) {
  unsigned long long* to = a + 3 * threadIdx.x;
  asm volatile("{ .reg .b128 q; mov.b128 q, {%1, %1}; atom.global.exch.b128 q, [%0], q; }" ::"l"(to), "l"(7ull) : "memory");  //! thread=1 count=1 bytes=16
}

//@ bug vector_atomic_on_what_nothing_wrote uninitialised block=1 args="float32[4]"
extern "C" __global__ void vector_atomic_on_what_nothing_wrote(float* a) {
  a[0] = a[1] = a[3] = 0;
  atomicAdd((float4*)a, make_float4(1, 2, 3, 4));  //! thread=0 count=1 hazard=atomic origin=global
}

//@ bug last_of_a_vector_given_to_an_atomic uninitialised block=32 args="float32[4]=0 float32[32]"
extern "C" __global__ void last_of_a_vector_given_to_an_atomic(float* a, const float* b) {
  atomicAdd((float4*)a, make_float4(1, 2, 3, b[threadIdx.x]));  //! thread=0 count=32 hazard=atomic origin=global
}

//@ bug vector_atomic_and_plain race grid=2 block=32 args="float32[4]=0 float32[64]"
extern "C" __global__ void vector_atomic_and_plain(float* a, float* b) {
  atomicAdd((float4*)a, make_float4(1, 2, 3, 4));
  b[blockIdx.x * 32 + threadIdx.x] = a[3];  //! hazard=read_after_write thread=0 other_thread=31 other_line=-1 both_orders=True
}

//@ good sums_of_vectors grid=4 block=64 args="float32[8]=0 float32[1024]"
extern "C" __global__ void sums_of_vectors(float* a, float* b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 old = atomicAdd((float4*)a, make_float4(1, 2, 3, 4));
  atomicAdd((float2*)a + 2, make_float2(1, 2));
  ((float4*)b)[i] = old;
}

//@ good exchange_of_128_bits grid=2 block=32 args="uint64[2]=0 uint64[128]"
extern "C" __global__ void exchange_of_128_bits(ulonglong2* a, ulonglong2* b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  ulonglong2 old, seen = atomicExch(a, make_ulonglong2(i, i));
  do {
    old = seen;
    seen = atomicCAS(a, old, make_ulonglong2(old.x + 1, old.y + 2));
  } while (seen.x != old.x || seen.y != old.y);
  b[i] = seen;
}
