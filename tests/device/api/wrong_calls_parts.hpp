// Shared by the lists of wrong calls.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "device/api/wrong_calls.hpp"

namespace warpmark::test::wrong {

std::vector<WrongCall> of_devices();   ///< and of contexts
std::vector<WrongCall> of_memory();    ///< and of arrays, textures, surfaces
std::vector<WrongCall> of_programs();  ///< modules and launches
std::vector<WrongCall> of_streams();   ///< and of events, capture, graphs
std::vector<WrongCall> of_handles();   ///< whatever context is current
std::vector<WrongCall> of_mapped();    ///< virtual memory, and memory of other processes

#define WARPMARK_TEXT_OF(name) #name
#define WARPMARK_TEXT(name) WARPMARK_TEXT_OF(name)
// The symbol that cuda.h's macros stand for: cuMemAlloc is cuMemAlloc_v2.
#define DRIVER(name) driver.find<decltype(&::name)>(WARPMARK_TEXT(name))
#define WRONG(name, stated, ...) \
  { name, [](const Driver&driver, [[maybe_unused]] Setting&s) -> CUresult __VA_ARGS__, stated }

inline constexpr const char* kText =
    ".version 7.0\n.target sm_75\n.address_size 64\n.global .align 4 .u32 number;\n"
    ".visible .entry k(.param .u64 p, .param .u32 n)\n{\nret;\n}\n"
    ".visible .entry bounded(.param .u64 p, .param .u32 n)\n.maxntid 64, 1, 1\n{\nret;\n}\n"
    ".visible .entry fixed(.param .u64 p, .param .u32 n)\n.reqntid 32, 1, 1\n{\nret;\n}\n";

inline CUresult create_context(const Driver& driver, CUcontext* context, unsigned flags,
                               CUdevice device) {
  using Create = CUresult (*)(CUcontext*, unsigned, CUdevice);
  return driver.find<Create>("cuCtxCreate_v2")(context, flags, device);
}

// With no context current.
template <typename Call>
CUresult without_context(const Driver& driver, const Setting& s, Call call) {
  DRIVER(cuCtxSetCurrent)(nullptr);
  const CUresult result = call();
  DRIVER(cuCtxSetCurrent)(s.context);
  return result;
}

struct Size {
  unsigned x = 1, y = 1, z = 1;
};

inline CUresult launch(const Driver& driver, CUfunction function, Size grid, Size block,
                       unsigned shared = 0, CUstream stream = nullptr) {
  CUdeviceptr address = 0;
  unsigned count = 0;
  void* parameters[] = {&address, &count};
  return DRIVER(cuLaunchKernel)(function, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared,
                                stream, parameters, nullptr);
}

inline CUresult launch_packed(const Driver& driver, CUfunction function, std::size_t bytes,
                              void* last) {
  std::uint64_t packed[4] = {};
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   last};
  return DRIVER(cuLaunchKernel)(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra);
}

// The result of a call on an object that is destroyed afterwards if it came to be.
template <typename Handle, typename Create, typename Destroy>
CUresult made(Create create, Destroy destroy) {
  Handle handle{};
  const CUresult result = create(&handle);
  if (result == CUDA_SUCCESS) destroy(handle);
  return result;
}

inline CUresult allocate(const Driver& driver, std::size_t bytes) {
  return made<CUdeviceptr>([&](CUdeviceptr* p) { return DRIVER(cuMemAlloc)(p, bytes); },
                           [&](CUdeviceptr p) {
                             DRIVER(cuMemFree)
                             (p);
                           });
}

inline CUresult make_array(const Driver& driver, std::size_t width, std::size_t height,
                           CUarray_format format, unsigned channels) {
  const CUDA_ARRAY_DESCRIPTOR description = {width, height, format, channels};
  return made<CUarray>([&](CUarray* array) { return DRIVER(cuArrayCreate)(array, &description); },
                       [&](CUarray array) {
                         DRIVER(cuArrayDestroy)
                         (array);
                       });
}

inline CUresult make_array_3d(const Driver& driver, Size size, unsigned flags) {
  CUDA_ARRAY3D_DESCRIPTOR description = {size.x, size.y, size.z, CU_AD_FORMAT_FLOAT, 1, flags};
  return made<CUarray>([&](CUarray* array) { return DRIVER(cuArray3DCreate)(array, &description); },
                       [&](CUarray array) {
                         DRIVER(cuArrayDestroy)
                         (array);
                       });
}

inline CUDA_RESOURCE_DESC resource_of(CUarray array) {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  return resource;
}

inline CUDA_RESOURCE_DESC linear_resource(CUdeviceptr address, std::size_t bytes,
                                          unsigned channels = 1) {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  resource.res.linear.devPtr = address;
  resource.res.linear.format = CU_AD_FORMAT_FLOAT;
  resource.res.linear.numChannels = channels;
  resource.res.linear.sizeInBytes = bytes;
  return resource;
}

inline CUresult make_texture(const Driver& driver, const CUDA_RESOURCE_DESC& resource,
                             const CUDA_TEXTURE_DESC& how) {
  return made<CUtexObject>(
      [&](CUtexObject* t) { return DRIVER(cuTexObjectCreate)(t, &resource, &how, nullptr); },
      [&](CUtexObject t) {
        DRIVER(cuTexObjectDestroy)
        (t);
      });
}

inline CUresult make_surface(const Driver& driver, const CUDA_RESOURCE_DESC& resource) {
  return made<CUsurfObject>(
      [&](CUsurfObject* t) { return DRIVER(cuSurfObjectCreate)(t, &resource); },
      [&](CUsurfObject t) {
        DRIVER(cuSurfObjectDestroy)
        (t);
      });
}

inline CUresult load(const Driver& driver, const char* text) {
  return made<CUmodule>([&](CUmodule* m) { return DRIVER(cuModuleLoadData)(m, text); },
                        [&](CUmodule m) {
                          DRIVER(cuModuleUnload)
                          (m);
                        });
}

inline CUresult make_stream(const Driver& driver, unsigned flags) {
  return made<CUstream>([&](CUstream* t) { return DRIVER(cuStreamCreate)(t, flags); },
                        [&](CUstream t) {
                          DRIVER(cuStreamDestroy)
                          (t);
                        });
}

inline CUresult make_event(const Driver& driver, unsigned flags) {
  return made<CUevent>([&](CUevent* e) { return DRIVER(cuEventCreate)(e, flags); },
                       [&](CUevent e) {
                         DRIVER(cuEventDestroy)
                         (e);
                       });
}

// A copy of 8 x 4 bytes from host to device memory, with one thing changed.
template <typename Change>
CUresult copy_2d(const Driver& driver, const Setting& s, Change change) {
  static std::uint8_t host[1024];
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = host;
  copy.srcPitch = 16;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = s.buffer;
  copy.dstPitch = 32;
  copy.WidthInBytes = 8;
  copy.Height = 4;
  change(copy);
  return DRIVER(cuMemcpy2D)(&copy);
}

// The result of `call` in the midst of a capture, which ends afterwards.
template <typename Call>
CUresult capturing(const Driver& driver, const Setting& s, Call call) {
  const CUresult begun = DRIVER(cuStreamBeginCapture)(s.stream, CU_STREAM_CAPTURE_MODE_RELAXED);
  if (begun != CUDA_SUCCESS) return begun;
  const CUresult result = call();
  CUgraph graph = nullptr;
  DRIVER(cuStreamEndCapture)(s.stream, &graph);
  if (graph != nullptr) DRIVER(cuGraphDestroy)(graph);
  return result;
}

template <typename Call>
CUresult with_graph(const Driver& driver, Call call) {
  CUgraph graph = nullptr;
  const CUresult created = DRIVER(cuGraphCreate)(&graph, 0);
  if (created != CUDA_SUCCESS) return created;
  const CUresult result = call(graph);
  DRIVER(cuGraphDestroy)(graph);
  return result;
}

inline constexpr int kValue = CUDA_ERROR_INVALID_VALUE, kDevice = CUDA_ERROR_INVALID_DEVICE,
                     kContext = CUDA_ERROR_INVALID_CONTEXT, kHandle = CUDA_ERROR_INVALID_HANDLE,
                     kMissing = CUDA_ERROR_NOT_FOUND;

}  // namespace warpmark::test::wrong
