// Calls on live handles while no context, or another one of the device, is current: none of them is
// wrong, but for those that need a current context. What is stated is what an H200 and an H100
// answered (driver 580); the driver API's reference is silent.
#include <array>
#include <memory>
#include <utility>

#include "device/api/wrong_calls_parts.hpp"

namespace warpmark::test {

using namespace wrong;

namespace {

/// Leaves the setting's context; called between the making of a handle and the call on it.
using Leave = std::function<void()>;

struct Row {
  const char* without;  ///< the names of the two calls
  const char* with;
  int none, other;  ///< the stated results with no context current, and with another
  CUresult (*call)(const Driver&, Setting&, const Leave&);
};

#define HANDLE(name, none, other, ...)                                          \
  Row {                                                                         \
    name ": no context current", name ": another context current", none, other, \
        [](const Driver& driver, [[maybe_unused]] Setting& s,                   \
           const Leave& leave) -> CUresult __VA_ARGS__                          \
  }

// A context of the device with a stream in it, which go again.
class Other {
 public:
  explicit Other(const Driver& of) : driver(of) {
    create_context(driver, &context, 0, 0);
    DRIVER(cuStreamCreate)(&stream, 0);
    CUcontext popped = nullptr;
    DRIVER(cuCtxPopCurrent)(&popped);
  }
  ~Other() { DRIVER(cuCtxDestroy)(context); }
  Other(const Other&) = delete;
  Other& operator=(const Other&) = delete;

  const Driver& driver;
  CUcontext context = nullptr;
  CUstream stream = nullptr;
};

template <typename Type, typename Create>
Type make(Create create) {
  Type handle{};
  create(&handle);
  return handle;
}
CUdeviceptr memory(const Driver& driver) {
  return make<CUdeviceptr>([&](CUdeviceptr* p) { return DRIVER(cuMemAlloc)(p, 64); });
}
CUdeviceptr managed(const Driver& driver) {
  return make<CUdeviceptr>(
      [&](CUdeviceptr* p) { return DRIVER(cuMemAllocManaged)(p, 64, CU_MEM_ATTACH_GLOBAL); });
}
void* pinned(const Driver& driver) {
  return make<void*>([&](void** p) { return DRIVER(cuMemHostAlloc)(p, 64, 0); });
}
CUevent recorded(const Driver& driver) {
  auto* event = make<CUevent>([&](CUevent* e) { return DRIVER(cuEventCreate)(e, 0); });
  DRIVER(cuEventRecord)(event, nullptr);
  return event;
}
CUmodule module_of(const Driver& driver) {
  return make<CUmodule>([&](CUmodule* m) { return DRIVER(cuModuleLoadData)(m, kText); });
}
CUarray array_of(const Driver& driver) {
  CUDA_ARRAY3D_DESCRIPTOR d = {8, 4, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST};
  return make<CUarray>([&](CUarray* a) { return DRIVER(cuArray3DCreate)(a, &d); });
}
CUmipmappedArray mipmap_of(const Driver& driver) {
  CUDA_ARRAY3D_DESCRIPTOR d = {8, 8, 0, CU_AD_FORMAT_FLOAT, 1, 0};
  return make<CUmipmappedArray>(
      [&](CUmipmappedArray* a) { return DRIVER(cuMipmappedArrayCreate)(a, &d, 2); });
}
CUlinkState link_of(const Driver& driver) {
  return make<CUlinkState>(
      [&](CUlinkState* l) { return DRIVER(cuLinkCreate)(0, nullptr, nullptr, l); });
}
CUgraphExec graph_of(const Driver& driver, const Setting& s) {
  CUgraph graph = nullptr;
  DRIVER(cuStreamBeginCapture)(s.stream, CU_STREAM_CAPTURE_MODE_RELAXED);
  launch(driver, s.function, {}, {}, 0, s.stream);
  DRIVER(cuStreamEndCapture)(s.stream, &graph);
  auto* exec = make<CUgraphExec>(
      [&](CUgraphExec* x) { return DRIVER(cuGraphInstantiateWithFlags)(x, graph, 0); });
  DRIVER(cuGraphDestroy)(graph);
  return exec;
}

char host_bytes[64];

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      // Calls that need a current context, whichever it is.
      HANDLE("cuMemcpy", kContext, 0,
             {
               leave();
               return DRIVER(cuMemcpy)(s.buffer, s.buffer + 64, 8);
             }),
      HANDLE("cuMemcpyDtoH", kContext, 0,
             {
               leave();
               return DRIVER(cuMemcpyDtoH)(host_bytes, s.buffer, 8);
             }),
      HANDLE("cuMemsetD8", kContext, 0,
             {
               leave();
               return DRIVER(cuMemsetD8)(s.buffer, 0, 8);
             }),
      HANDLE("cuMemcpyAtoH", kContext, 0,
             {
               auto* a = array_of(driver);
               leave();
               return DRIVER(cuMemcpyAtoH)(host_bytes, a, 0, 8);
             }),
      HANDLE("cuMemGetAddressRange", kContext, 0,
             {
               CUdeviceptr p = 0;
               leave();
               return DRIVER(cuMemGetAddressRange)(&p, nullptr, s.buffer + 8);
             }),
      HANDLE("cuOccupancyMaxActiveBlocksPerMultiprocessor", kContext, 0,
             {
               int n = 0;
               leave();
               return DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor)(&n, s.function, 32, 0);
             }),
      HANDLE("cuOccupancyMaxPotentialBlockSize", kContext, 0,
             {
               int n = 0, m = 0;
               leave();
               return DRIVER(cuOccupancyMaxPotentialBlockSize)(&n, &m, s.function, nullptr, 0, 0);
             }),
      HANDLE("cuCtxSynchronize", kContext, 0,
             {
               leave();
               return DRIVER(cuCtxSynchronize)();
             }),
      HANDLE("cuMemHostGetDevicePointer", kContext, 0,
             {
               auto* h = pinned(driver);
               CUdeviceptr p = 0;
               leave();
               return DRIVER(cuMemHostGetDevicePointer)(&p, h, 0);
             }),
      HANDLE("cuMemHostGetFlags", kContext, 0,
             {
               auto* h = pinned(driver);
               unsigned f = 0;
               leave();
               return DRIVER(cuMemHostGetFlags)(&f, h);
             }),
      HANDLE("cuTexObjectDestroy", kContext, 0,
             {
               const CUDA_RESOURCE_DESC resource = resource_of(array_of(driver));
               const CUDA_TEXTURE_DESC how{};
               const auto t = make<CUtexObject>([&](CUtexObject* o) {
                 return DRIVER(cuTexObjectCreate)(o, &resource, &how, nullptr);
               });
               leave();
               return DRIVER(cuTexObjectDestroy)(t);
             }),
      HANDLE("cuSurfObjectDestroy", kContext, 0,
             {
               const CUDA_RESOURCE_DESC resource = resource_of(array_of(driver));
               const auto t = make<CUsurfObject>(
                   [&](CUsurfObject* o) { return DRIVER(cuSurfObjectCreate)(o, &resource); });
               leave();
               return DRIVER(cuSurfObjectDestroy)(t);
             }),
      // The null stream is the current context's.
      HANDLE("cuLaunchKernel, null stream", kContext, kHandle,
             {
               leave();
               return launch(driver, s.function, {}, {});
             }),
      HANDLE("cuLaunchKernel, per-thread stream", kContext, kHandle,
             {
               leave();
               return launch(driver, s.function, {}, {}, 0, CU_STREAM_PER_THREAD);
             }),
      HANDLE("cuEventRecord, null stream", kContext, kHandle,
             {
               auto* e = recorded(driver);
               leave();
               return DRIVER(cuEventRecord)(e, nullptr);
             }),
      HANDLE("cuMemcpyAsync, null stream", kContext, 0,
             {
               leave();
               return DRIVER(cuMemcpyAsync)(s.buffer, s.buffer + 64, 8, nullptr);
             }),
      HANDLE("cuStreamWaitEvent, null stream", kContext, 0,
             {
               auto* e = recorded(driver);
               leave();
               return DRIVER(cuStreamWaitEvent)(nullptr, e, 0);
             }),
      HANDLE("cuStreamGetFlags, null stream", kContext, 0,
             {
               unsigned f = 0;
               leave();
               return DRIVER(cuStreamGetFlags)(nullptr, &f);
             }),
      HANDLE("cuGraphLaunch, null stream", kContext, 0,
             {
               auto* x = graph_of(driver, s);
               leave();
               return DRIVER(cuGraphLaunch)(x, nullptr);
             }),
      HANDLE("cuMemFreeAsync, null stream", kContext, 0,
             {
               const auto p = memory(driver);
               leave();
               return DRIVER(cuMemFreeAsync)(p, nullptr);
             }),
      // A stream brings its context.
      HANDLE("cuLaunchKernel", 0, 0,
             {
               leave();
               return launch(driver, s.function, {}, {}, 0, s.stream);
             }),
      HANDLE("cuMemcpyAsync", 0, 0,
             {
               leave();
               return DRIVER(cuMemcpyAsync)(s.buffer, s.buffer + 64, 8, s.stream);
             }),
      HANDLE("cuMemcpyHtoDAsync", 0, 0,
             {
               leave();
               return DRIVER(cuMemcpyHtoDAsync)(s.buffer, host_bytes, 8, s.stream);
             }),
      HANDLE("cuMemcpyDtoHAsync", 0, 0,
             {
               leave();
               return DRIVER(cuMemcpyDtoHAsync)(host_bytes, s.buffer, 8, s.stream);
             }),
      HANDLE("cuMemsetD8Async", 0, 0,
             {
               leave();
               return DRIVER(cuMemsetD8Async)(s.buffer, 0, 8, s.stream);
             }),
      HANDLE("cuMemAllocAsync", 0, 0,
             {
               CUdeviceptr p = 0;
               leave();
               return DRIVER(cuMemAllocAsync)(&p, 64, s.stream);
             }),
      HANDLE("cuMemFreeAsync", 0, 0,
             {
               const auto p = memory(driver);
               leave();
               return DRIVER(cuMemFreeAsync)(p, s.stream);
             }),
      HANDLE("cuStreamWriteValue32", 0, 0,
             {
               leave();
               return DRIVER(cuStreamWriteValue32)(s.stream, s.buffer, 1, 0);
             }),
      HANDLE("cuStreamSynchronize", 0, 0,
             {
               leave();
               return DRIVER(cuStreamSynchronize)(s.stream);
             }),
      HANDLE("cuStreamQuery, after it", 0, 0,
             {
               DRIVER(cuStreamSynchronize)(s.stream);
               leave();
               return DRIVER(cuStreamQuery)(s.stream);
             }),
      HANDLE("cuStreamGetCtx", 0, 0,
             {
               CUcontext c = nullptr;
               leave();
               const CUresult r = DRIVER(cuStreamGetCtx)(s.stream, &c);
               return r == 0 && c != s.context ? CUDA_ERROR_UNKNOWN : r;
             }),
      HANDLE("cuStreamGetFlags", 0, 0,
             {
               unsigned f = 0;
               leave();
               return DRIVER(cuStreamGetFlags)(s.stream, &f);
             }),
      HANDLE("cuStreamIsCapturing", 0, 0,
             {
               CUstreamCaptureStatus f{};
               leave();
               return DRIVER(cuStreamIsCapturing)(s.stream, &f);
             }),
      HANDLE("cuStreamWaitEvent", 0, 0,
             {
               auto* e = recorded(driver);
               leave();
               return DRIVER(cuStreamWaitEvent)(s.stream, e, 0);
             }),
      HANDLE("cuEventRecord", 0, 0,
             {
               auto* e = recorded(driver);
               leave();
               return DRIVER(cuEventRecord)(e, s.stream);
             }),
      HANDLE("cuGraphLaunch", 0, 0,
             {
               auto* x = graph_of(driver, s);
               leave();
               return DRIVER(cuGraphLaunch)(x, s.stream);
             }),
      HANDLE("cuGraphUpload", 0, 0,
             {
               auto* x = graph_of(driver, s);
               leave();
               return DRIVER(cuGraphUpload)(x, s.stream);
             }),
      HANDLE("cuStreamDestroy", 0, 0,
             {
               auto* t = make<CUstream>([&](CUstream* m) { return DRIVER(cuStreamCreate)(m, 0); });
               leave();
               return DRIVER(cuStreamDestroy)(t);
             }),
      // Functions and events go with streams of their own context only.
      HANDLE("cuLaunchKernel, another context's stream", kHandle, kHandle,
             {
               const Other other(driver);
               leave();
               return launch(driver, s.function, {}, {}, 0, other.stream);
             }),
      HANDLE("cuEventRecord, another context's stream", kHandle, kHandle,
             {
               const Other other(driver);
               auto* e = recorded(driver);
               leave();
               return DRIVER(cuEventRecord)(e, other.stream);
             }),
      HANDLE("cuStreamWaitEvent, another context's stream", 0, 0,
             {
               const Other other(driver);
               auto* e = recorded(driver);
               leave();
               return DRIVER(cuStreamWaitEvent)(other.stream, e, 0);
             }),
      HANDLE("cuMemcpyAsync, another context's stream", 0, 0,
             {
               const Other other(driver);
               leave();
               return DRIVER(cuMemcpyAsync)(s.buffer, s.buffer + 64, 8, other.stream);
             }),
      HANDLE("cuMemFreeAsync, another context's stream", 0, 0,
             {
               const Other other(driver);
               const auto p = memory(driver);
               leave();
               return DRIVER(cuMemFreeAsync)(p, other.stream);
             }),
      HANDLE("cuGraphLaunch, another context's stream", 0, 0,
             {
               const Other other(driver);
               auto* x = graph_of(driver, s);
               leave();
               return DRIVER(cuGraphLaunch)(x, other.stream);
             }),
      // Other handles bring theirs.
      HANDLE("cuEventSynchronize", 0, 0,
             {
               auto* e = recorded(driver);
               leave();
               return DRIVER(cuEventSynchronize)(e);
             }),
      HANDLE("cuEventQuery, after it", 0, 0,
             {
               auto* e = recorded(driver);
               DRIVER(cuEventSynchronize)(e);
               leave();
               return DRIVER(cuEventQuery)(e);
             }),
      HANDLE("cuEventElapsedTime", 0, 0,
             {
               float f = 0;
               auto* e = recorded(driver);
               DRIVER(cuEventSynchronize)(e);
               leave();
               return driver.find<CUresult (*)(float*, CUevent, CUevent)>("cuEventElapsedTime")(
                   &f, e, e);
             }),
      HANDLE("cuEventDestroy", 0, 0,
             {
               auto* e = recorded(driver);
               leave();
               return DRIVER(cuEventDestroy)(e);
             }),
      HANDLE("cuPointerGetAttribute", 0, 0,
             {
               CUcontext c = nullptr;
               leave();
               const CUresult r =
                   DRIVER(cuPointerGetAttribute)(&c, CU_POINTER_ATTRIBUTE_CONTEXT, s.buffer);
               return r == 0 && c != s.context ? CUDA_ERROR_UNKNOWN : r;
             }),
      HANDLE("cuPointerGetAttribute, no device's address", kValue, kValue,
             {
               unsigned t = 0;
               leave();
               return DRIVER(cuPointerGetAttribute)(&t, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 16);
             }),
      HANDLE("cuModuleGetFunction", 0, 0,
             {
               CUfunction f = nullptr;
               leave();
               return DRIVER(cuModuleGetFunction)(&f, s.module, "k");
             }),
      HANDLE("cuModuleGetGlobal", 0, 0,
             {
               CUdeviceptr p = 0;
               leave();
               return DRIVER(cuModuleGetGlobal)(&p, nullptr, s.module, "number");
             }),
      HANDLE("cuModuleUnload", 0, 0,
             {
               auto* m = module_of(driver);
               leave();
               return DRIVER(cuModuleUnload)(m);
             }),
      HANDLE("cuFuncGetAttribute", 0, 0,
             {
               int n = 0;
               leave();
               return DRIVER(cuFuncGetAttribute)(&n, CU_FUNC_ATTRIBUTE_NUM_REGS, s.function);
             }),
      HANDLE("cuFuncSetAttribute", 0, 0,
             {
               leave();
               return DRIVER(cuFuncSetAttribute)(
                   s.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 49152);
             }),
      HANDLE("cuFuncSetCacheConfig", 0, 0,
             {
               leave();
               return DRIVER(cuFuncSetCacheConfig)(s.function, CU_FUNC_CACHE_PREFER_NONE);
             }),
      HANDLE("cuFuncGetModule", 0, 0,
             {
               CUmodule m = nullptr;
               leave();
               return DRIVER(cuFuncGetModule)(&m, s.function);
             }),
      HANDLE("cuArrayDestroy", 0, 0,
             {
               auto* a = array_of(driver);
               leave();
               return DRIVER(cuArrayDestroy)(a);
             }),
      HANDLE("cuArray3DGetDescriptor", 0, 0,
             {
               CUDA_ARRAY3D_DESCRIPTOR d;
               leave();
               return DRIVER(cuArray3DGetDescriptor)(&d, s.array);
             }),
      HANDLE("cuMipmappedArrayGetLevel", 0, 0,
             {
               CUarray a = nullptr;
               auto* m = mipmap_of(driver);
               leave();
               return DRIVER(cuMipmappedArrayGetLevel)(&a, m, 0);
             }),
      HANDLE("cuMipmappedArrayDestroy", 0, 0,
             {
               auto* m = mipmap_of(driver);
               leave();
               return DRIVER(cuMipmappedArrayDestroy)(m);
             }),
      HANDLE("cuLinkAddData", 0, 0,
             {
               auto* l = link_of(driver);
               leave();
               return DRIVER(cuLinkAddData)(l, CU_JIT_INPUT_PTX, const_cast<char*>(kText),
                                            std::strlen(kText) + 1, "a", 0, nullptr, nullptr);
             }),
      HANDLE("cuLinkDestroy", 0, 0,
             {
               auto* l = link_of(driver);
               leave();
               return DRIVER(cuLinkDestroy)(l);
             }),
      HANDLE("cuMemFree", 0, 0,
             {
               const auto p = memory(driver);
               leave();
               return DRIVER(cuMemFree)(p);
             }),
      HANDLE("cuMemFree, managed memory", 0, 0,
             {
               const auto p = managed(driver);
               leave();
               return DRIVER(cuMemFree)(p);
             }),
      HANDLE("cuMemFree, pinned memory", kValue, kValue,
             {
               auto* p = pinned(driver);
               leave();
               return DRIVER(cuMemFree)(reinterpret_cast<CUdeviceptr>(p));
             }),
      HANDLE("cuMemFreeHost", 0, 0,
             {
               auto* p = pinned(driver);
               leave();
               return DRIVER(cuMemFreeHost)(p);
             }),
      // An H200 answers as this device does; the reference is silent.
      HANDLE("cuMemHostUnregister", kOpen, kOpen,
             {
               static std::array<char, 3 * 4096> host;
               auto* p = reinterpret_cast<void*>(
                   (reinterpret_cast<std::uintptr_t>(host.data()) + 4095) / 4096 * 4096);
               DRIVER(cuMemHostRegister)(p, 4096, 0);
               leave();
               return DRIVER(cuMemHostUnregister)(p);
             }),
      HANDLE("cuMemFree, no device's address", kValue, kValue,
             {
               leave();
               return DRIVER(cuMemFree)(16);
             }),
      HANDLE("cuMemcpy2DAsync", kOpen, kOpen,
             {
               leave();
               CUDA_MEMCPY2D copy{};
               copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
               copy.srcDevice = s.buffer;
               copy.dstDevice = s.buffer + 512;
               copy.srcPitch = copy.dstPitch = copy.WidthInBytes = 16;
               copy.Height = 2;
               return DRIVER(cuMemcpy2DAsync)(&copy, s.stream);
             }),
  };
  return all;
}

template <std::size_t Number, bool With>
CUresult run(const Driver& driver, Setting& s) {
  std::unique_ptr<Other> other;
  if (With) {
    other = std::make_unique<Other>(driver);
    DRIVER(cuCtxSetCurrent)(s.context);
  }
  const CUresult result = rows()[Number].call(driver, s, [&] {
    DRIVER(cuCtxSetCurrent)(With ? other->context : nullptr);
  });
  DRIVER(cuCtxSetCurrent)(s.context);
  return result;
}

constexpr std::size_t kMostRows = 80;

template <std::size_t... Numbers>
std::vector<WrongCall> calls_of(std::index_sequence<Numbers...>) {
  std::vector<WrongCall> calls;
  const auto add = [&](std::size_t number, auto without, auto with) {
    if (number >= rows().size()) return;
    calls.push_back({rows()[number].without, without, rows()[number].none});
    calls.push_back({rows()[number].with, with, rows()[number].other});
  };
  (add(Numbers, run<Numbers, false>, run<Numbers, true>), ...);
  return calls;
}

}  // namespace

std::vector<WrongCall> wrong::of_handles() {
  if (rows().size() > kMostRows) throw std::runtime_error("more rows than kMostRows");
  return calls_of(std::make_index_sequence<kMostRows>());
}

}  // namespace warpmark::test
