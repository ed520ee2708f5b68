// Libraries: code that the program loads itself.
#include "api.hpp"
#include "registry.hpp"
#include "runtime.hpp"

namespace warpmark::cudart::api {
namespace {

CUlibrary of(cudaLibrary_t library) {
  return reinterpret_cast<CUlibrary>(library);
}

}  // namespace

// Options have the driver's numbers.
cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption* options,
                                void** values, unsigned int count,
                                cudaLibraryOption* library_options, void** library_values,
                                unsigned int library_count) {
  return error_of(driver().cuLibraryLoadData(
      same<CUlibrary>(library), code, same<CUjit_option>(options), values, count,
      same<CUlibraryOption>(library_options), library_values, library_count));
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* library, const char* path,
                                    cudaJitOption* options, void** values, unsigned int count,
                                    cudaLibraryOption* library_options, void** library_values,
                                    unsigned int library_count) {
  return error_of(driver().cuLibraryLoadFromFile(
      same<CUlibrary>(library), path, same<CUjit_option>(options), values, count,
      same<CUlibraryOption>(library_options), library_values, library_count));
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return error_of(driver().cuLibraryUnload(of(library)));
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
  const CUresult result = driver().cuLibraryGetKernel(same<CUkernel>(kernel), of(library), name);
  if (result == CUDA_SUCCESS) know_kernel(*same<CUkernel>(kernel));
  return error_of(result);
}

cudaError_t cudaLibraryGetKernelCount(unsigned int* count, cudaLibrary_t library) {
  return error_of(driver().cuLibraryGetKernelCount(count, of(library)));
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned int count,
                                        cudaLibrary_t library) {
  unsigned int all = 0;
  CUresult result = driver().cuLibraryGetKernelCount(&all, of(library));
  if (result == CUDA_SUCCESS)
    result = driver().cuLibraryEnumerateKernels(same<CUkernel>(kernels), count, of(library));
  for (unsigned int i = 0; result == CUDA_SUCCESS && i < count && i < all; ++i)
    know_kernel(*same<CUkernel>(kernels + i));
  return error_of(result);
}

cudaError_t cudaLibraryGetGlobal(void** address, size_t* bytes, cudaLibrary_t library,
                                 const char* name) {
  return error_of(
      driver().cuLibraryGetGlobal(same<CUdeviceptr>(address), bytes, of(library), name));
}

cudaError_t cudaLibraryGetManaged(void** address, size_t* bytes, cudaLibrary_t library,
                                  const char* name) {
  return error_of(
      driver().cuLibraryGetManaged(same<CUdeviceptr>(address), bytes, of(library), name));
}

cudaError_t cudaLibraryGetUnifiedFunction(void** function, cudaLibrary_t library,
                                          const char* symbol) {
  return error_of(driver().cuLibraryGetUnifiedFunction(function, of(library), symbol));
}

}  // namespace warpmark::cudart::api
