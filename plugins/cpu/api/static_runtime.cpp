#include "api/static_runtime.hpp"

#include <link.h>

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <utility>

#include "api/report.hpp"

namespace warpmark::cpu {
namespace {

namespace fs = std::filesystem;

// The file of the library that holds an address; "" for the program itself, and if there is none.
std::string library_at(const void* address) {
  struct Search {
    std::uintptr_t address;
    std::string name;
  } search{reinterpret_cast<std::uintptr_t>(address), ""};
  ::dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const auto& part = object->dlpi_phdr[i];
          const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr;
          if (part.p_type != PT_LOAD || wanted.address < begin ||
              wanted.address - begin >= part.p_memsz)
            continue;
          wanted.name = object->dlpi_name;
          return 1;
        }
        return 0;
      },
      &search);
  return search.name;
}

// Libraries of the CUDA toolkit and beside it, whose kernels are machine code of GPUs.
bool is_nvidias(std::string_view name) {
  for (const std::string_view begin :
       {"libcublas", "libcudnn", "libcufft", "libcurand", "libcusolver", "libcusparse",
        "libcutensor", "libnccl", "libnpp", "libnvgraph", "libnvjpeg", "libnvblas", "libnvshmem"}) {
    if (name.starts_with(begin)) return true;
  }
  return false;
}

// The Python package that is published with such a library.
std::string_view package_of(std::string_view path) {
  constexpr std::pair<std::string_view, std::string_view> kPackages[] = {
      {"/cupy_backends/", "CuPy"}, {"/cupy/", "CuPy"},
      {"/cupy_cuda", "CuPy"},      {"/jaxlib/", "JAX"},
      {"/jax_plugins/", "JAX"},    {"/jax_cuda", "JAX"},
      {"/warp/bin/", "Warp"},      {"/tensorflow/", "TensorFlow"}};
  for (const auto& [part, package] : kPackages) {
    if (path.find(part) != path.npos) return package;
  }
  return {};
}

constexpr char kTables[] = "asks the driver for tables that are documented nowhere";

}  // namespace

std::string rebuild_command(const std::string& file) {
  std::error_code code;
  const fs::path here = fs::current_path(code);
  fs::path folder = fs::absolute(file, code).parent_path();
  constexpr int kLevels = 4;  // a build folder has folders for its parts
  for (int level = 0; level < kLevels && !folder.empty(); ++level) {
    const std::string name = safe(folder.string());
    if (fs::exists(folder / "CMakeCache.txt", code))
      return "warpmark-cpu cmake --build " + name + " --clean-first";
    for (const char* makefile : {"GNUmakefile", "makefile", "Makefile"}) {
      if (fs::exists(folder / makefile, code))
        return "warpmark-cpu make -B" + (folder == here ? "" : " -C " + name);
    }
    if (folder == folder.root_path()) break;
    folder = folder.parent_path();
  }
  return "warpmark-cpu nvcc, with the options that it was built with";
}

std::string static_runtime_text(const void* caller) {
  const std::string library = library_at(caller);
  const std::string name = safe(library.substr(library.rfind('/') + 1));
  if (name.empty()) {
    std::error_code code;
    return "NVIDIA's static runtime library is linked into the program, " + std::string(kTables) +
           ", and cannot run on this device; under warpmark-cpu a build links the shared one. "
           "Build the program again: " +
           rebuild_command(fs::read_symlink("/proc/self/exe", code).string());
  }
  if (name.starts_with("libcudart.so"))
    return "the program loads NVIDIA's runtime library " + safe(library) + ", which " + kTables +
           ", and cannot run on this device: start it with "
           "LD_PRELOAD=$(warpmark-cpu --print-path)/" +
           name;
  const std::string brings = name + " brings NVIDIA's own runtime library, which " + kTables;
  if (is_nvidias(name))
    return brings + ", and kernels without PTX: what needs " + name +
           " cannot run on this device. Kernels of the program itself can, where nothing calls it";
  if (const std::string_view package = package_of(library); !package.empty())
    return brings + ": " + std::string(package) +
           " cannot run on this device. The CUDA sources of its kernels can, in a suite of "
           "warpmark or with PyCUDA, Numba or cuda.core";
  return brings +
         ", and cannot run on this device; under warpmark-cpu a build links the shared "
         "one. Build " +
         name + " again from its source: " + rebuild_command(library);
}

}  // namespace warpmark::cpu
