// Streams and events, as far as forwards.def has them not.
#include "api.hpp"

namespace warpmark::cudart::api {

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return error_of(driver().cuStreamCreate(stream, CU_STREAM_DEFAULT));
}

// The default streams are not the program's to destroy.
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread)
    return cudaErrorInvalidResourceHandle;
  return error_of(driver().cuStreamDestroy(stream));
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return error_of(driver().cuEventCreate(event, CU_EVENT_DEFAULT));
}

}  // namespace warpmark::cudart::api
