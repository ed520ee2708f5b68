// Accesses that leave an array and land in another one, which lies beside it: addresses alone would be in order. And what
// looks like it, but is not: pointers that may point into either of two arrays.

//@ bug tile_into_next_tile illegal_address block=32 args="int32[32] 32:int32" space=shared
extern "C" __global__ void tile_into_next_tile(int* b, int n) {
  __shared__ int left[32];
  __shared__ int right[32];
  left[threadIdx.x] = 1;
  right[threadIdx.x] = 2;
  __syncthreads();
  int sum = right[threadIdx.x];
  for (int i = 0; i <= n; ++i) sum += left[i];  //! thread=0 count=32 says=at_offset_128_of_left,_which_has_128_bytes variable=left side=after distance=1
  b[threadIdx.x] = sum;
}

//@ bug tile_into_one_before illegal_address block=32 args="int32[32] 1:int32" space=shared
extern "C" __global__ void tile_into_one_before(int* b, int n) {
  __shared__ int first[32];
  __shared__ int second[32];
  first[threadIdx.x] = 1;
  second[threadIdx.x] = 2;
  __syncthreads();
  b[threadIdx.x] = second[(int)threadIdx.x - n] + first[threadIdx.x];  //! thread=0 count=1 says=4_bytes_before_second,_which_has_128_bytes side=before distance=4
}

//@ bug bins_into_their_sum illegal_address block=32 args="uint8[32] int32[1]" space=shared
extern "C" __global__ void bins_into_their_sum(unsigned char* b, int* c) {
  __shared__ int bins[16];
  __shared__ int sum;
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  if (threadIdx.x == 16) sum = 0;
  b[threadIdx.x] = threadIdx.x & 7;
  if (threadIdx.x == 9) b[9] = 16;
  __syncthreads();
  atomicAdd(&bins[*(volatile unsigned char*)(b + threadIdx.x)], 1);  //! thread=9 count=1 says=at_offset_64_of_bins,
  __syncthreads();
  if (threadIdx.x == 0) c[0] = bins[0] + sum;
}

//@ bug bytes_into_next_table illegal_address block=32 args="uint8[32]= uint8[32]" space=shared
extern "C" __global__ void bytes_into_next_table(const unsigned char* a, unsigned char* b) {
  __shared__ unsigned char lower[32];
  __shared__ unsigned char upper[64];
  lower[threadIdx.x] = threadIdx.x;
  upper[threadIdx.x] = upper[threadIdx.x + 32] = 0;
  __syncthreads();
  b[threadIdx.x] = lower[a[threadIdx.x]] + upper[a[threadIdx.x]];  //! thread=31 count=1 bytes=1 variable=lower
}

//@ bug static_into_dynamic illegal_address block=32 shared=128 args="int32[32] 2:int32" space=shared
extern "C" __global__ void static_into_dynamic(int* b, int n) {
  extern __shared__ int rest[];
  __shared__ int head[32];
  head[threadIdx.x] = rest[threadIdx.x] = 1;
  __syncthreads();
  b[threadIdx.x] = head[threadIdx.x * n] + rest[threadIdx.x];  //! thread=16 count=16 variable=head
}

//@ bug dynamic_into_static illegal_address block=32 shared=128 args="int32[32] 1:int32" space=shared
extern "C" __global__ void dynamic_into_static(int* b, int n) {
  extern __shared__ int rest[];
  __shared__ int head[32];
  head[threadIdx.x] = rest[threadIdx.x] = 1;
  __syncthreads();
  rest[(int)threadIdx.x - n] = head[threadIdx.x];  //! thread=0 count=1 access=write variable=rest side=before
  b[threadIdx.x] = 0;
}

//@ bug rows_past_their_end illegal_address block=4 args="float32[4] 4:int32" space=shared
struct Row {
  float v[4];
  __device__ float total(int n) const {
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += v[i];  //! thread=3 count=1 says=at_offset_64_of_rows,
    return sum;
  }
};

extern "C" __global__ void rows_past_their_end(float* b, int n) {
  __shared__ Row rows[4];
  __shared__ Row others[4];
  for (int i = 0; i < 4; ++i) rows[threadIdx.x].v[i] = others[threadIdx.x].v[i] = 1;
  __syncthreads();
  b[threadIdx.x] = rows[threadIdx.x].total(n + (threadIdx.x == 3)) + others[threadIdx.x].v[0];
}

//@ bug array_into_next_array illegal_address block=32 args="int32[32] int32[32]= int32[32]= 2048:int32"
extern "C" __global__ void array_into_next_array(int* b, const int* a, const int* more, int far) {
  b[threadIdx.x] = a[threadIdx.x + (threadIdx.x == 5 ? far : 0)] + more[threadIdx.x];  //! thread=5 count=1 argument=b index=2053 says=after_its_allocation_of_128_bytes,_inside_c lands_in=c
}

//@ bug array_into_one_before illegal_address block=32 args="int32[32] int32[32]= int32[32] 2048:int32"
extern "C" __global__ void array_into_one_before(int* b, const int* a, int* more, int far) {
  b[threadIdx.x] = a[threadIdx.x];
  more[(int)threadIdx.x - far] = 1;  //! thread=0 count=32 argument=c index=-2048 says=bytes_before_its_allocation_of_128_bytes,_inside_b access=write
}

//@ bug total_into_next_array illegal_address block=32 args="int32[32]= int32[32]= 2048:int32"
extern "C" __global__ void total_into_next_array(int* bins, int* more, int far) {
  atomicAdd(&bins[far], more[threadIdx.x]);  //! thread=0 count=32 argument=a index=2048 lands_in=b
}

__device__ int table[32];
__device__ int wide_table[4096];

//@ bug table_into_next_table illegal_address block=32 args="int32[32] 2048:int32"
extern "C" __global__ void table_into_next_table(int* b, int far) {
  wide_table[threadIdx.x] = wide_table[threadIdx.x + 2048] = 1;
  b[threadIdx.x] = table[threadIdx.x] + table[threadIdx.x + far];  //! thread=0 count=32 distance=8065 side=after
}

//@ bug one_of_two_into_a_third illegal_address block=32 args="int32[32]= int32[32]= int32[32] 4096:int32"
extern "C" __global__ void one_of_two_into_a_third(const int* a, const int* b, int* c, int far) {
  const int* from = far > 5000 ? a : b;
  c[threadIdx.x] = from[threadIdx.x + (threadIdx.x == 7 ? far / 2 : 0)];  //! thread=7 count=1 argument=b index=2055 lands_in=c
}

//@ bug places_changed_and_left illegal_address block=32 args="int32[32]= int32[32]= int32[32] 3:int32 4096:int32"
extern "C" __global__ void places_changed_and_left(int* a, int* b, int* c, int steps, int far) {
  for (int i = 0; i < steps; ++i) {
    b[threadIdx.x] = a[threadIdx.x] + 1;
    int* last = a;
    a = b;
    b = last;
  }
  c[threadIdx.x] = a[threadIdx.x];
  b[threadIdx.x + far] = 1;  //! thread=0 count=32 access=write lands_in=c
}

//@ bug one_of_two_tiles_into_a_third illegal_address block=32 args="int32[32] 1:int32" space=shared
extern "C" __global__ void one_of_two_tiles_into_a_third(int* b, int which) {
  __shared__ int one[32], other[32], sums[32];
  one[threadIdx.x] = other[threadIdx.x] = sums[threadIdx.x] = 1;
  __syncthreads();
  const int* from = which ? other : one;
  b[threadIdx.x] = from[threadIdx.x + (threadIdx.x == 31 ? which : 0)] + sums[threadIdx.x];  //! thread=31 count=1 says=at_offset_128_of_other,_which_has_128_bytes
}

//@ bug tiles_change_places_and_end illegal_address most=90 block=32 args="int32[32] 2:int32" space=shared
extern "C" __global__ void tiles_change_places_and_end(int* b, int steps) {
  __shared__ int sums[32], one[32], other[32];
  int *from = one, *to = other;
  sums[threadIdx.x] = from[threadIdx.x] = to[threadIdx.x] = 1;
  for (int i = 0; i < steps; ++i) {
    __syncthreads();
    to[threadIdx.x] = from[threadIdx.x - 1] + 1;  //! thread=0 count=2 says=_of_other,_which_has_128_bytes
    int* last = from;
    from = to;
    to = last;
  }
  __syncthreads();
  b[threadIdx.x] = from[threadIdx.x] + sums[threadIdx.x];
}

//@ bug offset_in_memory_is_too_great illegal_address block=4 args="uint8[64]= int64[4]= uint8[64] 8192:int64"
extern "C" __global__ void offset_in_memory_is_too_great(const char* text, long long* begins, char* out, long long far) {
  if (threadIdx.x == 2) begins[2] = far;
  __syncwarp();
  out[threadIdx.x] = text[begins[threadIdx.x]];  //! thread=2 count=1 argument=a index=8192 lands_in=b
}

//@ bug function_leaves_its_argument illegal_address block=32 args="int32[32]= int32[32] 2048:int32"
__device__ __noinline__ int far_place(const int* p, int i) {
  return p[i];  //! thread=9 count=1 argument=a index=2057 lands_in=b
}

extern "C" __global__ void function_leaves_its_argument(const int* a, int* b, int far) {
  b[threadIdx.x] = far_place(a, threadIdx.x + (threadIdx.x == 9 ? far : 0));
}

//@ bug function_leaves_its_tile illegal_address block=32 args="int32[32] 33:int32" space=shared
__device__ __noinline__ int total_of(const int* tile, int n) {
  return n == 0 ? 0 : tile[n - 1] + total_of(tile, n - 1);  //! thread=0 count=32 says=at_offset_128_of_near,_which_has_128_bytes
}

extern "C" __global__ void function_leaves_its_tile(int* b, int n) {
  __shared__ int near[32], next[32];
  near[threadIdx.x] = next[threadIdx.x] = 1;
  __syncthreads();
  b[threadIdx.x] = total_of(near, n) + next[threadIdx.x];
}

//@ bug member_of_an_argument_struct illegal_address only=optimised block=32 args="int32[32]= int32[32] 2048:int32"
struct Slice {
  const int* values;
  long long begin;
};

__device__ __noinline__ int slice_at(Slice slice, int i) {
  return slice.values[slice.begin + i];  //! thread=0 count=32 argument=a index=2048 lands_in=b
}

extern "C" __global__ void member_of_an_argument_struct(const int* a, int* b, int far) {
  b[threadIdx.x] = slice_at(Slice{a, far}, threadIdx.x);
}

//@ good one_of_two_tiles block=32 args="int32[32] 1:int32"
extern "C" __global__ void one_of_two_tiles(int* b, int which) {
  __shared__ int left[32], right[32];
  left[threadIdx.x] = 1;
  right[threadIdx.x] = 2;
  __syncthreads();
  const int* p = which ? right : left;
  b[threadIdx.x] = p[31 - threadIdx.x];
}

//@ good tiles_that_change_places block=32 args="int32[32] 5:int32"
extern "C" __global__ void tiles_that_change_places(int* b, int steps) {
  __shared__ int one[33], other[33];
  int *from = one, *to = other;
  from[threadIdx.x] = threadIdx.x;
  for (int i = 0; i < steps; ++i) {
    __syncthreads();
    to[threadIdx.x] = from[(threadIdx.x + 1) % 32] + 1;
    int* last = from;
    from = to;
    to = last;
  }
  __syncthreads();
  b[threadIdx.x] = from[threadIdx.x];
}

//@ good arrays_that_change_places block=32 args="int32[32]= int32[32]= 5:int32"
extern "C" __global__ void arrays_that_change_places(int* a, int* b, int steps) {
  for (int i = 0; i < steps; ++i) {
    b[threadIdx.x] = a[threadIdx.x] + 1;
    int* last = a;
    a = b;
    b = last;
  }
}

//@ good index_by_difference block=32 args="int32[32]= int32[32]"
extern "C" __global__ void index_by_difference(const int* a, int* b) {
  for (const int* p = a + threadIdx.x; p < a + 32; p += 32) b[p - a] = *p;
  __shared__ int s[32], t[32];
  s[threadIdx.x] = 1;
  __syncthreads();
  for (int* p = s + threadIdx.x; p < s + 32; p += 32) t[p - s] = *p;
  b[threadIdx.x] += t[threadIdx.x];
}

//@ good distance_between_arrays block=32 args="int32[32]= int32[32]= int32[32]"
extern "C" __global__ void distance_between_arrays(const int* a, const int* b, int* c) {
  const long long distance = (long long)b - (long long)a;
  c[threadIdx.x] = *(const int*)((const char*)(a + threadIdx.x) + distance);
}

//@ good pointers_in_memory block=32 args="int32[32]"
extern "C" __global__ void pointers_in_memory(int* b) {
  __shared__ int one[32], other[32];
  __shared__ int* which[2];
  one[threadIdx.x] = other[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 0) which[0] = other, which[1] = one;
  __syncthreads();
  b[threadIdx.x] = which[threadIdx.x & 1][threadIdx.x];
}

struct Chunk {
  char kind[8];
  int values[30];
};

//@ good struct_as_bytes block=32 args="int32[32]"
extern "C" __global__ void struct_as_bytes(int* b) {
  __shared__ Chunk chunk;
  for (unsigned i = threadIdx.x; i < sizeof(Chunk); i += 32) ((char*)chunk.kind)[i] = 1;
  __syncthreads();
  b[threadIdx.x] = threadIdx.x < 30 ? chunk.values[threadIdx.x] : chunk.kind[0];
}

//@ good pieces_of_dynamic_memory block=32 shared=512 args="int32[32]"
extern "C" __global__ void pieces_of_dynamic_memory(int* b) {
  extern __shared__ double whole[];
  __shared__ int own[32];
  int* first = (int*)whole;
  int* second = first + 32;
  double* third = (double*)(second + 32);
  first[threadIdx.x] = second[threadIdx.x] = own[threadIdx.x] = 1;
  third[threadIdx.x] = 1;
  __syncthreads();
  b[threadIdx.x] = first[31 - threadIdx.x] + second[31 - threadIdx.x] + own[31 - threadIdx.x] + (int)third[31 - threadIdx.x];
}

//@ good pointer_of_another_lane block=32 args="int32[32]"
extern "C" __global__ void pointer_of_another_lane(int* b) {
  __shared__ int low[16], high[16];
  int* own = threadIdx.x < 16 ? low + threadIdx.x : high + threadIdx.x - 16;
  *own = threadIdx.x;
  int* next = (int*)__shfl_xor_sync(0xffffffff, (unsigned long long)own, 16);
  __syncwarp();
  b[threadIdx.x] = *next;
}

//@ good tagged_pointer block=32 args="int32[32]"
extern "C" __global__ void tagged_pointer(int* b) {
  __shared__ int s[32], t[32];
  s[threadIdx.x] = t[threadIdx.x] = 3;
  unsigned long long p = (unsigned long long)((threadIdx.x & 1 ? s : t) + threadIdx.x) | (threadIdx.x & 1);
  b[threadIdx.x] = *(int*)(p & ~1ull) + (int)(p & 1);
}

__device__ __noinline__ int at_place(const int* p, int i) {
  return p[i];
}

//@ good function_of_either block=32 args="int32[32]= int32[32]"
extern "C" __global__ void function_of_either(const int* a, int* b) {
  __shared__ int s[32];
  s[threadIdx.x] = 1;
  __syncwarp();
  b[threadIdx.x] = at_place(a, threadIdx.x) + at_place(s, 31 - threadIdx.x) + at_place(table, threadIdx.x);
}

struct Pair {
  const int* first;
  int* second;
};

//@ good pointers_of_a_struct block=32 args="int32[32]= int32[32]"
extern "C" __global__ void pointers_of_a_struct(const int* a, int* b) {
  Pair pair{a, b};
  Pair* p = &pair;
  asm volatile("" : "+l"(p) : : "memory");
  if (threadIdx.x & 1) p->first = b;
  b[threadIdx.x] = a[threadIdx.x];
  p->second[threadIdx.x] += p->first[threadIdx.x];
}

//@ good one_of_two_arrays block=32 args="int32[32]= int32[32]= int32[32] 1:int32"
extern "C" __global__ void one_of_two_arrays(const int* a, const int* b, int* c, int which) {
  const int* from = which ? a : b;
  const int* other = threadIdx.x & 1 ? a : table;
  c[threadIdx.x] = from[31 - threadIdx.x] + other[threadIdx.x];
}

//@ good one_of_three_arrays block=32 args="int32[32]= int32[32]= int32[32]= int32[32] 2:int32"
extern "C" __global__ void one_of_three_arrays(const int* a, const int* b, const int* c, int* d, int which) {
  const int* from = which == 0 ? a : which == 1 ? b : c;
  for (int i = 0; i < 4; ++i) {
    d[threadIdx.x] = from[threadIdx.x];
    from = from == a ? b : from == b ? c : a;
  }
}

//@ good array_or_number block=32 args="int32[32]= int32[32] 0:int64 128:int64"
extern "C" __global__ void array_or_number(const char* a, int* b, long long skip, long long most) {
  long long offset = threadIdx.x < 16 ? skip : most / 2;
  const char* p = a + offset;
  if (offset + threadIdx.x % 16 * 4 < most) b[threadIdx.x] = *(const int*)(p + threadIdx.x % 16 * 4);
}

//@ good offsets_in_memory block=32 args="uint8[32]= int64[32]= uint8[32]"
extern "C" __global__ void offsets_in_memory(const char* text, const long long* begins, char* out) {
  out[begins[threadIdx.x] - 1] = text[begins[threadIdx.x] - 1];
}

struct Node {
  Node* next;
  long long to_value;
  int value;
};

// Addresses and distances in memory: relative to the node itself, and to what lies in other arrays.
//@ good pointers_and_distances_in_memory block=1 args="int64[12]=0 int32[8]= int32[4]"
extern "C" __global__ void pointers_and_distances_in_memory(Node* nodes, const int* values, int* out) {
  for (int i = 0; i < 3; ++i) {
    nodes[i].next = i < 2 ? nodes + i + 1 : nullptr;
    nodes[i].to_value = (long long)&nodes[i].value - (long long)&nodes[i];
    nodes[i].value = values[i];
  }
  Node* volatile* first = (Node* volatile*)&nodes[0].next;
  int sum = *(int*)((char*)*first + ((volatile Node*)nodes)->to_value);
  for (Node* at = *first; at != nullptr; at = at->next) sum += at->value;
  out[0] = sum;
}

__device__ __noinline__ void exchange(int*& p, int*& q) {
  int* last = p;
  p = q;
  q = last;
}

//@ good exchanged_by_a_function block=32 args="int32[32]= int32[32]="
extern "C" __global__ void exchanged_by_a_function(int* a, int* b) {
  for (int i = 0; i < 3; ++i) {
    b[threadIdx.x] += a[threadIdx.x];
    exchange(a, b);
  }
}

__device__ __noinline__ int at_depth(const int* p, const int* q, int depth) {
  return depth == 0 ? p[threadIdx.x] : at_depth(q, p, depth - 1) + q[31 - threadIdx.x];
}

//@ good arguments_that_change_places block=32 args="int32[32]= int32[32]"
extern "C" __global__ void arguments_that_change_places(const int* a, int* b) {
  __shared__ int s[32];
  s[threadIdx.x] = 1;
  __syncwarp();
  b[threadIdx.x] = at_depth(a, s, 3);
}

__device__ __noinline__ int moved(const int* p, int n) {
  p += n;
  if (n > 16) p -= 16;
  return *p;
}

//@ good argument_that_is_moved block=32 args="int32[32]= int32[32]"
extern "C" __global__ void argument_that_is_moved(const int* a, int* b) { b[threadIdx.x] = moved(a, threadIdx.x); }

// The optimiser makes one variable of each member: tot_$_0 and tot_$_1.
//@ bug struct_that_is_taken_apart race block=64 args="float32[64]= float32[64]" variable=total
struct Extent {
  float least, most;
};
extern "C" __global__ void struct_that_is_taken_apart(const float* a, float* b) {
  __shared__ Extent total;
  if (threadIdx.x == 32) {
    Extent first = {a[0], a[1]};
    total = first;  //! hazard=write_after_read says=of_total
  }
  Extent found = total;
  b[threadIdx.x] = found.least + found.most;  //! uninitialised source=total thread=0
}
