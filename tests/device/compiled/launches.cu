// Kernels that launch kernels (nvcc -rdc=true).
#include <cstdio>

struct Box {
  double factor;
  int values[5];
};

// Counts the nodes of a binary tree, each a grid.
extern "C" __global__ void tree(int* count, int depth) {
  atomicAdd(count, 1);
  if (depth == 0) return;
  tree<<<1, 1>>>(count, depth - 1);
  tree<<<1, 1>>>(count, depth - 1);
}

extern "C" __global__ void note(int* log, int value) {
  const int at = atomicAdd(log, 1);
  log[1 + at] = value;
}

// Launches in one stream are executed in order; those in the tail stream come last.
extern "C" __global__ void orders(int* log) {
  cudaStream_t stream;
  cudaEvent_t event;
  int errors = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  errors |= cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  note<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 100);
  note<<<1, 1>>>(log, 1);
  note<<<1, 1>>>(log, 2);
  note<<<1, 1, 0, stream>>>(log, 3);
  errors |= cudaEventRecord(event, stream);
  errors |= cudaStreamWaitEvent(stream, event, 0);
  note<<<1, 1, 0, cudaStreamFireAndForget>>>(log, 4);
  errors |= cudaEventDestroy(event) | cudaStreamDestroy(stream);
  if (errors != 0) log[20] = errors;
}

extern __shared__ int dynamic[];
extern "C" __global__ void scale(float* out, Box box, int n) {
  dynamic[threadIdx.x] = box.values[threadIdx.x % 5];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = static_cast<float>(box.factor * dynamic[(threadIdx.x + 1) % blockDim.x]);
}
// Each thread of the parent writes a block's worth of the output through a child.
extern "C" __global__ void scatter(float* out, int each) {
  Box box{0.5 * (threadIdx.x + 1), {2, 4, 6, 8, 10}};
  const dim3 grid(2), block(each / 2);
  scale<<<grid, block, each / 2 * sizeof(int)>>>(out + threadIdx.x * each, box, each);
}

extern "C" __global__ void wrong(int* out) {
  note<<<1, 2048>>>(out, 1);
  out[20] = cudaPeekAtLastError();
  out[21] = cudaGetLastError();
  out[22] = cudaGetLastError();
  note<<<0, 1>>>(out, 1);
  out[23] = cudaGetLastError();
  cudaStream_t stream;
  out[24] = cudaStreamCreateWithFlags(&stream, 0);
}

// Launches itself as deep as it may.
extern "C" __global__ void deep(int* out) {
  out[0] += 1;
  deep<<<1, 1>>>(out);
  const int error = cudaGetLastError();
  if (error != 0) out[1] = error;
}

extern "C" __global__ void overrun(int* out, int at) { out[at] = 1; }
extern "C" __global__ void parent_of_overrun(int* out, int at) { overrun<<<1, 1>>>(out, at); }

extern "C" __global__ void says(int depth) {
  printf("%d\n", depth);
  if (depth < 3) says<<<1, 1>>>(depth + 1);
}

// Memory that a kernel allocates by the runtime is its children's, too.
extern "C" __global__ void fill(int* own, int* out, int value) {
  own[threadIdx.x] = value + threadIdx.x;
  out[threadIdx.x] = own[threadIdx.x];
}
extern "C" __global__ void give_back(int* own, int* out) { out[10] = cudaFree(own); }
extern "C" __global__ void allocates(int* out) {
  int* own = nullptr;
  out[8] = cudaMalloc(&own, 8 * sizeof *own);
  fill<<<1, 8>>>(own, out, 30);
  give_back<<<1, 1>>>(own, out);
  int* more = nullptr;
  out[9] = cudaMalloc(&more, size_t(1) << 40);
}
