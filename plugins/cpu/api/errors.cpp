// Names and texts of driver errors.
#include "api/state.hpp"

namespace warpmark::cpu {
namespace {

struct ErrorRow {
  CUresult code;
  const char* name;
  const char* text;
};

// The errors that this driver returns, and those that clients ask about; the texts are CUDA's.
#define ROW(code, text) \
  { code, #code, text }
constexpr ErrorRow kErrors[] = {
    ROW(CUDA_SUCCESS, "no error"),
    ROW(CUDA_ERROR_INVALID_VALUE, "invalid argument"),
    ROW(CUDA_ERROR_OUT_OF_MEMORY, "out of memory"),
    ROW(CUDA_ERROR_NOT_INITIALIZED, "initialization error"),
    ROW(CUDA_ERROR_DEINITIALIZED, "driver shutting down"),
    ROW(CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected"),
    ROW(CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal"),
    ROW(CUDA_ERROR_INVALID_IMAGE, "device kernel image is invalid"),
    ROW(CUDA_ERROR_INVALID_CONTEXT, "invalid device context"),
    ROW(CUDA_ERROR_NO_BINARY_FOR_GPU, "no kernel image is available for execution on the device"),
    ROW(CUDA_ERROR_UNSUPPORTED_LIMIT, "limit is not supported on this architecture"),
    ROW(CUDA_ERROR_INVALID_PTX, "a PTX JIT compilation failed"),
    ROW(CUDA_ERROR_INVALID_SOURCE, "device kernel image is invalid"),
    ROW(CUDA_ERROR_FILE_NOT_FOUND, "file not found"),
    ROW(CUDA_ERROR_INVALID_HANDLE, "invalid resource handle"),
    ROW(CUDA_ERROR_NOT_FOUND, "named symbol not found"),
    ROW(CUDA_ERROR_NOT_READY, "device not ready"),
    ROW(CUDA_ERROR_ILLEGAL_ADDRESS, "an illegal memory access was encountered"),
    ROW(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "too many resources requested for launch"),
    ROW(CUDA_ERROR_LAUNCH_TIMEOUT, "the launch timed out and was terminated"),
    ROW(CUDA_ERROR_CONTEXT_IS_DESTROYED, "context is destroyed"),
    ROW(CUDA_ERROR_ASSERT, "device-side assert triggered"),
    ROW(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
        "part or all of the requested memory range is already mapped"),
    ROW(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED,
        "pointer does not correspond to a registered memory region"),
    ROW(CUDA_ERROR_ILLEGAL_INSTRUCTION, "an illegal instruction was encountered"),
    ROW(CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address"),
    ROW(CUDA_ERROR_INVALID_ADDRESS_SPACE, "operation not supported on global/shared address space"),
    ROW(CUDA_ERROR_INVALID_PC, "invalid program counter"),
    ROW(CUDA_ERROR_LAUNCH_FAILED, "unspecified launch failure"),
    ROW(CUDA_ERROR_NOT_PERMITTED, "operation not permitted"),
    ROW(CUDA_ERROR_NOT_SUPPORTED, "operation not supported"),
    ROW(CUDA_ERROR_UNKNOWN, "unknown error"),
};
#undef ROW

const ErrorRow* find_row(CUresult code) {
  for (const ErrorRow& row : kErrors) {
    if (row.code == code) return &row;
  }
  return nullptr;
}

}  // namespace
}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuGetErrorName(CUresult error, const char** name) {
  if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const ErrorRow* row = find_row(error);
  *name = row == nullptr ? nullptr : row->name;
  return row == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const ErrorRow* row = find_row(error);
  *text = row == nullptr ? nullptr : row->text;
  return row == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

}  // extern "C"
