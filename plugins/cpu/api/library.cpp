// Libraries: code that is loaded once and used in any context.
#include "api/jit.hpp"
#include "api/mistake.hpp"
#include "api/state.hpp"
#include "api/target.hpp"
#include "ptx/error.hpp"
#include "ptx/parser.hpp"

namespace warpmark::cpu {
namespace {

template <typename Body>
CUresult with_library(const char* name, CUlibrary library, Body body) {
  return initialised(name, [&]() -> CUresult {
    Library* found = find_in(driver().libraries, library);
    return found == nullptr ? CUDA_ERROR_INVALID_HANDLE : body(*found);
  });
}

template <typename Body>
CUresult with_library_kernel(const char* name, CUkernel kernel, Body body) {
  return initialised(name, [&]() -> CUresult {
    LibraryKernel* found = find_in(driver().library_kernels, kernel);
    return found == nullptr ? CUDA_ERROR_INVALID_HANDLE : body(*found);
  });
}

// Parsed once to know its kernels and what is wrong with it; contexts load the text again.
CUresult load(CUlibrary* result, std::string text, const JitLogs& logs) {
  if (const CUresult outcome = refuse_target(text); outcome != CUDA_SUCCESS) {
    logs.write(last_error(), "");
    return outcome;
  }
  auto library = std::make_unique<Library>();
  try {
    const Module parsed = parse_ptx(text);
    for (const Function& function : parsed.functions) {
      if (!function.entry) continue;
      auto kernel = std::make_unique<LibraryKernel>();
      kernel->library = library.get();
      kernel->name = function.name;
      library->kernels.emplace(function.name, std::move(kernel));
    }
  } catch (const PtxError& error) {
    const CUresult outcome = refuse_ptx(error);
    logs.write(last_error(), "");
    return outcome;
  }
  logs.write("", "");
  library->text = std::move(text);
  for (const auto& [name, kernel] : library->kernels)
    driver().library_kernels.emplace(reinterpret_cast<CUkernel>(kernel.get()), kernel.get());
  *result = reinterpret_cast<CUlibrary>(library.get());
  driver().libraries.emplace(*result, std::move(library));
  return CUDA_SUCCESS;
}

// `bytes` is how much may be read, if that is known.
CUresult load_image(CUlibrary* result, const void* image, const std::size_t* bytes,
                    const JitLogs& logs) {
  std::string text;
  const CUresult outcome = text_of_image(image, bytes, text);
  if (outcome == CUDA_SUCCESS) return load(result, std::move(text), logs);
  logs.write(last_error(), "");
  return outcome;
}

// No capture forbids it: the first launch of a library's kernel may be one that is captured.
CUresult module_in(Context& context, Library& library, LoadedModule*& module) {
  module = find_in(library.modules, &context);
  if (module != nullptr) return CUDA_SUCCESS;
  const CUresult result = load_text(context, &module, library.text, {});
  // A context loads the image at its first use, with whichever call that is.
  if (result != CUDA_SUCCESS) return report_refused_image("cuLibraryLoadData", result);
  module->of_library = true;
  library.modules[&context] = module;
  return CUDA_SUCCESS;
}

CUresult current_module(Library& library, Context*& context, LoadedModule*& module) {
  const CUresult result = current_context(Waits::no, context);
  return result != CUDA_SUCCESS ? result : module_in(*context, library, module);
}

// The context in which a kernel's attributes of a device are kept: the current one if it is that
// device's, otherwise its primary context.
CUresult context_on(CUdevice device, Context*& context) {
  if (!driver().is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  if (current_context(Waits::no, context) == CUDA_SUCCESS && context->device == device)
    return CUDA_SUCCESS;
  context = driver().device(device).primary;
  return context == nullptr ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}

CUresult kernel_on(CUdevice device, LibraryKernel& kernel, Kernel*& found) {
  Context* context = nullptr;
  CUresult result = context_on(device, context);
  if (result != CUDA_SUCCESS) return result;
  CUfunction function = nullptr;
  result = kernel_in(*context, kernel, function);
  if (result == CUDA_SUCCESS) found = context->kernels.at(function);
  return result;
}

CUresult global_of(const char* name, CUdeviceptr* address, std::size_t* bytes, CUlibrary library,
                   const char* symbol) {
  return with_library(name, library, [&](Library& found) -> CUresult {
    if (symbol == nullptr || (address == nullptr && bytes == nullptr))
      return CUDA_ERROR_INVALID_VALUE;
    Context* context = nullptr;
    LoadedModule* module = nullptr;
    const CUresult result = current_module(found, context, module);
    return result != CUDA_SUCCESS ? result
                                  : find_variable(*context, *module, symbol, address, bytes);
  });
}

}  // namespace

CUresult kernel_in(Context& context, LibraryKernel& kernel, CUfunction& function) {
  LoadedModule* module = nullptr;
  const CUresult result = module_in(context, *kernel.library, module);
  if (result != CUDA_SUCCESS) return result;
  const std::uint32_t index = module->ptx().function_by_name.at(kernel.name);
  return report_refused_image(
      "cuKernelGetFunction",
      make_kernel(context, *module, module->ptx().functions[index], &function));
}

}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option* options,
                           void** values, unsigned int count, CUlibraryOption* library_options,
                           void** library_values, unsigned int library_count) {
  return initialised("cuLibraryLoadData", [&]() -> CUresult {
    if (library == nullptr || (library_count != 0 && library_options == nullptr))
      return CUDA_ERROR_INVALID_VALUE;
    (void)library_values;  // whether the text may be kept where it is: it is always copied
    JitLogs logs;
    const CUresult result = read_options(count, options, values, logs);
    if (result != CUDA_SUCCESS) return result;
    return report_refused_image("cuLibraryLoadData", load_image(library, code, nullptr, logs));
  });
}

CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* path, CUjit_option* options,
                               void** values, unsigned int count, CUlibraryOption* library_options,
                               void**, unsigned int library_count) {
  return initialised("cuLibraryLoadFromFile", [&]() -> CUresult {
    if (library == nullptr || path == nullptr || (library_count != 0 && library_options == nullptr))
      return CUDA_ERROR_INVALID_VALUE;
    for (unsigned int i = 0; i < library_count; ++i) {
      if (library_options[i] == CU_LIBRARY_BINARY_IS_PRESERVED)
        return fail(CUDA_ERROR_INVALID_VALUE, "a file's code is not the program's to preserve");
    }
    JitLogs logs;
    CUresult result = read_options(count, options, values, logs);
    if (result != CUDA_SUCCESS) return result;
    std::string bytes;
    result = read_file(path, bytes);
    if (result != CUDA_SUCCESS) return result;
    const std::size_t size = bytes.size();
    return report_refused_image("cuLibraryLoadFromFile",
                                load_image(library, bytes.c_str(), &size, logs));
  });
}

CUresult cuLibraryUnload(CUlibrary library) {
  return with_library("cuLibraryUnload", library, [&](Library& found) -> CUresult {
    for (const auto& [context, module] : found.modules) unload(*context, *module);
    for (const auto& [name, kernel] : found.kernels)
      driver().library_kernels.erase(reinterpret_cast<CUkernel>(kernel.get()));
    driver().libraries.erase(library);
    return CUDA_SUCCESS;
  });
}

CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
  return with_library("cuLibraryGetKernel", library, [&](Library& found) -> CUresult {
    if (kernel == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    LibraryKernel* known = find_in(found.kernels, name);
    if (known == nullptr)
      return fail(CUDA_ERROR_NOT_FOUND, "the library has no kernel '" + std::string(name) + "'");
    return give(kernel, reinterpret_cast<CUkernel>(known));
  });
}

CUresult cuLibraryGetKernelCount(unsigned int* count, CUlibrary library) {
  return with_library("cuLibraryGetKernelCount", library, [&](Library& found) {
    return give(count, static_cast<unsigned int>(found.kernels.size()));
  });
}

CUresult cuLibraryEnumerateKernels(CUkernel* kernels, unsigned int count, CUlibrary library) {
  return with_library("cuLibraryEnumerateKernels", library, [&](Library& found) -> CUresult {
    if (kernels == nullptr) return CUDA_ERROR_INVALID_VALUE;
    for (const auto& [name, kernel] : found.kernels) {
      if (count-- == 0) break;
      *kernels++ = reinterpret_cast<CUkernel>(kernel.get());
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuLibraryGetModule(CUmodule* module, CUlibrary library) {
  return with_library("cuLibraryGetModule", library, [&](Library& found) -> CUresult {
    if (module == nullptr) return CUDA_ERROR_INVALID_VALUE;
    Context* context = nullptr;
    LoadedModule* loaded = nullptr;
    const CUresult result = current_module(found, context, loaded);
    return result != CUDA_SUCCESS ? result : give(module, reinterpret_cast<CUmodule>(loaded));
  });
}

CUresult cuLibraryGetGlobal(CUdeviceptr* address, size_t* bytes, CUlibrary library,
                            const char* name) {
  return global_of("cuLibraryGetGlobal", address, bytes, library, name);
}

CUresult cuLibraryGetManaged(CUdeviceptr* address, size_t* bytes, CUlibrary library,
                             const char* name) {
  return with_library("cuLibraryGetManaged", library, [&](Library& found) -> CUresult {
    if (name == nullptr || (address == nullptr && bytes == nullptr))
      return CUDA_ERROR_INVALID_VALUE;
    Context* context = nullptr;
    LoadedModule* module = nullptr;
    const CUresult result = current_module(found, context, module);
    if (result != CUDA_SUCCESS) return result;
    CUdeviceptr place = 0;
    if (find_variable(*context, *module, name, &place, bytes) != CUDA_SUCCESS ||
        !context->managed.contains(place))
      return fail(CUDA_ERROR_NOT_FOUND,
                  "the library has no managed variable '" + std::string(name) + "'");
    if (address != nullptr) *address = place;
    return CUDA_SUCCESS;
  });
}

// PTX declares none: only a program's own host code has them. An H200 says "invalid value", and not
// that there is none of this name.
CUresult cuLibraryGetUnifiedFunction(void** function, CUlibrary library, const char* symbol) {
  return with_library("cuLibraryGetUnifiedFunction", library, [&](Library&) -> CUresult {
    if (function == nullptr || symbol == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return fail(CUDA_ERROR_INVALID_VALUE,
                "the library has no unified function '" + std::string(symbol) + "'");
  });
}

CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
  return with_library_kernel("cuKernelGetFunction", kernel, [&](LibraryKernel& found) -> CUresult {
    if (function == nullptr) return CUDA_ERROR_INVALID_VALUE;
    Context* context = nullptr;
    const CUresult result = current_context(Waits::no, context);
    return result != CUDA_SUCCESS ? result : kernel_in(*context, found, *function);
  });
}

CUresult cuKernelGetLibrary(CUlibrary* library, CUkernel kernel) {
  return with_library_kernel("cuKernelGetLibrary", kernel, [&](LibraryKernel& found) {
    return give(library, reinterpret_cast<CUlibrary>(found.library));
  });
}

CUresult cuKernelGetName(const char** name, CUkernel kernel) {
  return with_library_kernel("cuKernelGetName", kernel,
                             [&](LibraryKernel& found) { return give(name, found.name.c_str()); });
}

CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel kernel,
                              CUdevice device) {
  return with_library_kernel("cuKernelGetAttribute", kernel, [&](LibraryKernel& found) -> CUresult {
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    Kernel* own = nullptr;
    const CUresult result = kernel_on(device, found, own);
    return result != CUDA_SUCCESS ? result : get_attribute(*own, number_in(attribute), value);
  });
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel,
                              CUdevice device) {
  return with_library_kernel("cuKernelSetAttribute", kernel, [&](LibraryKernel& found) -> CUresult {
    Kernel* own = nullptr;
    const CUresult result = kernel_on(device, found, own);
    return result != CUDA_SUCCESS ? result : set_attribute(*own, number_in(attribute), value);
  });
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice device) {
  return with_library_kernel("cuKernelSetCacheConfig", kernel, [&](LibraryKernel&) -> CUresult {
    if (!driver().is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    const int value = static_cast<int>(number_in(config));
    return value < 0 || value > CU_FUNC_CACHE_PREFER_EQUAL ? CUDA_ERROR_INVALID_VALUE
                                                           : CUDA_SUCCESS;
  });
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t* offset, size_t* size) {
  return with_library_kernel("cuKernelGetParamInfo", kernel, [&](LibraryKernel& found) -> CUresult {
    Context* context = nullptr;
    CUresult result = current_context(Waits::no, context);
    if (result != CUDA_SUCCESS) return result;
    CUfunction function = nullptr;
    result = kernel_in(*context, found, function);
    if (result != CUDA_SUCCESS) return result;
    return describe_parameter(*context->kernels.at(function), index, offset, size);
  });
}

}  // extern "C"
