// The entry points that copy and fill linear memory.
#include "api/capture.hpp"
#include "api/copy.hpp"
#include "api/owner.hpp"
#include "api/state.hpp"
#include "api/work.hpp"

namespace warpmark::cpu {
namespace {

constexpr CUmemorytype kHost = CU_MEMORYTYPE_HOST, kDevice = CU_MEMORYTYPE_DEVICE,
                       kUnified = CU_MEMORYTYPE_UNIFIED;

CUresult copy(const char* name, const CopyWork& work) {
  return at_once(name, [&](Context& context) {
    report_if_overlapping(context, name, work.copy);
    return perform_copy(context, work.copy);
  });
}

CUresult copy_async(const char* name, const CopyWork& work, CUstream stream) {
  return with_owner_reports(name, Waits::no, stream, [&](Context& context) -> CUresult {
    if (!valid_stream(context, stream)) return CUDA_ERROR_INVALID_HANDLE;
    if (work.copy.WidthInBytes == 0) return CUDA_SUCCESS;
    report_if_overlapping(context, name, work.copy);
    return submit_checked(context, stream, work);
  });
}

FillWork rows(CUdeviceptr to, std::size_t pitch, unsigned int value, unsigned int size,
              std::size_t width, std::size_t height) {
  return {{to, pitch, value, size, width, height}};
}

CUresult fill(const char* name, const FillWork& work) {
  return at_once(name, [&](Context& context) { return perform_fill(context, work.fill); });
}

CUresult fill_async(const char* name, const FillWork& work, CUstream stream) {
  return with_owner_reports(name, Waits::no, stream, [&](Context& context) -> CUresult {
    if (!valid_stream(context, stream)) return CUDA_ERROR_INVALID_HANDLE;
    return submit_checked(context, stream, work);
  });
}

}  // namespace
}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t bytes) {
  return copy("cuMemcpyHtoD_v2", linear_copy(to, kDevice, number(from), kHost, bytes));
}
CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t bytes) {
  return copy("cuMemcpyDtoH_v2", linear_copy(number(to), kHost, from, kDevice, bytes));
}
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy("cuMemcpyDtoD_v2", linear_copy(to, kDevice, from, kDevice, bytes));
}
CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy("cuMemcpy", linear_copy(to, kUnified, from, kUnified, bytes));
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  return copy_async("cuMemcpyHtoDAsync_v2", linear_copy(to, kDevice, number(from), kHost, bytes),
                    stream);
}
CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy_async("cuMemcpyDtoHAsync_v2", linear_copy(number(to), kHost, from, kDevice, bytes),
                    stream);
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy_async("cuMemcpyDtoDAsync_v2", linear_copy(to, kDevice, from, kDevice, bytes), stream);
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy_async("cuMemcpyAsync", linear_copy(to, kUnified, from, kUnified, bytes), stream);
}

#define WARPMARK_FILL(BITS, TYPE)                                                              \
  CUresult cuMemsetD##BITS##_v2(CUdeviceptr to, TYPE value, size_t count) {                    \
    return fill("cuMemsetD" #BITS "_v2", rows(to, 0, value, (BITS) / 8, count, 1));            \
  }                                                                                            \
  CUresult cuMemsetD##BITS##Async(CUdeviceptr to, TYPE value, size_t count, CUstream stream) { \
    return fill_async("cuMemsetD" #BITS "Async", rows(to, 0, value, (BITS) / 8, count, 1),     \
                      stream);                                                                 \
  }                                                                                            \
  CUresult cuMemsetD2D##BITS##_v2(CUdeviceptr to, size_t pitch, TYPE value, size_t width,      \
                                  size_t height) {                                             \
    return fill("cuMemsetD2D" #BITS "_v2", rows(to, pitch, value, (BITS) / 8, width, height)); \
  }                                                                                            \
  CUresult cuMemsetD2D##BITS##Async(CUdeviceptr to, size_t pitch, TYPE value, size_t width,    \
                                    size_t height, CUstream stream) {                          \
    return fill_async("cuMemsetD2D" #BITS "Async",                                             \
                      rows(to, pitch, value, (BITS) / 8, width, height), stream);              \
  }
WARPMARK_FILL(8, unsigned char)
WARPMARK_FILL(16, unsigned short)
WARPMARK_FILL(32, unsigned int)
#undef WARPMARK_FILL

}  // extern "C"
