// Wrong calls about modules, functions and launches.
#include "device/api/wrong_calls_parts.hpp"

namespace warpmark::test {

using namespace wrong;

std::vector<WrongCall> wrong::of_programs() {
  return {
      WRONG("cuModuleLoadData: null", kValue, { return load(driver, nullptr); }),
      WRONG("cuModuleLoadData: empty text", CUDA_ERROR_INVALID_IMAGE, { return load(driver, ""); }),
      WRONG("cuModuleLoadData: words", CUDA_ERROR_INVALID_IMAGE,
            { return load(driver, "this is not a program\n"); }),
      WRONG("cuModuleLoadData: a syntax error", CUDA_ERROR_INVALID_PTX,
            {
              return load(driver,
                          ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k() { "
                          "add.u32 ; }\n");
            }),
      WRONG("cuModuleLoadData: version 99.0", CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
            {
              return load(
                  driver,
                  ".version 99.0\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n");
            }),
      WRONG("cuModuleLoadData: version 9.1", CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
            {
              return load(
                  driver,
                  ".version 9.1\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n");
            }),
      WRONG("cuModuleLoadData: version 9.1, target sm_100 and a mistake",
            CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
            {
              return load(
                  driver,
                  ".version 9.1\n.target sm_100\n.address_size 64\n.visible .entry k() { x; }\n");
            }),
      WRONG("cuModuleLoadData: target sm_999", CUDA_ERROR_INVALID_PTX,
            {
              return load(
                  driver,
                  ".version 7.0\n.target sm_999\n.address_size 64\n.visible .entry k() { ret; }\n");
            }),
      WRONG(
          "cuModuleLoadData: target sm_100a", CUDA_ERROR_INVALID_PTX,
          {
            return load(
                driver,
                ".version 8.6\n.target sm_100a\n.address_size 64\n.visible .entry k() { ret; }\n");
          }),
      WRONG("cuModuleLoadData: target sm_120", CUDA_ERROR_INVALID_PTX,
            {
              return load(
                  driver,
                  ".version 8.7\n.target sm_120\n.address_size 64\n.visible .entry k() { ret; }\n");
            }),
      WRONG("cuModuleLoadData: an undefined function", CUDA_ERROR_INVALID_PTX,
            {
              return load(driver,
                          ".version 7.0\n.target sm_75\n.address_size 64\n.extern .func "
                          "f();\n.visible .entry k() { call f; ret; }\n");
            }),
      WRONG("cuModuleLoad: no such file", CUDA_ERROR_FILE_NOT_FOUND,
            {
              CUmodule m;
              return DRIVER(cuModuleLoad)(&m, "/no/such/file.ptx");
            }),
      WRONG("cuModuleGetFunction: no such kernel", kMissing,
            {
              CUfunction f;
              return DRIVER(cuModuleGetFunction)(&f, s.module, "nothing");
            }),
      WRONG("cuModuleGetFunction: null name", kValue,
            {
              CUfunction f;
              return DRIVER(cuModuleGetFunction)(&f, s.module, nullptr);
            }),
      WRONG("cuModuleGetFunction: null module", kOpen,
            {
              CUfunction f;
              return DRIVER(cuModuleGetFunction)(&f, nullptr, "k");
            }),
      WRONG("cuModuleGetGlobal: no such variable", kMissing,
            {
              CUdeviceptr p;
              std::size_t n;
              return DRIVER(cuModuleGetGlobal)(&p, &n, s.module, "nothing");
            }),
      WRONG("cuModuleGetGlobal: a kernel", kValue,
            {
              CUdeviceptr p;
              std::size_t n;
              return DRIVER(cuModuleGetGlobal)(&p, &n, s.module, "k");
            }),
      WRONG("cuModuleUnload: null", kOpen, { return DRIVER(cuModuleUnload)(nullptr); }),
      WRONG("cuFuncGetAttribute: attribute 99", kValue,
            {
              int v;
              return DRIVER(cuFuncGetAttribute)(&v, static_cast<CUfunction_attribute>(99),
                                                s.function);
            }),
      WRONG("cuFuncGetAttribute: null function", kOpen,
            {
              int v;
              return DRIVER(cuFuncGetAttribute)(&v, CU_FUNC_ATTRIBUTE_NUM_REGS, nullptr);
            }),
      WRONG("cuFuncSetAttribute: number of registers", kValue,
            { return DRIVER(cuFuncSetAttribute)(s.function, CU_FUNC_ATTRIBUTE_NUM_REGS, 1); }),
      WRONG("cuFuncSetAttribute: 1 GiB of shared memory", kValue,
            {
              return DRIVER(cuFuncSetAttribute)(
                  s.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 30);
            }),
      WRONG("cuFuncSetAttribute: carveout 101", kValue,
            {
              return DRIVER(cuFuncSetAttribute)(
                  s.function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 101);
            }),
      WRONG("cuFuncSetCacheConfig: 99", kValue,
            { return DRIVER(cuFuncSetCacheConfig)(s.function, static_cast<CUfunc_cache>(99)); }),
      WRONG("cuFuncGetParamInfo: parameter 2 of 2", kValue,
            {
              std::size_t o, n;
              return DRIVER(cuFuncGetParamInfo)(s.function, 2, &o, &n);
            }),
      WRONG("cuOccupancyMaxActiveBlocksPerMultiprocessor: 0 threads", kValue,
            {
              int n;
              return DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor)(&n, s.function, 0, 0);
            }),
      WRONG("cuOccupancyMaxActiveBlocksPerMultiprocessor: 2000 threads", kOpen,
            {
              int n;
              return DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor)(&n, s.function, 2000, 0);
            }),
      WRONG("cuLinkAddData: words", CUDA_ERROR_INVALID_IMAGE,
            {
              return made<CUlinkState>(
                  [&](CUlinkState* l) {
                    DRIVER(cuLinkCreate)(0, nullptr, nullptr, l);
                    char t[] = "not PTX";
                    return DRIVER(cuLinkAddData)(*l, CU_JIT_INPUT_PTX, t, sizeof t, "t", 0, nullptr,
                                                 nullptr);
                  },
                  [&](CUlinkState l) {
                    DRIVER(cuLinkDestroy)
                    (l);
                  });
            }),
      WRONG("cuLinkAddFile: no such file", CUDA_ERROR_FILE_NOT_FOUND,
            {
              return made<CUlinkState>(
                  [&](CUlinkState* l) {
                    DRIVER(cuLinkCreate)(0, nullptr, nullptr, l);
                    return DRIVER(cuLinkAddFile)(*l, CU_JIT_INPUT_PTX, "/no/such/file.ptx", 0,
                                                 nullptr, nullptr);
                  },
                  [&](CUlinkState l) {
                    DRIVER(cuLinkDestroy)
                    (l);
                  });
            }),

      WRONG("cuLaunchKernel: grid 0", kValue, { return launch(driver, s.function, {0}, {}); }),
      WRONG("cuLaunchKernel: block 0", kValue,
            {
              return launch(driver, s.function, {}, {32, 0});
            }),
      WRONG("cuLaunchKernel: block of 1025", kValue,
            { return launch(driver, s.function, {}, {1025}); }),
      WRONG("cuLaunchKernel: block of 33 x 32", kValue,
            {
              return launch(driver, s.function, {}, {33, 32});
            }),
      WRONG("cuLaunchKernel: block z 65", kValue,
            {
              return launch(driver, s.function, {}, {1, 1, 65});
            }),
      WRONG("cuLaunchKernel: block of 2^31 x 2", kValue,
            {
              return launch(driver, s.function, {}, {0x80000000, 2});
            }),
      WRONG("cuLaunchKernel: grid x 2^31", kValue,
            { return launch(driver, s.function, {0x80000000}, {}); }),
      WRONG("cuLaunchKernel: grid y 65536", kValue,
            {
              return launch(driver, s.function, {1, 65536}, {});
            }),
      WRONG("cuLaunchKernel: grid z 65536", kValue,
            {
              return launch(driver, s.function, {1, 1, 65536}, {});
            }),
      WRONG("cuLaunchKernel: 48 KiB and a byte of shared memory", kValue,
            { return launch(driver, s.function, {}, {}, 49153); }),
      WRONG("cuLaunchKernel: 2^32-1 bytes of shared memory", kValue,
            { return launch(driver, s.function, {}, {}, 0xffffffff); }),
      WRONG("cuLaunchKernel: null function", kOpen, { return launch(driver, nullptr, {}, {}); }),
      WRONG("cuLaunchKernel: more threads than .maxntid", kValue,
            { return launch(driver, s.bounded, {}, {65}); }),
      WRONG("cuLaunchKernel: other threads than .reqntid", kValue,
            { return launch(driver, s.fixed, {}, {16}); }),
      WRONG("cuLaunchKernel: no parameters", kValue,
            {
              return DRIVER(cuLaunchKernel)(s.function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr,
                                            nullptr);
            }),
      WRONG("cuLaunchKernel: parameters and a buffer", kValue,
            {
              std::uint64_t packed[2] = {};
              std::size_t bytes = 12;
              void* parameters[] = {packed, packed};
              void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, packed, CU_LAUNCH_PARAM_BUFFER_SIZE,
                               &bytes, CU_LAUNCH_PARAM_END};
              return DRIVER(cuLaunchKernel)(s.function, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters,
                                            extra);
            }),
      WRONG("cuLaunchKernel: a buffer of 12 bytes, as it should be", CUDA_SUCCESS,
            { return launch_packed(driver, s.function, 12, CU_LAUNCH_PARAM_END); }),
      WRONG("cuLaunchKernel: a buffer of 8 bytes", CUDA_SUCCESS,
            { return launch_packed(driver, s.function, 8, CU_LAUNCH_PARAM_END); }),
      WRONG("cuLaunchKernel: a buffer of 16 bytes", CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
            { return launch_packed(driver, s.function, 16, CU_LAUNCH_PARAM_END); }),
      WRONG("cuLaunchKernel: a buffer of 32 bytes", CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
            { return launch_packed(driver, s.function, 32, CU_LAUNCH_PARAM_END); }),
      WRONG("cuLaunchCooperativeKernel: 2^20 blocks", CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
            {
              CUdeviceptr a = 0;
              unsigned n = 0;
              void* p[] = {&a, &n};
              return DRIVER(cuLaunchCooperativeKernel)(s.function, 1 << 20, 1, 1, 1024, 1, 1, 0,
                                                       nullptr, p);
            }),
      WRONG("cuLaunchKernelEx: null", kOpen,
            {
              void* p[] = {&s.buffer, &s.buffer};
              return DRIVER(cuLaunchKernelEx)(nullptr, s.function, p, nullptr);
            }),
      WRONG("cuLaunchKernelEx: cluster of 3 in a grid of 4", kOpen,
            {
              CUlaunchAttribute a{};
              a.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
              a.value.clusterDim.x = 3;
              a.value.clusterDim.y = a.value.clusterDim.z = 1;
              CUlaunchConfig c{};
              c.gridDimX = 4;
              c.gridDimY = c.gridDimZ = 1;
              c.blockDimX = 32;
              c.blockDimY = c.blockDimZ = 1;
              c.attrs = &a;
              c.numAttrs = 1;
              void* p[] = {&s.buffer, &s.buffer};
              return DRIVER(cuLaunchKernelEx)(&c, s.function, p, nullptr);
            }),
      WRONG("cuLaunchKernelEx: cluster of 1000", kOpen,
            {
              CUlaunchAttribute a{};
              a.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
              a.value.clusterDim.x = 1000;
              a.value.clusterDim.y = a.value.clusterDim.z = 1;
              CUlaunchConfig c{};
              c.gridDimX = 1000;
              c.gridDimY = c.gridDimZ = 1;
              c.blockDimX = 32;
              c.blockDimY = c.blockDimZ = 1;
              c.attrs = &a;
              c.numAttrs = 1;
              void* p[] = {&s.buffer, &s.buffer};
              return DRIVER(cuLaunchKernelEx)(&c, s.function, p, nullptr);
            }),
      WRONG("cuLaunchHostFunc: null", kValue,
            { return DRIVER(cuLaunchHostFunc)(s.stream, nullptr, nullptr); }),
  };
}

}  // namespace warpmark::test
