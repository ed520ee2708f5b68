// Streams that write a value to memory, or wait for one.
#include "api/owner.hpp"
#include "api/state.hpp"
#include "api/work.hpp"

namespace warpmark::cpu {
namespace {

CUresult value(const char* name, CUstream stream, const ValueWork& work) {
  return with_owner(name, Waits::no, stream, [&](Context& context) -> CUresult {
    if (!valid_stream(context, stream)) return CUDA_ERROR_INVALID_HANDLE;
    const unsigned int known = work.wait ? 3u | unsigned{CU_STREAM_WAIT_VALUE_FLUSH}
                                         : unsigned{CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER};
    const std::size_t bytes = work.wide ? 8 : 4;
    if ((work.flags & ~known) != 0 || work.address % bytes != 0 ||
        host_range(context, work.address, bytes, true) == nullptr)
      return CUDA_ERROR_INVALID_VALUE;
    // There are no remote writes, so that none can be flushed.
    if (work.wait && (work.flags & CU_STREAM_WAIT_VALUE_FLUSH) != 0)
      return CUDA_ERROR_NOT_SUPPORTED;
    return submit(context, stream, work);
  });
}

CUresult do_operation(CUstream stream, const CUstreamBatchMemOpParams& one) {
  const auto& wait = one.waitValue;
  const auto& write = one.writeValue;
  switch (number_in(one.operation)) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
      return cuStreamWaitValue32_v2(stream, wait.address, wait.value, wait.flags);
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
      return cuStreamWaitValue64_v2(stream, wait.address, wait.value64, wait.flags);
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
      return cuStreamWriteValue32_v2(stream, write.address, write.value, write.flags);
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
      return cuStreamWriteValue64_v2(stream, write.address, write.value64, write.flags);
    case CU_STREAM_MEM_OP_BARRIER:
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

}  // namespace
}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t to,
                                 unsigned int flags) {
  return value("cuStreamWriteValue32", stream, {address, to, flags, false, false});
}
CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr address, cuuint64_t to,
                                 unsigned int flags) {
  return value("cuStreamWriteValue64", stream, {address, to, flags, true, false});
}
CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t wanted,
                                unsigned int flags) {
  return value("cuStreamWaitValue32", stream, {address, wanted, flags, false, true});
}
CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr address, cuuint64_t wanted,
                                unsigned int flags) {
  return value("cuStreamWaitValue64", stream, {address, wanted, flags, true, true});
}

CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned int count,
                               CUstreamBatchMemOpParams* operations, unsigned int flags) {
  if (flags != 0 || count > 256 || (count != 0 && operations == nullptr))
    return CUDA_ERROR_INVALID_VALUE;
  for (unsigned int i = 0; i < count; ++i) {
    const CUresult result = do_operation(stream, operations[i]);
    if (result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

}  // extern "C"
