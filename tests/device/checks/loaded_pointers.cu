// Pointers that kernels load from memory: members of structs, links of lists, tables of rows; memory that is given back and made again.

struct View {
  const int* data;
  int rows, columns, pitch;
};
struct Node {
  int value;
  Node* next;
};
struct Chunk {
  Chunk* next;
  int used;
  int room[5];
};
struct Leaf {
  Leaf *left, *right;
  int key;
};

//@ good view_in_shared_memory block=32 args="int32[64]= int32[32]"
extern "C" __global__ void view_in_shared_memory(const int* a, int* b) {
  __shared__ View view;
  if (threadIdx.x == 0) view = View{a, 4, 8, 16};
  __syncthreads();
  int row = threadIdx.x / 8, column = threadIdx.x % 8;
  b[threadIdx.x] = view.data[row * view.pitch + column];
}

//@ bug view_with_rows_for_columns illegal_address block=32 args="int32[64]= int32[32]" access=read
extern "C" __global__ void view_with_rows_for_columns(const int* a, int* b) {
  __shared__ View view;
  if (threadIdx.x == 0) view = View{a, 4, 8, 16};
  __syncthreads();
  int column = threadIdx.x / 4, row = threadIdx.x % 4;
  b[threadIdx.x] = view.data[column * view.pitch + row];  //! thread=16 count=16 argument=a index=64
}

//@ bug view_told_to_the_others_too_late race block=64 args="int32[64]= int32[64]" hazard=read_after_write
extern "C" __global__ void view_told_to_the_others_too_late(const int* a, int* b) {
  __shared__ View view;
  if (threadIdx.x == 0) view = View{a, 8, 8, 8};  //~
  __syncwarp();
  b[threadIdx.x] = view.data[threadIdx.x % view.pitch];  //! thread=32
}

//@ good list_of_another_block grid=2 block=32 args="uint64[1]=0 int32[64]= int32[64]=0"
extern "C" __global__ void list_of_another_block(unsigned long long* head, const int* a, int* b) {
  int i = blockIdx.x * 32 + threadIdx.x;
  Node* mine = new Node;
  mine->value = a[i];
  unsigned long long seen = atomicAdd(head, 0ull), old;
  do {
    old = seen;
    mine->next = (Node*)old;
    __threadfence();
    seen = atomicCAS(head, old, (unsigned long long)mine);
  } while (seen != old);
  __threadfence();
  int count = 0;
  for (Node* at = mine; at != nullptr; at = at->next) ++count;
  b[i] = count;
}

//@ bug list_pushed_without_a_fence race grid=2 block=1 args="uint64[1]=0 int32[2]=0" hazard=read_after_write
extern "C" __global__ void list_pushed_without_a_fence(unsigned long long* head, int* b) {
  Node* mine = new Node;
  mine->value = blockIdx.x;
  unsigned long long seen = atomicAdd(head, 0ull), old;
  do {
    old = seen;
    mine->next = (Node*)old;  //~
    seen = atomicCAS(head, old, (unsigned long long)mine);
  } while (seen != old);
  int count = 0;
  for (Node* at = mine; at != nullptr; at = at->next) ++count;  //! in_block=1 other_block=0
  b[blockIdx.x] = count;
}

//@ bug list_deleted_before_its_next_is_read illegal_address block=1 args="int32[8]= int32[1]" access=read
extern "C" __global__ void list_deleted_before_its_next_is_read(const int* a, int* b) {
  Node* list = nullptr;
  for (int i = 0; i < 8; ++i) list = new Node{a[i], list};
  int sum = 0;
  for (Node* at = list; at != nullptr; at = at->next) {  //! thread=0 freed=True
    sum += at->value;
    delete at;
  }
  *b = sum;
}

//@ bug last_node_without_an_end uninitialised block=32 args="int32[32]= int32[32]"
extern "C" __global__ void last_node_without_an_end(const int* a, int* b) {
  __shared__ Node nodes[32][3];
  Node* mine = nodes[threadIdx.x];
  for (int i = 0; i < 3; ++i) mine[i].value = a[threadIdx.x] + i;
  mine[0].next = mine + 1;
  mine[1].next = mine + 2;
  int sum = 0;
  for (Node* at = mine; at != nullptr; at = at->next) sum += at->value;  //! thread=0 hazard=branch
  b[threadIdx.x] = sum;
}

//@ good chunks_of_a_growing_list block=32 args="int32[32]= int32[32]"
extern "C" __global__ void chunks_of_a_growing_list(const int* a, int* b) {
  Chunk* first = (Chunk*)malloc(sizeof(Chunk));
  first->next = nullptr;
  first->used = 0;
  Chunk* last = first;
  for (int i = 0; i < a[threadIdx.x]; ++i) {
    if (last->used == 5) {
      last->next = (Chunk*)malloc(sizeof(Chunk));
      last = last->next;
      last->next = nullptr;
      last->used = 0;
    }
    last->room[last->used++] = i;
  }
  int sum = 0;
  while (first != nullptr) {
    for (int i = 0; i < first->used; ++i) sum += first->room[i];
    Chunk* next = first->next;
    free(first);
    first = next;
  }
  b[threadIdx.x] = sum;
}

//@ bug one_too_many_in_a_chunk illegal_address block=32 args="int32[32]= int32[32]" access=write
extern "C" __global__ void one_too_many_in_a_chunk(const int* a, int* b) {
  Chunk* chunk = (Chunk*)malloc(sizeof(Chunk));
  chunk->used = 0;
  for (int i = 0; i < a[threadIdx.x] && chunk->used <= 5; ++i) chunk->room[chunk->used++] = i;  //! thread=5 count=27 side=after distance=1
  b[threadIdx.x] = chunk->used;
  free(chunk);
}

//@ good table_of_rows_made_by_threads block=8 args="int32[8]= int32[8]"
extern "C" __global__ void table_of_rows_made_by_threads(const int* a, int* b) {
  __shared__ int* rows[8];
  int t = threadIdx.x;
  rows[t] = new int[t + 1];
  for (int i = 0; i <= t; ++i) rows[t][i] = a[i];
  __syncthreads();
  int sum = 0;
  for (int r = 0; r < 8; ++r) sum += rows[r][t < r ? t : r];
  b[t] = sum;
  __syncthreads();
  delete[] rows[t];
}

//@ bug row_of_a_triangle_is_shorter illegal_address block=8 args="int32[8]= int32[8]" access=read
extern "C" __global__ void row_of_a_triangle_is_shorter(const int* a, int* b) {
  __shared__ int* rows[8];
  int t = threadIdx.x;
  rows[t] = new int[t + 1];
  for (int i = 0; i <= t; ++i) rows[t][i] = a[i];
  __syncthreads();
  int sum = 0;
  for (int r = 0; r < 8; ++r) sum += rows[r][t];  //! count=28 side=after
  b[t] = sum;
}

//@ bug rows_given_back_while_others_read illegal_address block=64 args="int32[64]= int32[64]" access=read
extern "C" __global__ void rows_given_back_while_others_read(const int* a, int* b) {
  __shared__ int* rows[2];
  int t = threadIdx.x, w = t / 32;
  if (t % 32 == 0) rows[w] = new int[32];
  __syncwarp();
  rows[w][t % 32] = a[t];
  __syncthreads();
  if (t < 32) b[t] = rows[1][t];
  __syncwarp();
  if (t == 0) delete[] rows[0];
  __syncthreads();
  if (t >= 32) b[t] = rows[0][t - 32];  //! thread=32 count=32 freed=True
}

//@ bug old_copy_of_a_pointer_after_growing illegal_address block=32 args="int32[32]= int32[32]" access=read
// Another array of the same size is made after the first one has been given back.
extern "C" __global__ void old_copy_of_a_pointer_after_growing(const int* a, int* b) {
  int* small = (int*)malloc(16);
  for (int i = 0; i < 4; ++i) small[i] = a[i];
  int* first = small + 1;
  int* large = (int*)malloc(32);
  for (int i = 0; i < 4; ++i) large[i] = small[i];
  free(small);
  int* other = (int*)malloc(16);
  other[0] = other[1] = threadIdx.x;
  b[threadIdx.x] = *first + large[2] + other[0];  //! thread=0 freed=True
  free(large);
  free(other);
}

//@ bug memory_made_again_still_has_no_values uninitialised block=32 args="int32[32]= int32[32]"
extern "C" __global__ void memory_made_again_still_has_no_values(const int* a, int* b) {
  int sum = 0;
  for (int round = 0; round < 3; ++round) {
    int* room = (int*)malloc(16);
    if (round == 0) {
      for (int i = 0; i < 4; ++i) room[i] = a[i];
    }
    sum += room[threadIdx.x % 4];
    free(room);
  }
  b[threadIdx.x] = sum;  //! thread=0 count=32 origin=global
}

//@ good tree_of_nodes_of_an_array block=32 args="int32[32]= int32[32]"
extern "C" __global__ void tree_of_nodes_of_an_array(const int* a, int* b) {
  __shared__ Leaf leaves[32];
  int t = threadIdx.x;
  leaves[t].key = a[t];
  leaves[t].left = 2 * t + 1 < 32 ? leaves + 2 * t + 1 : nullptr;
  leaves[t].right = 2 * t + 2 < 32 ? leaves + 2 * t + 2 : nullptr;
  __syncwarp();
  const Leaf* at = leaves;
  int depth = 0;
  for (; at != nullptr; at = (t >> depth & 1) ? at->right : at->left) ++depth;
  b[t] = depth;
}

//@ bug leaf_whose_right_is_never_set uninitialised block=32 args="int32[32]= int32[32]"
extern "C" __global__ void leaf_whose_right_is_never_set(const int* a, int* b) {
  __shared__ Leaf leaves[32];
  int t = threadIdx.x;
  leaves[t].key = a[t];
  leaves[t].left = 2 * t + 1 < 32 ? leaves + 2 * t + 1 : nullptr;
  if (2 * t + 2 < 32) leaves[t].right = leaves + 2 * t + 2;
  __syncwarp();
  const Leaf* at = leaves;
  int sum = 0;
  while (at != nullptr) {  //! hazard=branch
    sum += at->key;
    at = (t >> sum % 5 & 1) ? at->right : at->left;
  }
  b[t] = sum;
}

//@ bug pointer_to_a_variable_of_a_function_kept uninitialised block=32 args="int32[32]= int32[32]"
struct Holder {
  int* kept;
};
__device__ __noinline__ void keep(Holder* holder, int v) {
  int own[4] = {v, v + 1, v + 2, v + 3};
  holder->kept = own;
  asm volatile("" : : "l"(own) : "memory");
}
extern "C" __global__ void pointer_to_a_variable_of_a_function_kept(const int* a, int* b) {
  __shared__ Holder holders[32];
  keep(holders + threadIdx.x, a[threadIdx.x]);
  b[threadIdx.x] = holders[threadIdx.x].kept[1] + 1;  //! thread=0 count=32 origin=local
}

//@ good arguments_kept_in_a_table grid=2 block=32 args="int32[32]= int32[32]= int32[64]"
extern "C" __global__ void arguments_kept_in_a_table(const int* a, const int* b, int* c) {
  const int* table[2] = {a, b};
  __shared__ const int* shared_table[2];
  if (threadIdx.x < 2) shared_table[threadIdx.x] = table[1 - threadIdx.x];
  __syncthreads();
  int which = threadIdx.x & 1;
  c[blockIdx.x * 32 + threadIdx.x] = table[which][threadIdx.x] + shared_table[which][31 - threadIdx.x];
}

//@ bug table_of_arguments_left illegal_address block=32 args="int32[32]= int32[40]= int32[32] 8:int32" access=read
extern "C" __global__ void table_of_arguments_left(const int* a, const int* b, int* c, int shift) {
  __shared__ const int* table[2];
  if (threadIdx.x == 0) table[0] = a, table[1] = b;
  __syncthreads();
  c[threadIdx.x] = table[0][threadIdx.x + shift] + table[1][threadIdx.x + shift];  //! thread=24 count=8 argument=a index=32
}

//@ good distance_of_pointers_in_a_list block=32 args="int32[32]= int32[32]"
extern "C" __global__ void distance_of_pointers_in_a_list(const int* a, int* b) {
  __shared__ int heap[64];
  __shared__ int* ends[32];
  heap[2 * threadIdx.x] = heap[2 * threadIdx.x + 1] = a[threadIdx.x];
  ends[threadIdx.x] = heap + 2 * threadIdx.x + 2;
  __syncwarp();
  int sum = 0;
  for (const int* p = heap; p != ends[threadIdx.x]; ++p) sum += *p;
  b[threadIdx.x] = sum + (int)(ends[31] - ends[0]);
}

//@ bug end_of_the_next_list_missed illegal_address block=32 args="int32[32]= int32[32]" space=shared
// Two at a time: an odd count steps over the end.
extern "C" __global__ void end_of_the_next_list_missed(const int* a, int* b) {
  __shared__ int heap[33];
  __shared__ int* end;
  heap[threadIdx.x] = a[threadIdx.x];
  if (threadIdx.x == 0) heap[32] = 1, end = heap + 33;
  __syncwarp();
  int sum = 0;
  #pragma unroll 1
  for (const int* p = heap; p != end && p - heap < 40; p += 2) sum += *p;  //! thread=0
  b[threadIdx.x] = sum;
}
