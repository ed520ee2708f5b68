// The buffers in which the driver's compiler and linker write what they have to say.
#pragma once

#include <cuda.h>

#include <array>
#include <cstddef>
#include <string>

namespace warpmark {

/// Options 3 to 6 of cuModuleLoadDataEx and cuLinkCreate: two log buffers, whose sizes the driver
/// shortens. It keeps their addresses, so this can be neither copied nor moved.
class JitLogs {
 public:
  JitLogs() : info_(kBytes, '\0'), errors_(kBytes, '\0') {}
  JitLogs(const JitLogs&) = delete;
  JitLogs& operator=(const JitLogs&) = delete;

  unsigned int count() const { return static_cast<unsigned int>(options_.size()); }
  CUjit_option* options() { return options_.data(); }
  void** values() { return values_.data(); }
  // The buffers are larger than the texts in them.
  std::string info() const { return info_.substr(0, info_.find('\0')); }
  std::string errors() const { return errors_.substr(0, errors_.find('\0')); }

 private:
  static constexpr size_t kBytes = 16 * 1024;

  std::string info_;
  std::string errors_;
  std::array<CUjit_option, 4> options_{CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                                       CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  // Sizes travel in the pointer itself; one byte less keeps the terminator ours.
  // NOLINTBEGIN(performance-no-int-to-ptr): the driver's interface
  std::array<void*, 4> values_{info_.data(), reinterpret_cast<void*>(kBytes - 1), errors_.data(),
                               reinterpret_cast<void*>(kBytes - 1)};
  // NOLINTEND(performance-no-int-to-ptr)
};

}  // namespace warpmark
