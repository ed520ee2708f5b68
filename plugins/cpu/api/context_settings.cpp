// Settings of a context: limits, cache preferences, and profiling, which is not supported.
#include <utility>

#include "api/state.hpp"

using namespace warpmark::cpu;

namespace {

// The default values of limits.
constexpr std::pair<CUlimit, std::size_t> kLimits[] = {
    {CU_LIMIT_STACK_SIZE, 1024},
    {CU_LIMIT_PRINTF_FIFO_SIZE, 7 << 20},
    {CU_LIMIT_MALLOC_HEAP_SIZE, 8 << 20},
    {CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, 0},
    {CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, 2048},
    {CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 64},
    {CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0}};

CUresult refuse_limit(unsigned int limit) {
  return limit < CU_LIMIT_MAX ? CUDA_ERROR_UNSUPPORTED_LIMIT : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace

extern "C" {

CUresult cuCtxGetLimit(size_t* value, CUlimit limit) {
  return with_context("cuCtxGetLimit", Waits::no, [&](Context& context) -> CUresult {
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (const auto* set = find_in(context.limits, number_in(limit))) return give(value, *set);
    for (const auto& [known, initial] : kLimits) {
      if (known == number_in(limit)) return give(value, initial);
    }
    return refuse_limit(number_in(limit));
  });
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  return with_context("cuCtxSetLimit", Waits::no, [&](Context& context) -> CUresult {
    switch (number_in(limit)) {
      case CU_LIMIT_STACK_SIZE:
        // 512 KiB less the machine's own share is the most that a thread of a GPU gets.
        if (value > (std::size_t{512} << 10)) return CUDA_ERROR_INVALID_VALUE;
        break;
      case CU_LIMIT_PRINTF_FIFO_SIZE:
      case CU_LIMIT_MALLOC_HEAP_SIZE:
      case CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT:
      case CU_LIMIT_MAX_L2_FETCH_GRANULARITY:
        break;
      default:
        return refuse_limit(number_in(limit));
    }
    context.limits[number_in(limit)] = value;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetCacheConfig(CUfunc_cache* config) {
  return with_context("cuCtxGetCacheConfig", Waits::no, [&](Context& context) {
    return give(config, static_cast<CUfunc_cache>(context.cache_config));
  });
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  return with_context("cuCtxSetCacheConfig", Waits::no, [&](Context& context) -> CUresult {
    const int value = static_cast<int>(number_in(config));
    if (value < 0 || value > CU_FUNC_CACHE_PREFER_EQUAL) return CUDA_ERROR_INVALID_VALUE;
    context.cache_config = value;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig* config) {
  return with_context("cuCtxGetSharedMemConfig", Waits::no, [&](Context& context) {
    return give(config, static_cast<CUsharedconfig>(context.shared_config));
  });
}

// Every GPU since Maxwell has banks of four bytes; the wish is accepted and changes nothing.
CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) {
  return with_context("cuCtxSetSharedMemConfig", Waits::no, [&](Context&) -> CUresult {
    const int value = static_cast<int>(number_in(config));
    return value < 0 || value > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE ? CUDA_ERROR_INVALID_VALUE
                                                                          : CUDA_SUCCESS;
  });
}

CUresult cuCtxResetPersistingL2Cache(void) {
  return with_context("cuCtxResetPersistingL2Cache", Waits::no,
                      [](Context&) { return CUDA_SUCCESS; });
}

CUresult cuCtxGetExecAffinity(CUexecAffinityParam* parameter, CUexecAffinityType type) {
  return with_context("cuCtxGetExecAffinity", Waits::no, [&](Context&) -> CUresult {
    if (parameter == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return number_in(type) == CU_EXEC_AFFINITY_TYPE_SM_COUNT ? CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY
                                                             : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuProfilerStart(void) {
  return with_context("cuProfilerStart", Waits::no, [](Context&) { return CUDA_SUCCESS; });
}
CUresult cuProfilerStop(void) {
  return with_context("cuProfilerStop", Waits::no, [](Context&) { return CUDA_SUCCESS; });
}

}  // extern "C"
