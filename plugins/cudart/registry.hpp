// The program's registrations: images of code, and the host's names for their kernels and
// variables.
#pragma once

#include <cstddef>
#include <string>

#include "driver.hpp"

namespace warpmark::cudart {

/// An image of code that nvcc put into the program, loaded when something of it is first needed.
struct Image {
  const void* wrapper = nullptr;  ///< __fatBinC_Wrapper_t
  CUlibrary library = nullptr;
  bool no_code = false;  ///< it has none that the device executes
};

/// A kernel by the host's function of that name.
struct Kernel {
  Image* image = nullptr;
  const void* host = nullptr;
  std::string name;  ///< the device's
  CUkernel handle = nullptr;
};

/// A variable by the host's of that name.
struct Variable {
  Image* image = nullptr;
  const void* host = nullptr;
  std::string name;          ///< the device's
  void** managed = nullptr;  ///< where the program has the address of a managed one
};

/// Finds the kernel that a program names by the host's function, a cudaKernel_t or a
/// cudaFunction_t.
cudaError_t find_kernel(const void* name, CUkernel& kernel);
cudaError_t find_function(const void* name, CUfunction& function);
/// The host's function that launches `function`, or `function` itself.
const void* host_function(CUfunction function, CUkernel kernel);
/// Makes a kernel that the driver gave out known to find_kernel.
void know_kernel(CUkernel kernel);

/// Where a variable is in the current context.
cudaError_t find_variable(const void* symbol, CUdeviceptr& address, std::size_t& bytes);

/// The part of a variable from `offset` on, if `bytes` fit.
cudaError_t part_of_variable(const void* symbol, std::size_t bytes, std::size_t offset,
                             void*& part);

/// Gives the program anew the addresses of all managed variables of images that are loaded; a
/// context is current.
cudaError_t bind_managed_variables();

}  // namespace warpmark::cudart
