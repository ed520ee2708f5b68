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

cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
  const CUresult result = driver().cuLibraryGetKernel(same<CUkernel>(kernel), of(library), name);
  if (result == CUDA_SUCCESS) know_kernel(*same<CUkernel>(kernel));
  return error_of(result);
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

}  // namespace warpmark::cudart::api
