// A program of the runtime: each part returns whether the device did what it asked.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>
#include <vector>

__managed__ int counter = 40;
__constant__ float weights[4];
__device__ int hits[2];

#define CHECK(call)                                                          \
  do {                                                                       \
    const cudaError_t outcome = call;                                        \
    if (outcome != cudaSuccess) {                                            \
      std::printf("line %d: %s\n", __LINE__, cudaGetErrorString(outcome));   \
      return false;                                                          \
    }                                                                        \
  } while (0)

template <typename T>
__global__ void weigh(const T* in, T* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * weights[i % 4];
  if (i == 0) atomicAdd(&counter, 2);
}

__global__ void look_up(cudaTextureObject_t texture, float* out) {
  out[threadIdx.x] = tex2D<float>(texture, threadIdx.x + 1.f, 0.5f);
}

__global__ void write_surface(cudaSurfaceObject_t surface) {
  surf2Dwrite(static_cast<float>(threadIdx.x), surface, threadIdx.x * 4, 0);
}

__global__ void together() {
  if (blockIdx.x == 0 && threadIdx.x == 0) hits[0] = 1;
  cooperative_groups::this_grid().sync();
  if (blockIdx.x == 1 && threadIdx.x == 0) hits[1] = hits[0] + 1;
}

bool launches() {
  const float factors[] = {1, 2, 3, 4};
  CHECK(cudaMemcpyToSymbol(weights, factors, sizeof factors));
  std::vector<float> data(1000, 1.f), result(1000);
  float *in, *out;
  CHECK(cudaMalloc(&in, 4000));
  CHECK(cudaMalloc(&out, 4000));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMemcpyAsync(in, data.data(), 4000, cudaMemcpyHostToDevice, stream));
  weigh<<<8, 128, 0, stream>>>(in, out, 1000);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpyAsync(result.data(), out, 4000, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  int least, block;
  CHECK(cudaOccupancyMaxPotentialBlockSize(&least, &block, weigh<float>, 0, 0));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  return result[3] == 4.f && result[996] == 1.f && counter == 42 && block == 1024;
}

bool images() {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  CHECK(cudaMallocArray(&resource.res.array.array, &format, 4, 1, cudaArraySurfaceLoadStore));
  cudaSurfaceObject_t surface;
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  write_surface<<<1, 4>>>(surface);
  cudaTextureDesc how{};
  how.filterMode = cudaFilterModeLinear;
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  float *out, host[3];
  CHECK(cudaMalloc(&out, 12));
  look_up<<<1, 3>>>(texture, out);
  CHECK(cudaMemcpy(host, out, 12, cudaMemcpyDeviceToHost));
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaDestroySurfaceObject(surface));
  CHECK(cudaFreeArray(resource.res.array.array));
  CHECK(cudaFree(out));
  return host[0] == 0.5f && host[1] == 1.5f && host[2] == 2.5f;
}

bool cooperates() {
  CHECK(cudaLaunchCooperativeKernel(together, dim3(2), dim3(32), nullptr));
  int host[2];
  CHECK(cudaMemcpyFromSymbol(host, hits, sizeof host));
  return host[0] == 1 && host[1] == 2;
}

int main(int count, char** words) {
  if (count > 1 && std::strcmp(words[1], "overrun") == 0) {
    float* data;
    cudaMalloc(&data, 128);
    weigh<<<1, 128>>>(data, data, 33);
    std::puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
  }
  std::printf("launches %d images %d cooperates %d\n", launches(), images(), cooperates());
  return 0;
}
