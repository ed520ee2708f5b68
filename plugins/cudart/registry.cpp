// Images, kernels and variables that the program registered.
#include "registry.hpp"

#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdlib>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "api.hpp"
#include "image.hpp"
#include "runtime.hpp"

namespace warpmark::cudart {
namespace {

struct Registry {
  std::recursive_mutex mutex;
  std::unordered_set<Image*> images;
  std::unordered_map<const void*, std::unique_ptr<Kernel>> kernels;  ///< by the host's function
  std::unordered_set<const void*> handles;                           ///< of Kernel, given to nvcc
  std::unordered_set<CUkernel> known;
  std::unordered_map<CUfunction, const void*> hosts;
  std::unordered_map<CUkernel, const void*> kernel_hosts;
  std::unordered_map<const void*, std::unique_ptr<Variable>> variables;
};

// Never destroyed: images are unregistered when the process ends, in whatever order.
Registry& registry() {
  static Registry& all = *new Registry;
  return all;
}

cudaError_t load(Image& image) {
  if (image.library != nullptr) return cudaSuccess;
  if (image.no_code) return error_of(CUDA_ERROR_NO_BINARY_FOR_GPU);
  const CUresult result = load_image(image.wrapper, image.library);
  image.no_code = result == CUDA_ERROR_NO_BINARY_FOR_GPU && driver().executes_ptx;
  return error_of(result);
}

// A kernel's name as a person reads it, without its parameters and the end of long arguments of
// templates.
std::string readable(const std::string& name) {
  constexpr std::size_t kMost = 160;
  int status = 0;
  char* const text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string shown = text != nullptr ? text : name;
  std::free(text);
  if (shown.starts_with("void ")) shown.erase(0, 5);
  int depth = 0;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    depth += shown[i] == '<' ? 1 : shown[i] == '>' ? -1 : 0;
    if (depth == 0 && shown[i] == '(' && !shown.substr(i).starts_with("(anonymous"))
      shown.resize(i);
  }
  return shown.size() <= kMost ? shown : shown.substr(0, kMost) + "…";
}

// Says once for each kernel of a library such as PyTorch's that there is no PTX of it.
void say_no_code(const Kernel& kernel) {
  Dl_info place{};
  const std::string file = dladdr(kernel.image->wrapper, &place) != 0 ? place.dli_fname : "";
  const std::string library = file.substr(file.rfind('/') + 1);
  const bool torch = library.starts_with("libtorch");
  say_once((readable(kernel.name) + " of " + library).c_str(),
           torch ? "this operator of PyTorch is machine code of GPUs alone, which this device does "
                   "not execute. Compute it on the CPU (x.cpu()), or by a kernel of Triton "
                   "(torch.compile)"
                 : "this kernel is machine code of GPUs alone, which this device does not execute. "
                   "A build under warpmark-cpu makes PTX of it");
}

cudaError_t handle_of(Kernel& kernel) {
  if (kernel.handle != nullptr) return cudaSuccess;
  const cudaError_t result = load(*kernel.image);
  if (kernel.image->no_code) say_no_code(kernel);
  if (result != cudaSuccess) return result;
  CUkernel handle = nullptr;
  if (driver().cuLibraryGetKernel(&handle, kernel.image->library, kernel.name.c_str()) !=
      CUDA_SUCCESS)
    return kRuntimeVersion >= 13000 ? cudaErrorSymbolNotFound : cudaErrorInvalidDeviceFunction;
  kernel.handle = handle;
  registry().known.insert(handle);
  registry().kernel_hosts[handle] = kernel.host;
  return cudaSuccess;
}

Kernel* registered(const void* name) {
  Registry& all = registry();
  const auto found = all.kernels.find(name);
  if (found != all.kernels.end()) return found->second.get();
  if (!all.handles.contains(name)) return nullptr;
  return const_cast<Kernel*>(static_cast<const Kernel*>(name));
}

cudaError_t locate(const Variable& variable, CUdeviceptr& address, std::size_t& bytes) {
  const cudaError_t result = load(*variable.image);
  if (result != cudaSuccess) return result;
  const auto get =
      variable.managed != nullptr ? driver().cuLibraryGetManaged : driver().cuLibraryGetGlobal;
  return get(&address, &bytes, variable.image->library, variable.name.c_str()) == CUDA_SUCCESS
             ? cudaSuccess
             : cudaErrorInvalidSymbol;
}

// A managed variable by its own address, which the program has from us.
const Variable* managed_at(const void* address) {
  for (const auto& [host, variable] : registry().variables) {
    if (variable->managed != nullptr && *variable->managed == address) return variable.get();
  }
  return nullptr;
}

cudaError_t bind_managed(Image& image) {
  for (const auto& [host, variable] : registry().variables) {
    if (variable->managed == nullptr || variable->image != &image) continue;
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
    const cudaError_t result = locate(*variable, address, bytes);
    if (result != cudaSuccess) return result;
    *variable->managed = pointer_to(address);
  }
  return cudaSuccess;
}

// The error for a name that can only be a host function.
cudaError_t of_symbol(cudaError_t found) {
  return found == cudaErrorInvalidResourceHandle ? cudaErrorInvalidDeviceFunction : found;
}

Image& image_of(void** handle) {
  return *reinterpret_cast<Image*>(handle);
}

}  // namespace

cudaError_t find_kernel(const void* name, CUkernel& kernel) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  if (Kernel* found = registered(name)) {
    const cudaError_t result = handle_of(*found);
    kernel = found->handle;
    return result;
  }
  kernel = static_cast<CUkernel>(const_cast<void*>(name));
  if (all.known.contains(kernel)) return cudaSuccess;
  // CUDA 13 takes what is no host's function for a handle.
  return name == nullptr || kRuntimeVersion < 13000 ? cudaErrorInvalidDeviceFunction
                                                    : cudaErrorInvalidResourceHandle;
}

cudaError_t find_function(const void* name, CUfunction& function) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  function = static_cast<CUfunction>(const_cast<void*>(name));
  if (all.hosts.contains(function)) return cudaSuccess;
  CUkernel kernel = nullptr;
  const cudaError_t result = find_kernel(name, kernel);
  if (result != cudaSuccess) return result;
  const CUresult outcome = driver().cuKernelGetFunction(&function, kernel);
  if (outcome == CUDA_SUCCESS) all.hosts[function] = host_function(nullptr, kernel);
  return error_of(outcome);
}

const void* host_function(CUfunction function, CUkernel kernel) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  if (const auto found = all.hosts.find(function); found != all.hosts.end()) return found->second;
  if (const auto found = all.kernel_hosts.find(kernel); found != all.kernel_hosts.end())
    return found->second;
  return kernel != nullptr ? static_cast<const void*>(kernel) : function;
}

void know_kernel(CUkernel kernel) {
  const std::lock_guard lock(registry().mutex);
  registry().known.insert(kernel);
}

cudaError_t find_variable(const void* symbol, CUdeviceptr& address, std::size_t& bytes) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto found = all.variables.find(symbol);
  const Variable* variable =
      found != all.variables.end() ? found->second.get() : managed_at(symbol);
  return variable == nullptr ? cudaErrorInvalidSymbol : locate(*variable, address, bytes);
}

cudaError_t part_of_variable(const void* symbol, std::size_t bytes, std::size_t offset,
                             void*& part) {
  CUdeviceptr address = 0;
  std::size_t size = 0;
  const cudaError_t result = find_variable(symbol, address, size);
  if (result != cudaSuccess) return result;
  if (offset > size || bytes > size - offset) return cudaErrorInvalidValue;
  part = pointer_to(address + offset);
  return cudaSuccess;
}

cudaError_t bind_managed_variables() {
  const std::lock_guard lock(registry().mutex);
  for (Image* image : registry().images) {
    const cudaError_t result = image->library == nullptr ? cudaSuccess : bind_managed(*image);
    if (result != cudaSuccess) return result;
  }
  return cudaSuccess;
}

namespace api {

void** __cudaRegisterFatBinary(void* wrapper) {
  auto* image = new Image;
  image->wrapper = wrapper;
  const std::lock_guard lock(registry().mutex);
  registry().images.insert(image);
  return reinterpret_cast<void**>(image);
}

void __cudaRegisterFatBinaryEnd(void**) {}

// A program ends, or a library of its is closed. The driver may have ended before.
void __cudaUnregisterFatBinary(void** handle) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  Image* image = &image_of(handle);
  if (all.images.erase(image) == 0) return;
  std::erase_if(all.variables, [&](const auto& each) { return each.second->image == image; });
  std::erase_if(all.kernels, [&](const auto& each) {
    const Kernel& kernel = *each.second;
    if (kernel.image != image) return false;
    all.handles.erase(&kernel);
    all.known.erase(kernel.handle);
    all.kernel_hosts.erase(kernel.handle);
    std::erase_if(all.hosts, [&](const auto& host) { return host.second == kernel.host; });
    return true;
  });
  if (image->library != nullptr) driver().cuLibraryUnload(image->library);
  delete image;
}

void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, uint3*,
                            uint3*, dim3*, dim3*, int*) {
  const std::lock_guard lock(registry().mutex);
  auto kernel = std::make_unique<Kernel>();
  kernel->image = &image_of(handle);
  kernel->host = host;
  kernel->name = name;
  registry().kernels[host] = std::move(kernel);
}

void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, size_t, int, int) {
  const std::lock_guard lock(registry().mutex);
  auto variable = std::make_unique<Variable>();
  variable->image = &image_of(handle);
  variable->host = host;
  variable->name = name;
  registry().variables[host] = std::move(variable);
}

void __cudaRegisterManagedVar(void** handle, void** host, char*, const char* name, int, size_t, int,
                              int) {
  __cudaRegisterVar(handle, reinterpret_cast<char*>(host), nullptr, name, 0, 0, 0, 0);
  const std::lock_guard lock(registry().mutex);
  registry().variables[host]->managed = host;
}

// The program is about to use a managed variable of the image.
char __cudaInitModule(void** handle) {
  if (start_driver() != cudaSuccess || need_context() != cudaSuccess) return 0;
  const std::lock_guard lock(registry().mutex);
  return remember(bind_managed(image_of(handle))) == cudaSuccess ? 1 : 0;
}

// nvcc keeps it in a static variable of the launching function, before there is a context, and
// looks at no error: what is wrong with the image comes out at the launch.
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host) {
  const std::lock_guard lock(registry().mutex);
  Kernel* found = registered(host);
  if (found == nullptr || kernel == nullptr) return cudaErrorInvalidDeviceFunction;
  registry().handles.insert(found);
  *kernel = reinterpret_cast<cudaKernel_t>(found);
  return cudaSuccess;
}

cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* host) {
  if (kernel == nullptr) return cudaErrorInvalidValue;
  return of_symbol(find_kernel(host, *same<CUkernel>(kernel)));
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* symbol) {
  if (function == nullptr) return cudaErrorInvalidValue;
  return of_symbol(find_function(symbol, *function));
}

cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  if (address == nullptr) return cudaErrorInvalidValue;
  CUdeviceptr found = 0;
  std::size_t bytes = 0;
  const cudaError_t result = find_variable(symbol, found, bytes);
  if (result == cudaSuccess) *address = pointer_to(found);
  return result;
}

cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  if (bytes == nullptr) return cudaErrorInvalidValue;
  CUdeviceptr found = 0;
  std::size_t size = 0;
  const cudaError_t result = find_variable(symbol, found, size);
  if (result == cudaSuccess) *bytes = size;
  return result;
}

}  // namespace api
}  // namespace warpmark::cudart
