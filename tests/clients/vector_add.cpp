// A program of the driver API as the toolkit's samples have them: it links libcuda.so.1 and knows
// nothing of Warpmark. Adds two vectors; exit code 0 if the sum is right.
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

void check(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  const char* text = "";
  cuGetErrorString(result, &text);
  std::fprintf(stderr, "%s: %d, %s\n", call, static_cast<int>(result), text);
  std::exit(1);
}
#define CHECK(call) check(call, #call)

const char* const kPtx = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry vector_add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .f32 %f<4>; .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra done;
  mul.wide.u32 %rd4, %r5, 4;
  add.s64 %rd5, %rd1, %rd4; ld.global.f32 %f1, [%rd5];
  add.s64 %rd6, %rd2, %rd4; ld.global.f32 %f2, [%rd6];
  add.f32 %f3, %f1, %f2;
  add.s64 %rd7, %rd3, %rd4; st.global.f32 [%rd7], %f3;
done:
  ret;
}
)";

}  // namespace

int main() {
  CHECK(cuInit(0));
  int count = 0, multiprocessors = 0;
  CHECK(cuDeviceGetCount(&count));
  CUdevice device = 0;
  CHECK(cuDeviceGet(&device, 0));
  char name[100];
  CHECK(cuDeviceGetName(name, sizeof name, device));
  CHECK(cuDeviceGetAttribute(&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device));
  std::printf("%d devices, the first: %s, %d multiprocessors\n", count, name, multiprocessors);
  CUcontext context = nullptr;
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CUmodule module = nullptr;
  CUfunction vector_add = nullptr;
  CHECK(cuModuleLoadData(&module, kPtx));
  CHECK(cuModuleGetFunction(&vector_add, module, "vector_add"));

  unsigned int n = 50000;
  std::vector<float> a(n), b(n), c(n);
  for (unsigned int i = 0; i < n; ++i) a[i] = static_cast<float>(i), b[i] = 0.5f * a[i];
  CUdeviceptr d_a = 0, d_b = 0, d_c = 0;
  CHECK(cuMemAlloc(&d_a, n * sizeof(float)));
  CHECK(cuMemAlloc(&d_b, n * sizeof(float)));
  CHECK(cuMemAlloc(&d_c, n * sizeof(float)));
  CHECK(cuMemcpyHtoD(d_a, a.data(), n * sizeof(float)));
  CHECK(cuMemcpyHtoD(d_b, b.data(), n * sizeof(float)));
  void* parameters[] = {&d_a, &d_b, &d_c, &n};
  CHECK(cuLaunchKernel(vector_add, (n + 255) / 256, 1, 1, 256, 1, 1, 0, nullptr, parameters,
                       nullptr));
  CHECK(cuMemcpyDtoH(c.data(), d_c, n * sizeof(float)));
  for (unsigned int i = 0; i < n; ++i) {
    if (c[i] != a[i] + b[i]) {
      std::fprintf(stderr, "element %u is %g\n", i, static_cast<double>(c[i]));
      return 1;
    }
  }
  CHECK(cuMemFree(d_a));
  CHECK(cuMemFree(d_b));
  CHECK(cuMemFree(d_c));
  CHECK(cuModuleUnload(module));
  CHECK(cuDevicePrimaryCtxRelease(device));
  std::puts("the sum is right");
  return 0;
}
