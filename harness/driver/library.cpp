// Opening driver libraries and filling the table from them.
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <string_view>
#include <vector>

#include "base/loader.hpp"
#include "base/places.hpp"
#include "base/text.hpp"
#include "driver/driver.hpp"

namespace warpmark {

namespace {

// NOLINTNEXTLINE(readability-identifier-naming): named as functions.def writes it
enum class Presence { required, optional };

std::string file_of(void* library) {
  link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return {};
  return map->l_name;
}

void* open_library(const std::string& name, const std::string& hint) {
  dlerror();
  void* library = dlopen(loadable(name).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw environment_error(fmt::format("cannot open the driver {}: {}", name, loader_error()),
                            hint);
  }
  return library;
}

DriverTable table_of(void* library, const std::string& name) {
  return load_driver_table([library](const char* symbol) { return dlsym(library, symbol); }, name);
}

}  // namespace

std::string documented_name(const char* symbol) {
  std::string_view name(symbol);
  const size_t version = name.rfind("_v");
  if (version != std::string_view::npos && version + 2 < name.size() &&
      name.find_first_not_of("0123456789", version + 2) == std::string_view::npos) {
    name = name.substr(0, version);
  }
  return std::string(name);
}

DriverTable load_driver_table(const std::function<void*(const char*)>& lookup,
                              const std::string& library) {
  DriverTable table;
  std::vector<std::string> missing;
  const auto fill = [&](auto& function, Presence presence) {
    void* address = lookup(function.symbol);
    function.pointer = reinterpret_cast<decltype(function.pointer)>(address);
    if (address == nullptr && presence == Presence::required) missing.emplace_back(function.symbol);
  };
#define DRIVER_FUNCTION(member, symbol, presence, needed_for, ...) \
  fill(table.member, Presence::presence);
#include "driver/functions.def"
#undef DRIVER_FUNCTION
  if (!missing.empty()) {
    throw environment_error(
        fmt::format("{} is no usable CUDA driver: it lacks {}", library, join(missing, ", ")),
        "a driver for CUDA 12 or newer has them");
  }
  return table;
}

std::shared_ptr<Driver> Driver::open_gpu() {
  const std::string name = "libcuda.so.1";
  void* library = open_library(
      name, "install NVIDIA's driver, or use the CPU device: --device cpu needs no GPU");
  std::shared_ptr<Driver> driver = from_table(table_of(library, name), name);
  driver->path_ = file_of(library);
  return driver;
}

std::shared_ptr<Driver> Driver::open(const std::string& path) {
  void* library = open_library(path, "build it, or add its folder to WARPMARK_PLUGIN_PATH");
  const auto extension =
      reinterpret_cast<warpmark_device_function>(dlsym(library, WARPMARK_DEVICE_SYMBOL));
  std::shared_ptr<Driver> driver =
      from_table(table_of(library, path), path, extension != nullptr ? extension() : nullptr);
  driver->path_ = file_of(library);
  return driver;
}

}  // namespace warpmark
