// Wrong calls about memory, arrays, textures and surfaces.
#include "device/api/wrong_calls_parts.hpp"

namespace warpmark::test {

using namespace wrong;

namespace {

CUresult create_pool(const Driver& driver, unsigned place, CUmemAllocationHandleType types) {
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.handleTypes = types;
  properties.location.type = static_cast<CUmemLocationType>(place);
  return made<CUmemoryPool>(
      [&](CUmemoryPool* pool) { return DRIVER(cuMemPoolCreate)(pool, &properties); },
      [&](CUmemoryPool pool) {
        DRIVER(cuMemPoolDestroy)
        (pool);
      });
}

// A batch of one copy inside the buffer, by the function of CUDA 13.
CUresult copy_batch(const Driver& driver, const Setting& s, std::size_t bytes, unsigned order,
                    CUstream stream) {
  struct {
    unsigned order;
    CUmemLocation from, to;
    unsigned flags;
  } attributes{order, {}, {}, 0};
  CUdeviceptr to = s.buffer, from = s.buffer + 512;
  std::size_t first = 0;
  using Copy = CUresult (*)(CUdeviceptr*, CUdeviceptr*, std::size_t*, std::size_t, void*,
                            std::size_t*, std::size_t, CUstream);
  return driver.find<Copy>("cuMemcpyBatchAsync_v2")(&to, &from, &bytes, 1, &attributes, &first, 1,
                                                    stream);
}

}  // namespace

std::vector<WrongCall> wrong::of_memory() {
  return {
      WRONG("cuMemAlloc: 0 bytes", kValue, { return allocate(driver, 0); }),
      WRONG("cuMemAlloc: null", kValue, { return DRIVER(cuMemAlloc)(nullptr, 16); }),
      WRONG("cuMemAlloc: 2^50 bytes", CUDA_ERROR_OUT_OF_MEMORY,
            { return allocate(driver, std::size_t{1} << 50); }),
      WRONG("cuMemAlloc: 2^64-1 bytes", CUDA_ERROR_OUT_OF_MEMORY,
            { return allocate(driver, ~std::size_t{0}); }),
      WRONG("cuMemFree: null", CUDA_SUCCESS, { return DRIVER(cuMemFree)(0); }),
      WRONG("cuMemFree: inside an allocation", kValue, { return DRIVER(cuMemFree)(s.buffer + 4); }),
      WRONG("cuMemFree: no allocation", kValue, { return DRIVER(cuMemFree)(12345); }),
      WRONG("cuMemFree: twice", kValue,
            {
              CUdeviceptr p = 0;
              DRIVER(cuMemAlloc)(&p, 16);
              DRIVER(cuMemFree)(p);
              return DRIVER(cuMemFree)(p);
            }),
      WRONG("cuMemPoolCreate: pinned memory nowhere", kValue,
            { return create_pool(driver, 0, CU_MEM_HANDLE_TYPE_NONE); }),
      WRONG("cuMemPoolCreate: the thread's NUMA node", kValue,
            {
              return create_pool(driver, CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT,
                                 CU_MEM_HANDLE_TYPE_NONE);
            }),
      WRONG("cuMemPoolCreate: the host's, to be shared", kValue,
            {
              return create_pool(driver, CU_MEM_LOCATION_TYPE_HOST,
                                 CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
            }),
      WRONG("cuMemcpyBatchAsync: good", CUDA_SUCCESS,
            { return copy_batch(driver, s, 256, 1, s.stream); }),
      WRONG("cuMemcpyBatchAsync: 0 bytes", kValue,
            { return copy_batch(driver, s, 0, 1, s.stream); }),
      WRONG("cuMemcpyBatchAsync: no order of access", kValue,
            { return copy_batch(driver, s, 256, 0, s.stream); }),
      WRONG("cuMemcpyBatchAsync: the legacy default stream", kValue,
            { return copy_batch(driver, s, 256, 1, nullptr); }),
      WRONG("cuMemAllocPitch: elements of 3 bytes", kOpen,
            {
              CUdeviceptr p;
              std::size_t pitch;
              return DRIVER(cuMemAllocPitch)(&p, &pitch, 10, 10, 3);
            }),
      WRONG("cuMemAllocPitch: width 0", kValue,
            {
              CUdeviceptr p;
              std::size_t pitch;
              return DRIVER(cuMemAllocPitch)(&p, &pitch, 0, 10, 4);
            }),
      WRONG("cuMemAllocHost: 0 bytes", CUDA_SUCCESS,
            {
              return made<void*>([&](void** p) { return DRIVER(cuMemAllocHost)(p, 0); },
                                 [&](void* p) {
                                   DRIVER(cuMemFreeHost)
                                   (p);
                                 });
            }),
      WRONG("cuMemHostAlloc: flags 0xff00", kValue,
            {
              return made<void*>([&](void** p) { return DRIVER(cuMemHostAlloc)(p, 16, 0xff00); },
                                 [&](void* p) {
                                   DRIVER(cuMemFreeHost)
                                   (p);
                                 });
            }),
      WRONG("cuMemFreeHost: null", kOpen, { return DRIVER(cuMemFreeHost)(nullptr); }),
      WRONG("cuMemFreeHost: of the stack", kValue,
            {
              int v = 0;
              return DRIVER(cuMemFreeHost)(&v);
            }),
      WRONG("cuMemHostRegister: 0 bytes", kValue,
            {
              static char t[64];
              return DRIVER(cuMemHostRegister)(t, 0, 0);
            }),
      WRONG("cuMemHostRegister: flags 0xff00", kValue,
            {
              alignas(4096) static char t[4096];
              return DRIVER(cuMemHostRegister)(t, 4096, 0xff00);
            }),
      WRONG("cuMemHostRegister: twice", CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
            {
              alignas(4096) static char t[4096];
              const CUresult first = DRIVER(cuMemHostRegister)(t, 4096, 0);
              if (first != CUDA_SUCCESS) return first;
              const CUresult second = DRIVER(cuMemHostRegister)(t, 4096, 0);
              DRIVER(cuMemHostUnregister)(t);
              return second;
            }),
      WRONG("cuMemHostUnregister: not registered", CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED,
            {
              static char t[64];
              return DRIVER(cuMemHostUnregister)(t);
            }),
      WRONG("cuMemHostGetDevicePointer: of the stack", kValue,
            {
              int v = 0;
              CUdeviceptr p;
              return DRIVER(cuMemHostGetDevicePointer)(&p, &v, 0);
            }),
      WRONG("cuMemAllocManaged: 0 bytes", kValue,
            {
              CUdeviceptr p;
              return DRIVER(cuMemAllocManaged)(&p, 0, CU_MEM_ATTACH_GLOBAL);
            }),
      WRONG("cuMemAllocManaged: flags 0", kValue,
            {
              CUdeviceptr p;
              return DRIVER(cuMemAllocManaged)(&p, 16, 0);
            }),
      WRONG("cuMemcpyHtoD: to null", kValue,
            {
              int v = 0;
              return DRIVER(cuMemcpyHtoD)(0, &v, 4);
            }),
      WRONG("cuMemcpyHtoD: beyond an allocation of 512 bytes' multiple", kValue,
            {
              static char t[1 << 22];
              return DRIVER(cuMemcpyHtoD)(s.buffer, t, sizeof t);
            }),
      WRONG("cuMemcpyHtoD: from null", kValue,
            { return DRIVER(cuMemcpyHtoD)(s.buffer, nullptr, 4); }),
      WRONG("cuMemcpyHtoD: nothing from null", kOpen,
            { return DRIVER(cuMemcpyHtoD)(s.buffer, nullptr, 0); }),
      WRONG("cuMemcpyDtoH: from no allocation", kValue,
            {
              int v;
              return DRIVER(cuMemcpyDtoH)(&v, 16, 4);
            }),
      WRONG("cuMemcpyDtoH: to null", kValue,
            { return DRIVER(cuMemcpyDtoH)(nullptr, s.buffer, 4); }),
      WRONG("cuMemcpyDtoD: from null", kValue, { return DRIVER(cuMemcpyDtoD)(s.buffer, 0, 4); }),
      WRONG("cuMemsetD8: to null", kValue, { return DRIVER(cuMemsetD8)(0, 1, 4); }),
      WRONG("cuMemsetD32: misaligned", kValue, { return DRIVER(cuMemsetD32)(s.buffer + 2, 1, 4); }),
      WRONG("cuMemsetD16: misaligned", kValue, { return DRIVER(cuMemsetD16)(s.buffer + 1, 1, 4); }),
      WRONG("cuMemsetD8: nothing", kOpen, { return DRIVER(cuMemsetD8)(s.buffer, 1, 0); }),
      WRONG("cuMemsetD2D32: pitch less than width", kOpen,
            { return DRIVER(cuMemsetD2D32)(s.buffer, 8, 1, 4, 4); }),
      WRONG("cuMemGetAddressRange: no allocation", kOpen,
            {
              CUdeviceptr b;
              std::size_t n;
              return DRIVER(cuMemGetAddressRange)(&b, &n, 16);
            }),
      WRONG("cuMemGetAddressRange: nulls", kOpen,
            { return DRIVER(cuMemGetAddressRange)(nullptr, nullptr, s.buffer); }),
      WRONG("cuPointerGetAttribute: attribute 9999", kValue,
            {
              std::uint64_t v[4];
              return DRIVER(cuPointerGetAttribute)(v, static_cast<CUpointer_attribute>(9999),
                                                   s.buffer);
            }),
      WRONG("cuPointerGetAttribute: of the stack", kValue,
            {
              std::uint64_t v[4];
              return DRIVER(cuPointerGetAttribute)(v, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                                   reinterpret_cast<CUdeviceptr>(&v));
            }),
      WRONG("cuPointerGetAttribute: null", kValue,
            {
              return DRIVER(cuPointerGetAttribute)(nullptr, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                                   s.buffer);
            }),
      WRONG("cuMemcpy2D: null", kValue, { return DRIVER(cuMemcpy2D)(nullptr); }),
      WRONG("cuMemcpy2D: memory type 99", kValue,
            {
              return copy_2d(driver, s, [](CUDA_MEMCPY2D& c) {
                c.srcMemoryType = static_cast<CUmemorytype>(99);
              });
            }),
      WRONG("cuMemcpy2D: pitch less than width", kValue,
            { return copy_2d(driver, s, [](CUDA_MEMCPY2D& c) { c.srcPitch = 4; }); }),
      WRONG("cuMemcpy2D: from null", kValue,
            { return copy_2d(driver, s, [](CUDA_MEMCPY2D& c) { c.srcHost = nullptr; }); }),
      WRONG("cuMemcpy2D: width 0", CUDA_SUCCESS,
            { return copy_2d(driver, s, [](CUDA_MEMCPY2D& c) { c.WidthInBytes = 0; }); }),
      WRONG("cuMemcpy2D: beyond an array", kValue,
            {
              return copy_2d(driver, s, [&](CUDA_MEMCPY2D& c) {
                c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
                c.dstArray = s.array;
                c.dstXInBytes = 28;
              });
            }),
      WRONG("cuMemcpy2D: below an array", kValue,
            {
              return copy_2d(driver, s, [&](CUDA_MEMCPY2D& c) {
                c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
                c.dstArray = s.array;
                c.dstY = 1;
              });
            }),
      WRONG("cuMemcpy2D: part of an element", CUDA_SUCCESS,
            {
              return copy_2d(driver, s, [&](CUDA_MEMCPY2D& c) {
                c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
                c.dstArray = s.array;
                c.WidthInBytes = 6;
              });
            }),
      WRONG("cuMemcpy3D: null", kValue, { return DRIVER(cuMemcpy3D)(nullptr); }),
      WRONG("cuMemcpyHtoA: beyond an array", kValue,
            {
              static char t[256];
              return DRIVER(cuMemcpyHtoA)(s.array, 1 << 20, t, 16);
            }),
      WRONG("cuMemAdvise: not managed", kValue,
            {
              CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
              (void)here;
              using Advise = CUresult (*)(CUdeviceptr, std::size_t, CUmem_advise, CUdevice);
              return driver.find<Advise>("cuMemAdvise")(s.buffer, 1024,
                                                        CU_MEM_ADVISE_SET_READ_MOSTLY, 0);
            }),

      WRONG("cuArrayCreate: null", kValue,
            {
              CUarray a;
              return DRIVER(cuArrayCreate)(&a, nullptr);
            }),
      WRONG("cuArrayCreate: width 0", kValue,
            { return make_array(driver, 0, 4, CU_AD_FORMAT_FLOAT, 1); }),
      WRONG("cuArrayCreate: format 99", kValue,
            { return make_array(driver, 8, 4, static_cast<CUarray_format>(99), 1); }),
      WRONG("cuArrayCreate: 3 channels", kValue,
            { return make_array(driver, 8, 4, CU_AD_FORMAT_FLOAT, 3); }),
      WRONG("cuArrayCreate: width 2^20", kValue,
            { return make_array(driver, 1 << 20, 4, CU_AD_FORMAT_FLOAT, 1); }),
      WRONG("cuArray3DCreate: cubemap of 2 faces", kValue,
            {
              return make_array_3d(driver, {8, 8, 2}, CUDA_ARRAY3D_CUBEMAP);
            }),
      WRONG("cuArray3DCreate: cubemap that is not square", kValue,
            {
              return make_array_3d(driver, {8, 4, 6}, CUDA_ARRAY3D_CUBEMAP);
            }),
      WRONG("cuArray3DCreate: no layers", kValue,
            {
              return make_array_3d(driver, {8, 8, 0}, CUDA_ARRAY3D_LAYERED);
            }),
      WRONG("cuArray3DCreate: depth without height", kValue,
            {
              return make_array_3d(driver, {8, 0, 4}, 0);
            }),
      WRONG("cuArrayDestroy: null", kOpen, { return DRIVER(cuArrayDestroy)(nullptr); }),
      WRONG("cuArrayGetDescriptor: null", kOpen,
            { return DRIVER(cuArrayGetDescriptor)(nullptr, s.array); }),
      WRONG("cuTexObjectCreate: null resource", kValue,
            {
              CUtexObject t;
              CUDA_TEXTURE_DESC how{};
              return DRIVER(cuTexObjectCreate)(&t, nullptr, &how, nullptr);
            }),
      WRONG("cuTexObjectCreate: null description", kValue,
            {
              CUtexObject t;
              const auto r = resource_of(s.array);
              return DRIVER(cuTexObjectCreate)(&t, &r, nullptr, nullptr);
            }),
      WRONG("cuTexObjectCreate: resource type 99", kValue,
            {
              auto r = resource_of(s.array);
              r.resType = static_cast<CUresourcetype>(99);
              return make_texture(driver, r, {});
            }),
      WRONG("cuTexObjectCreate: null array", kOpen,
            { return make_texture(driver, resource_of(nullptr), {}); }),
      WRONG("cuTexObjectCreate: address mode 99", kValue,
            {
              CUDA_TEXTURE_DESC how{};
              how.addressMode[0] = static_cast<CUaddress_mode>(99);
              return make_texture(driver, resource_of(s.array), how);
            }),
      WRONG("cuTexObjectCreate: filter mode 99", kValue,
            {
              CUDA_TEXTURE_DESC how{};
              how.filterMode = static_cast<CUfilter_mode>(99);
              return make_texture(driver, resource_of(s.array), how);
            }),
      WRONG("cuTexObjectCreate: flags 0xff00", kOpen,
            {
              CUDA_TEXTURE_DESC how{};
              how.flags = 0xff00;
              return make_texture(driver, resource_of(s.array), how);
            }),
      WRONG("cuTexObjectCreate: linear memory at null", kValue,
            { return make_texture(driver, linear_resource(0, 64), {}); }),
      WRONG("cuTexObjectCreate: linear memory, misaligned", kValue,
            { return make_texture(driver, linear_resource(s.buffer + 4, 64), {}); }),
      WRONG("cuTexObjectCreate: linear memory, 3 channels", kOpen,
            { return make_texture(driver, linear_resource(s.buffer, 96, 3), {}); }),
      WRONG("cuTexObjectCreate: linear memory, 0 bytes", CUDA_SUCCESS,
            { return make_texture(driver, linear_resource(s.buffer, 0), {}); }),
      WRONG("cuTexObjectCreate: linear memory, linear filter", kOpen,
            {
              CUDA_TEXTURE_DESC how{};
              how.filterMode = CU_TR_FILTER_MODE_LINEAR;
              return make_texture(driver, linear_resource(s.buffer, 64), how);
            }),
      WRONG("cuTexObjectCreate: wrap without normalized coordinates", kOpen,
            { return make_texture(driver, resource_of(s.array), {}); }),
      WRONG("cuSurfObjectCreate: null", kValue,
            {
              CUsurfObject o;
              return DRIVER(cuSurfObjectCreate)(&o, nullptr);
            }),
      WRONG("cuSurfObjectCreate: array that is not for surfaces", CUDA_SUCCESS,
            { return make_surface(driver, resource_of(s.array)); }),
      WRONG("cuSurfObjectCreate: linear memory", kOpen,
            { return make_surface(driver, linear_resource(s.buffer, 64)); }),
  };
}

}  // namespace warpmark::test
