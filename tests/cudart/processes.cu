// Two processes with one array and one event: the second one gets the handles as its argument.
#include <spawn.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstring>
#include <string>

extern char** environ;

struct Handles {
  cudaIpcMemHandle_t memory;
  cudaIpcEventHandle_t event;
};

__global__ void add(int* values) { values[threadIdx.x] += 10; }

static int second(const char* text) {
  Handles handles;
  auto* bytes = reinterpret_cast<unsigned char*>(&handles);
  for (size_t i = 0; i < sizeof handles; ++i) std::sscanf(text + 2 * i, "%2hhx", bytes + i);
  int* values = nullptr;
  cudaEvent_t event = nullptr;
  const cudaError_t opened = cudaIpcOpenMemHandle(reinterpret_cast<void**>(&values), handles.memory,
                                                  cudaIpcMemLazyEnablePeerAccess);
  cudaIpcOpenEventHandle(&event, handles.event);
  cudaStreamWaitEvent(nullptr, event, 0);
  add<<<1, 4>>>(values);
  cudaEventRecord(event);
  cudaDeviceSynchronize();
  cudaIpcCloseMemHandle(values);
  std::printf("%s %s, ", cudaGetErrorName(opened), cudaGetErrorName(cudaGetLastError()));
  return 0;
}

int main(int argc, char** argv) {
  if (argc > 1) return second(argv[1]);
  int *values, host[4] = {1, 2, 3, 4};
  cudaEvent_t event;
  Handles handles;
  cudaMalloc(&values, sizeof host);
  cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
  cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming);
  cudaEventRecord(event);
  cudaIpcGetMemHandle(&handles.memory, values);
  cudaIpcGetEventHandle(&handles.event, event);
  std::string text;
  char digits[3];
  for (size_t i = 0; i < sizeof handles; ++i) {
    std::snprintf(digits, sizeof digits, "%02x", reinterpret_cast<unsigned char*>(&handles)[i]);
    text += digits;
  }
  char* arguments[] = {argv[0], const_cast<char*>(text.c_str()), nullptr};
  pid_t process = 0;
  posix_spawn(&process, "/proc/self/exe", nullptr, nullptr, arguments, environ);
  waitpid(process, nullptr, 0);
  cudaEventSynchronize(event);
  cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
  void* own = nullptr;
  const cudaError_t same =
      cudaIpcOpenMemHandle(&own, handles.memory, cudaIpcMemLazyEnablePeerAccess);
  std::printf("%d %d %s\n", host[0], host[3], cudaGetErrorName(same));
  return 0;
}
