// cuGetProcAddress: which function a client of a given CUDA version means by a name.
#include <cstring>

#include "api/mistake.hpp"
#include "api/state.hpp"
#include "api/symbols.hpp"

namespace warpmark::cpu {

void* find_entry_point(std::string_view name, int version, bool per_thread) {
  const Symbol* best = nullptr;
  for (const Symbol& symbol : symbols()) {
    if (symbol.base == name && symbol.version <= version &&
        (best == nullptr || symbol.version > best->version))
      best = &symbol;
  }
  if (best == nullptr) return nullptr;
  const bool variant =
      per_thread && best->variant_function != nullptr && best->variant_version <= version;
  return reinterpret_cast<void*>(variant ? best->variant_function : best->function);
}

}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuGetProcAddress_v2(const char* symbol, void** function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* status) {
  if (symbol == nullptr || function == nullptr || version > driver().properties.driver_version ||
      flags > 2) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  // An unknown name is not an error: the pointer is null, and the status says why.
  const bool per_thread = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
  *function = find_entry_point(symbol, version, per_thread);
  if (status != nullptr) {
    *status = *function != nullptr ? CU_GET_PROC_ADDRESS_SUCCESS
              : find_entry_point(symbol, driver().properties.driver_version, false) != nullptr
                  ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                  : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  }
  return CUDA_SUCCESS;
}

CUresult cuGetProcAddress(const char* symbol, void** function, int version, cuuint64_t flags) {
  const CUresult result = cuGetProcAddress_v2(symbol, function, version, flags, nullptr);
  return result == CUDA_SUCCESS && *function == nullptr ? CUDA_ERROR_NOT_FOUND : result;
}

// The table that NVRTC 13 asks for if it finds a driver in the process (observed); it also compiles
// without the table.
constexpr unsigned char kTableOfNvrtc[] = {0xda, 0x91, 0x51, 0xd3, 0x3a, 0xe6, 0xcc, 0x41,
                                           0xa5, 0xc0, 0x4f, 0x26, 0xd5, 0x33, 0xe3, 0x28};

// NVIDIA's runtime library asks for tables that are documented nowhere; it cannot use this driver.
CUresult cuGetExportTable(const void** table, const CUuuid* id) {
  const void* const caller = __builtin_return_address(0);
  return enter("cuGetExportTable", [&]() -> CUresult {
    if (table != nullptr) *table = nullptr;
    if (id == nullptr || std::memcmp(id, kTableOfNvrtc, sizeof kTableOfNvrtc) != 0)
      report_missing_tables(caller);
    return CUDA_ERROR_NOT_SUPPORTED;
  });
}

}  // extern "C"
