// Pointers that a kernel reads from memory: an access through one must stay in the array that it points into.

//@ bug row_into_another_row illegal_address block=32 args="int32[32]= int32[32]= uint64[2] int32[32] 2048:int32"
extern "C" __global__ void row_into_another_row(int* a, int* b, int** rows, int* out, int n) {
  if (threadIdx.x == 0) rows[0] = a;
  if (threadIdx.x == 1) rows[1] = b;
  __syncthreads();
  const int* row = ((int* volatile*)rows)[0];
  out[threadIdx.x] = row[threadIdx.x + n];  //! thread=0 count=32 says=inside_b
}

struct View {
  float* data;
  int length;
};
//@ bug view_with_another_length illegal_address block=32 args="float32[32]= float32[32]= float32[32] int64[4]"
extern "C" __global__ void view_with_another_length(float* a, float* b, float* out, View* views) {
  if (threadIdx.x == 0) {
    views[0].data = a;
    views[0].length = 2080;
    views[1].data = b;
    views[1].length = 32;
  }
  __syncthreads();
  const volatile View* view = views;
  float* data = view->data;
  const float sum = data[threadIdx.x] + data[view->length - 1 - (int)threadIdx.x];  //! thread=0 count=32 says=inside_b
  out[threadIdx.x] = sum;
}

//@ bug store_through_a_field illegal_address block=32 args="int32[32] int32[32]= uint64[1]"
extern "C" __global__ void store_through_a_field(int* a, int* b, int** field) {
  if (threadIdx.x == 0) *field = b;
  __syncthreads();
  int* to = *(int* volatile*)field;
  to[(int)threadIdx.x - 2048] = b[threadIdx.x];  //! thread=0 count=32 access=write says=inside_a
  if (threadIdx.x == 0) a[0] = 1;
}

//@ bug count_in_another_table illegal_address block=32 only=optimised args="int32[32]=0 int32[32]=0 uint64[1] 2048:int32"
extern "C" __global__ void count_in_another_table(int* a, int* b, int** field, int n) {
  if (threadIdx.x == 0) *field = a;
  __syncthreads();
  int* table = *(int* volatile*)field;
  atomicAdd(&table[n + threadIdx.x], 1);  //! thread=0 count=32 says=inside_b
  if (n == 0) b[0] = 1;
}

//@ good rows_by_turns block=32 args="int32[32]= int32[32]= uint64[2] int32[32]"
extern "C" __global__ void rows_by_turns(int* a, int* b, int** rows, int* out) {
  if (threadIdx.x < 2) rows[threadIdx.x] = threadIdx.x == 0 ? a : b;
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < 6; ++i) sum += ((int* volatile*)rows)[(i + threadIdx.x) & 1][i];
  out[threadIdx.x] = sum;
}

//@ good from_the_end_pointer block=32 args="int32[32]= int32[32]= uint64[2] int32[32]"
extern "C" __global__ void from_the_end_pointer(int* a, int* b, int** range, int* out) {
  if (threadIdx.x == 0) range[0] = a;
  if (threadIdx.x == 1) range[1] = a + 32;
  __syncthreads();
  int* begin = ((int* volatile*)range)[0];
  int* end = ((int* volatile*)range)[1];
  int sum = 0;
  while (end != begin) sum += *--end;
  out[threadIdx.x] = sum + b[0];
}

struct Item {
  Item* next;
  int value;
};
//@ good list_over_two_arrays block=1 args="0:int64 int64[8]/record int64[8]/record int32[1]"
extern "C" __global__ void list_over_two_arrays(long long unused, Item* first, Item* second, int* out) {
  for (int i = 0; i < 4; ++i) {
    first[i] = {&second[i], i};
    second[i] = {i < 3 ? &first[i + 1] : nullptr, 10 * i};
  }
  int sum = 0;
  for (Item* at = *(Item* volatile*)&first[0].next; at != nullptr; at = *(Item* volatile*)&at->next) sum += at->value;
  *out = sum + (int)unused;
}

// A distance that is read, too: the sum of two values from memory.
//@ good distance_from_memory block=32 args="int32[32]= int32[32]= int64[2] int32[32]"
extern "C" __global__ void distance_from_memory(int* a, int* b, long long* two, int* out) {
  if (threadIdx.x == 0) two[0] = (long long)a;
  if (threadIdx.x == 1) two[1] = (long long)b - (long long)a;
  __syncthreads();
  const volatile long long* read = two;
  out[threadIdx.x] = ((const int*)(read[0] + read[1]))[threadIdx.x];
}

//@ good pointer_moved_along block=32 args="int32[64]= int32[64]= uint64[2] int32[32]"
extern "C" __global__ void pointer_moved_along(int* a, int* b, int** field, int* out) {
  if (threadIdx.x == 0) field[0] = a;
  if (threadIdx.x == 1) field[1] = b;
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < 2; ++k) {
    const int* at = ((int* volatile*)field)[k];
    for (int i = 0; i < 64; i += 4, at += 4) sum += at[0] + at[3];
  }
  out[threadIdx.x] = sum;
}
