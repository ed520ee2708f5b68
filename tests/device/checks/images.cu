// Values in textures and surfaces, with mistakes and without.

__device__ float texel(unsigned long long texture, int x) {
  float v, none[3];
  asm volatile("tex.1d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5}];" : "=f"(v), "=f"(none[0]), "=f"(none[1]), "=f"(none[2]) : "l"(texture), "r"(x));
  return v;
}

//@ bug texel_that_was_never_written uninitialised block=32 args="texture:32first31 float32[32]" origin=global
extern "C" __global__ void texel_that_was_never_written(unsigned long long texture, float* b) {
  float v = texel(texture, threadIdx.x);
  b[threadIdx.x] = v + 1;  //! thread=31 other_thread=31 count=1 index=31
}

//@ bug first_texel_that_was_never_written uninitialised block=32 args="texture:32last31 float32[32]" origin=global
extern "C" __global__ void first_texel_that_was_never_written(unsigned long long texture, float* b) {
  if (texel(texture, threadIdx.x) > 0) b[threadIdx.x] = 1;  //! thread=0 count=1
}

//@ bug one_of_two_filtered_texels_was_never_written uninitialised block=8 args="image:8x8last63 float32[8]" origin=global
extern "C" __global__ void one_of_two_filtered_texels_was_never_written(unsigned long long texture, float* b) {
  float v, x = threadIdx.x + 1.0f, y = 0.5f, none[3];
  asm volatile("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];" : "=f"(v), "=f"(none[0]), "=f"(none[1]), "=f"(none[2]) : "l"(texture), "f"(x), "f"(y));
  b[threadIdx.x] = v;  //! thread=0 count=1 index=0
}

//@ bug surface_read_before_anybody_wrote uninitialised block=8 args="surface:8x4first31 int32[8]" origin=global
extern "C" __global__ void surface_read_before_anybody_wrote(unsigned long long surface, int* b) {
  int v;
  asm volatile("suld.b.2d.b32.trap {%0}, [%1, {%2, %3}];" : "=r"(v) : "l"(surface), "r"(threadIdx.x * 4), "r"(3) : "memory");
  b[threadIdx.x] = v * 2;  //! thread=7 other_line=-1 count=1 index=7
}

//@ bug surface_gets_a_variable_without_a_value uninitialised block=8 args="surface:8x4 int32[8]=first7" origin=global
extern "C" __global__ void surface_gets_a_variable_without_a_value(unsigned long long surface, const int* a) {
  asm volatile("sust.b.2d.b32.trap [%0, {%1, %2}], {%3};" ::"l"(surface), "r"(threadIdx.x * 4), "r"(0), "r"(a[threadIdx.x]) : "memory");  //! thread=7 count=1
}

//@ bug two_blocks_write_one_texel race grid=2 block=8 args="surface:8x4" hazard=write_after_write
extern "C" __global__ void two_blocks_write_one_texel(unsigned long long surface) {
  int x = threadIdx.x * 4 % 28;
  if (blockIdx.x == 0 || threadIdx.x == 6)
    asm volatile("sust.b.2d.b32.trap [%0, {%1, %2}], {%3};" ::"l"(surface), "r"(x + (threadIdx.x == 7 ? 28 : 0)), "r"(3), "r"(blockIdx.x) : "memory");  //! thread=6 in_block=1 other_thread=6 other_block=0 count=1
}

//@ bug threads_of_a_block_write_one_byte race block=64 args="surface:8x4" hazard=write_after_write
extern "C" __global__ void threads_of_a_block_write_one_byte(unsigned long long surface) {
  asm volatile("sust.b.2d.b8.trap [%0, {%1, %2}], {%3};" ::"l"(surface), "r"(threadIdx.x % 32), "r"(0), "h"((short)threadIdx.x) : "memory");  //! thread=32 other_thread=0 count=32
}

//@ bug texture_of_what_the_launch_wrote race block=32 args="texture:64 same" hazard=fetch_after_write
extern "C" __global__ void texture_of_what_the_launch_wrote(unsigned long long texture, float* memory) {
  memory[threadIdx.x] = 5;  //~
  __syncthreads();
  float v = texel(texture, 31 - threadIdx.x);  //! thread=0 other_thread=31 count=32
  memory[threadIdx.x + 32] = v;
}

//@ bug surface_read_after_a_barrier race block=8 args="surface:8x4 int32[8]" hazard=fetch_after_write
extern "C" __global__ void surface_read_after_a_barrier(unsigned long long surface, int* b) {
  int v;
  asm volatile("sust.b.2d.b32.trap [%0, {%1, %2}], {%3};" ::"l"(surface), "r"(threadIdx.x * 4), "r"(1), "r"(7) : "memory");  //~
  __syncthreads();
  asm volatile("suld.b.2d.b32.trap {%0}, [%1, {%2, %3}];" : "=r"(v) : "l"(surface), "r"(28 - threadIdx.x * 4), "r"(1) : "memory");  //! thread=0 other_thread=7 count=8
  b[threadIdx.x] = v;
}

//@ bug surface_written_while_a_neighbour_reads race grid=2 block=8 args="surface:8x4 int32[16]" hazard=write_after_read
extern "C" __global__ void surface_written_while_a_neighbour_reads(unsigned long long surface, int* b) {
  int v = 0;
  if (blockIdx.x == 0)
    asm volatile("suld.b.2d.b32.trap {%0}, [%1, {%2, %3}];" : "=r"(v) : "l"(surface), "r"(threadIdx.x * 4), "r"(0) : "memory");  //~
  else
    asm volatile("sust.b.2d.b32.trap [%0, {%1, %2}], {%3};" ::"l"(surface), "r"(threadIdx.x * 4), "r"(0), "r"(1) : "memory");  //! thread=0 in_block=1 other_block=0 count=8
  b[blockIdx.x * 8 + threadIdx.x] = v;
}

//@ good surface_changed_in_place grid=4 block=8 args="surface:8x4"
extern "C" __global__ void surface_changed_in_place(unsigned long long surface) {
  int v;
  asm volatile("suld.b.2d.b32.trap {%0}, [%1, {%2, %3}];" : "=r"(v) : "l"(surface), "r"(threadIdx.x * 4), "r"(blockIdx.x) : "memory");
  asm volatile("sust.b.2d.b32.trap [%0, {%1, %2}], {%3};" ::"l"(surface), "r"(threadIdx.x * 4), "r"(blockIdx.x), "r"(v + 1) : "memory");
}

//@ good bytes_of_one_word_by_four_threads block=32 args="surface:8x4"
extern "C" __global__ void bytes_of_one_word_by_four_threads(unsigned long long surface) {
  asm volatile("sust.b.2d.b8.trap [%0, {%1, %2}], {%3};" ::"l"(surface), "r"(threadIdx.x), "r"(0), "h"((short)threadIdx.x) : "memory");
}

//@ good reductions_on_a_surface grid=4 block=32 args="surface:8x4"
extern "C" __global__ void reductions_on_a_surface(unsigned long long surface) {
  asm volatile("sured.b.add.2d.s32.trap [%0, {%1, %2}], %3;" ::"l"(surface), "r"(threadIdx.x % 2 * 4), "r"(0), "r"(1) : "memory");
}

//@ good texel_without_a_value_that_nobody_uses block=32 args="texture:32first31 float32[32]"
extern "C" __global__ void texel_without_a_value_that_nobody_uses(unsigned long long texture, float* b) {
  float v = texel(texture, threadIdx.x);
  b[threadIdx.x] = threadIdx.x < 31 ? v : 0;
}
