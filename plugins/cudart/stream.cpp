// Streams, events, and the profiler's switch.
#include "api.hpp"
#include "runtime.hpp"

namespace warpmark::cudart::api {

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return error_of(driver().cuStreamCreate(stream, CU_STREAM_DEFAULT));
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  return error_of(driver().cuStreamCreate(stream, flags));
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority) {
  return error_of(driver().cuStreamCreateWithPriority(stream, flags, priority));
}

// The default streams are not the program's to destroy.
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread)
    return cudaErrorInvalidResourceHandle;
  return error_of(driver().cuStreamDestroy(stream));
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return error_of(driver().cuStreamGetPriority(stream, priority));
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int* flags) {
  return error_of(driver().cuStreamGetFlags(stream, flags));
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return error_of(driver().cuStreamGetId(stream, id));
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return error_of(driver().cuStreamGetDevice(stream, device));
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  return error_of(driver().cuStreamCopyAttributes(to, from));
}

// Attributes have the same numbers and layout as the driver's.
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   cudaStreamAttrValue* value) {
  return error_of(driver().cuStreamGetAttribute(stream, static_cast<CUstreamAttrID>(attribute),
                                                same<CUstreamAttrValue>(value)));
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   const cudaStreamAttrValue* value) {
  return error_of(driver().cuStreamSetAttribute(stream, static_cast<CUstreamAttrID>(attribute),
                                                same<const CUstreamAttrValue>(value)));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  return error_of(driver().cuStreamWaitEvent(stream, event, flags));
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned int flags) {
  return error_of(driver().cuStreamAddCallback(stream, reinterpret_cast<CUstreamCallback>(callback),
                                               data, flags));
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return error_of(driver().cuStreamSynchronize(stream));
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return error_of(driver().cuStreamQuery(stream));
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* address, size_t bytes,
                                     unsigned int flags) {
  return error_of(driver().cuStreamAttachMemAsync(stream, address_of(address), bytes, flags));
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return error_of(driver().cuEventCreate(event, CU_EVENT_DEFAULT));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  return error_of(driver().cuEventCreate(event, flags));
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return error_of(driver().cuEventRecord(event, stream));
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
  return error_of(driver().cuEventRecordWithFlags(event, stream, flags));
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return error_of(driver().cuEventQuery(event));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return error_of(driver().cuEventSynchronize(event));
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return error_of(driver().cuEventDestroy(event));
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return error_of(driver().cuEventElapsedTime(milliseconds, start, end));
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t* handle, cudaEvent_t event) {
  return error_of(driver().cuIpcGetEventHandle(same<CUipcEventHandle>(handle), event));
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* event, cudaIpcEventHandle_t handle) {
  return error_of(driver().cuIpcOpenEventHandle(event, *same<CUipcEventHandle>(&handle)));
}

cudaError_t cudaProfilerStart() {
  return error_of(driver().cuProfilerStart());
}

cudaError_t cudaProfilerStop() {
  return error_of(driver().cuProfilerStop());
}

}  // namespace warpmark::cudart::api
