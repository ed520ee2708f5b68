# Finds cuda.h and nvrtc.h, all that the build needs of CUDA; defines CudaHeaders::CudaHeaders.
# Looked for in WARPMARK_CUDA_HOME, CUDA_HOME, the folder that ./bootstrap filled, then the usual places.

set(_cuda_header_hints $ENV{WARPMARK_CUDA_HOME} $ENV{CUDA_HOME} ${PROJECT_SOURCE_DIR}/build/deps/cuda)
find_path(CUDA_HEADERS_INCLUDE_DIR cuda.h HINTS ${_cuda_header_hints}
  PATHS /usr/local/cuda /opt/cuda PATH_SUFFIXES include targets/x86_64-linux/include)
find_path(NVRTC_HEADERS_INCLUDE_DIR nvrtc.h HINTS ${_cuda_header_hints}
  PATHS /usr/local/cuda /opt/cuda PATH_SUFFIXES include targets/x86_64-linux/include)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CudaHeaders
  REQUIRED_VARS CUDA_HEADERS_INCLUDE_DIR NVRTC_HEADERS_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "run ./bootstrap, which fetches them, or set WARPMARK_CUDA_HOME")

if(CudaHeaders_FOUND AND NOT TARGET CudaHeaders::CudaHeaders)
  add_library(CudaHeaders::CudaHeaders INTERFACE IMPORTED)
  target_include_directories(CudaHeaders::CudaHeaders SYSTEM INTERFACE
    ${CUDA_HEADERS_INCLUDE_DIR} ${NVRTC_HEADERS_INCLUDE_DIR})
endif()
