// The options of loading and linking that carry log buffers.
#pragma once

#include <cstddef>
#include <string_view>

#include "api/cuda_api.hpp"

namespace warpmark::cpu {

/// Where a client wants its logs; all other options are about code that is never generated here.
struct JitLogs {
  char* error = nullptr;
  char* info = nullptr;
  std::size_t error_bytes = 0, info_bytes = 0;
  void** error_bytes_written = nullptr;
  void** info_bytes_written = nullptr;

  /// Writes both logs, cut to their buffers and terminated, and how many bytes they took.
  void write(std::string_view error_text, std::string_view info_text) const;
};

/// CUDA_ERROR_INVALID_VALUE if there are options without arrays.
CUresult read_options(unsigned int count, CUjit_option* options, void** values, JitLogs& logs);

}  // namespace warpmark::cpu
