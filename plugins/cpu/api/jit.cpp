// The options of loading and linking, and the logs they ask for.
#include "api/jit.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "api/number.hpp"

namespace warpmark::cpu {

CUresult read_options(unsigned int count, CUjit_option* options, void** values, JitLogs& logs) {
  if (count != 0 && (options == nullptr || values == nullptr)) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned int i = 0; i < count; ++i) {
    // Integers are passed in the pointer itself.
    const auto size = static_cast<unsigned int>(reinterpret_cast<std::uintptr_t>(values[i]));
    switch (number_in(options[i])) {
      case CU_JIT_INFO_LOG_BUFFER:
        logs.info = static_cast<char*>(values[i]);
        break;
      case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
        logs.info_bytes = size;
        logs.info_bytes_written = &values[i];
        break;
      case CU_JIT_ERROR_LOG_BUFFER:
        logs.error = static_cast<char*>(values[i]);
        break;
      case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
        logs.error_bytes = size;
        logs.error_bytes_written = &values[i];
        break;
      default:
        break;
    }
  }
  return CUDA_SUCCESS;
}

namespace {

void write_log(char* buffer, std::size_t bytes, void** written, std::string_view text) {
  std::size_t count = 0;
  if (buffer != nullptr && bytes > 0) {
    count = std::min(text.size(), bytes - 1);
    std::memcpy(buffer, text.data(), count);
    buffer[count] = '\0';
    if (count > 0) ++count;
  }
  if (written != nullptr) *written = reinterpret_cast<void*>(count);
}

}  // namespace

void JitLogs::write(std::string_view error_text, std::string_view info_text) const {
  write_log(error, error_bytes, error_bytes_written, error_text);
  write_log(info, info_bytes, info_bytes_written, info_text);
}

}  // namespace warpmark::cpu
