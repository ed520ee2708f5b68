// Functions that the device provides: printf, assert, malloc and free.
extern "C" __global__ void integers(int i, unsigned u, long long ll, unsigned long long ull) {
  printf("[%d|%i|%5d|%-5d|%05d|%+d|% d|%.3d|%8.3d|%-8.3d|]\n", i, i, i, i, i, i, i, i, i, i);
  printf("[%u|%o|%#o|%x|%#x|%X|%#X|%08x|%#010x|%.0x|]\n", u, u, u, u, u, u, u, u, u, u);
  printf("[%lld|%ld|%llu|%lu|%llx|%#llX|%llo|%20lld|%-20lld|]\n", ll, (long)ll, ull,
         (unsigned long)ull, ull, ull, ull, ll, ll);
  printf("[%hd|%hu|%hx|%hhd|%hhu|%zu|%jd|%td|]\n", (short)i, (unsigned short)u, (unsigned short)u,
         (signed char)i, (unsigned char)u, (size_t)ull, ll, ll);
  printf("[%*d|%-*d|%.*d|%*.*d|]\n", 7, i, 7, i, 4, i, -9, 3, i);
}
extern "C" __global__ void reals(double d, float f) {
  printf("[%f|%F|%e|%E|%g|%G|%a|%A|]\n", d, d, d, d, d, d, d, d);
  printf("[%.0f|%#.0f|%.0e|%#.0e|%.10f|%.17g|%#g|%.3a|%.0a|%20.5f|%-20.5e|%+g|% g|%020.3f|]\n", d, d,
         d, d, d, d, d, d, d, d, d, d, d, d);
  printf("[%f|%g|%a|]\n", f, f, f);
}
extern "C" __global__ void texts(const char* given, int c) {
  char local[8] = {'l', 'o', 'c', char(c), 0};
  __shared__ char shared[8];
  shared[0] = 's';
  shared[1] = char(c);
  shared[2] = 0;
  printf("[%s|%10s|%-10s|%.2s|%c|%3c|%%|%s|%s]\n", given, given, given, given, c, c, local, shared);
  printf("[%p|%20p|%p]\n", given, given, (void*)0);
  printf("no arguments\n");
  printf("[%5%|%n|%q|%", 1);
  printf("\n");
}
extern "C" __global__ void counts(int* out, int n) {
  out[0] = printf("a");
  out[1] = printf("%d %f %s\n", n, 1.0, "x");
  out[2] = printf("%*d\n", 3, n);
}
extern "C" __global__ void who(int n) {
  if (threadIdx.x < n) printf("%d.%d\n", blockIdx.x, threadIdx.x);
}
extern "C" __global__ void with_assert(const int* a, int n, int* out) {
  int i = threadIdx.x;
  assert(a[i] < n && "bad");
  out[i] = 1;
}
extern "C" __global__ void allocate(int** out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int* p = (int*)malloc(n * sizeof(int));
  if (p)
    for (int k = 0; k < n; ++k) p[k] = i * 1000 + k;
  out[i] = p;
}
extern "C" __global__ void add_up_and_free(int** in, int n, int* sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  for (int k = 0; k < n; ++k) sum += in[i][k];
  sums[i] = sum;
  free(in[i]);
}
extern "C" __global__ void touch(int** in, int which, int at) { in[which][at] = 1; }
extern "C" __global__ void free_at(char** in, int offset) { free(in[0] ? in[0] + offset : 0); }
struct Node {
  int value;
  Node* next;
  __device__ virtual int weight() const { return value; }
};
struct Heavy : Node {
  __device__ int weight() const override { return 10 * value; }
};
extern "C" __global__ void list(int* out, int n) {
  Node* head = nullptr;
  for (int i = 0; i < n; ++i) {
    Node* node = i & 1 ? new Heavy : new Node;
    node->value = i + int(threadIdx.x);
    node->next = head;
    head = node;
  }
  int sum = 0;
  while (head) {
    Node* next = head->next;
    sum += head->weight();
    delete head;
    head = next;
  }
  out[threadIdx.x] = sum;
}
extern "C" __global__ void traps(int x) {
  if (x == 1) __trap();
  if (x == 2) __brkpt();
}
