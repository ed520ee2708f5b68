# Finds cuda.h and nvrtc.h, all that the build needs of CUDA; defines CudaHeaders::CudaHeaders.
#
# Order: WARPMARK_CUDA_HOME, the folder that ./bootstrap filled, CUDA_HOME, the usual places. It is
# the program's own order for NVRTC, so that the build's headers and the run's library agree.

file(GLOB _cuda_versioned LIST_DIRECTORIES TRUE /usr/local/cuda-*)
list(SORT _cuda_versioned COMPARE NATURAL ORDER DESCENDING)
set(_cuda_homes $ENV{WARPMARK_CUDA_HOME} ${PROJECT_SOURCE_DIR}/build/deps/cuda $ENV{CUDA_HOME}
  /usr/local/cuda ${_cuda_versioned} /opt/cuda)
set(_cuda_suffixes nvidia/cu13/include include targets/x86_64-linux/include targets/sbsa-linux/include)

# A toolkit that was removed since the last configure must not stay in the cache.
if(CUDA_HEADERS_INCLUDE_DIR AND NOT EXISTS ${CUDA_HEADERS_INCLUDE_DIR}/cuda.h)
  unset(CUDA_HEADERS_INCLUDE_DIR CACHE)
  unset(NVRTC_HEADERS_INCLUDE_DIR CACHE)
endif()
find_path(CUDA_HEADERS_INCLUDE_DIR cuda.h HINTS ${_cuda_homes} PATH_SUFFIXES ${_cuda_suffixes})
# From the same folder first: two CUDA versions in one build contradict each other.
find_path(NVRTC_HEADERS_INCLUDE_DIR nvrtc.h HINTS ${CUDA_HEADERS_INCLUDE_DIR} ${_cuda_homes}
  PATH_SUFFIXES ${_cuda_suffixes})
mark_as_advanced(CUDA_HEADERS_INCLUDE_DIR NVRTC_HEADERS_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CudaHeaders
  REQUIRED_VARS CUDA_HEADERS_INCLUDE_DIR NVRTC_HEADERS_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "run ./bootstrap, which fetches them, or set WARPMARK_CUDA_HOME")

if(CudaHeaders_FOUND AND NOT TARGET CudaHeaders::CudaHeaders)
  add_library(CudaHeaders::CudaHeaders INTERFACE IMPORTED)
  target_include_directories(CudaHeaders::CudaHeaders SYSTEM INTERFACE
    ${CUDA_HEADERS_INCLUDE_DIR} ${NVRTC_HEADERS_INCLUDE_DIR})
endif()
