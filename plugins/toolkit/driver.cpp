#include "driver.hpp"

#include <dlfcn.h>

#include <optional>

namespace warpmark::toolkit {
namespace {

template <typename F>
bool find(void* library, const char* name, F*& function) {
  function = reinterpret_cast<F*>(dlsym(library, name));
  return function != nullptr;
}

std::optional<Driver> open_driver() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  Driver found;
  if (library == nullptr || !find(library, "cuInit", found.init) ||
      !find(library, "cuCtxCreate_v2", found.context_create) ||
      !find(library, "cuCtxDestroy_v2", found.context_destroy) ||
      !find(library, "cuCtxPopCurrent_v2", found.pop) ||
      !find(library, "cuLinkCreate_v2", found.link_create) ||
      !find(library, "cuLinkAddData_v2", found.link_add) ||
      !find(library, "cuLinkComplete", found.link_complete) ||
      !find(library, "cuLinkDestroy", found.link_destroy))
    return std::nullopt;
  return found;
}

}  // namespace

const Driver* driver() {
  static const std::optional<Driver> opened = open_driver();
  return opened ? &*opened : nullptr;
}

}  // namespace warpmark::toolkit
