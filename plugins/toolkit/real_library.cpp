#include "real_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

#ifndef WARPMARK_STANDS_FOR
#error \
    "WARPMARK_LIBRARY is what the library stands for, as \"nvrtc\", and WARPMARK_STANDS_FOR its version, as 13"
#endif
#define WARPMARK_TEXT_OF(value) #value
#define WARPMARK_TEXT(value) WARPMARK_TEXT_OF(value)

namespace warpmark::toolkit {
namespace {

namespace fs = std::filesystem;

constexpr char kName[] = "lib" WARPMARK_LIBRARY ".so." WARPMARK_TEXT(WARPMARK_STANDS_FOR);

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

fs::path resolved(const fs::path& path) {
  std::error_code code;
  const fs::path found = fs::canonical(path, code);
  return code ? fs::path() : found;
}

// This library, or a copy of it, under the name of the real one.
bool is_stand_in(const fs::path& library) {
  const fs::path folder = library.parent_path();
  return folder.filename() == "cpu" && folder.parent_path().filename() == "warpmark";
}

bool serves(const fs::path& library) {
  const fs::path file = resolved(library);
  // The file's own name has the version also where that of a link has none.
  return !file.empty() && file.filename().string().starts_with(kName) && !is_stand_in(file);
}

std::string in_home(const fs::path& home) {
  for (const char* folder : {"lib64", "lib", "targets/x86_64-linux/lib"}) {
    if (serves(home / folder / kName)) return (home / folder / kName).string();
  }
  return "";
}

// The folders of Python packages from which something is open in this process.
int add_packages(dl_phdr_info* info, std::size_t, void* folders) {
  const std::string_view name(info->dlpi_name != nullptr ? info->dlpi_name : "");
  for (const std::string_view part : {"/site-packages/", "/dist-packages/"}) {
    if (const std::size_t at = name.find(part); at != std::string_view::npos)
      static_cast<std::vector<fs::path>*>(folders)->emplace_back(name.substr(0, at + part.size()));
  }
  return 0;
}

std::string in_wheels() {
  std::vector<fs::path> packages;
  dl_iterate_phdr(add_packages, &packages);
  for (const fs::path& folder : packages) {
    for (const char* wheel : {"nvidia/cu" WARPMARK_TEXT(WARPMARK_STANDS_FOR) "/lib",
                              "nvidia/cuda_nvrtc/lib", "nvidia/nvjitlink/lib"}) {
      if (serves(folder / wheel / kName)) return (folder / wheel / kName).string();
    }
  }
  return "";
}

// Where the loader looks for a library of the program. It cannot be asked for the library: it
// answers with the one that has the name already, this one.
std::string in_loaders_path() {
  void* program = dlopen(nullptr, RTLD_LAZY);
  Dl_serinfo size{};
  if (program == nullptr || dlinfo(program, RTLD_DI_SERINFOSIZE, &size) != 0) return "";
  std::vector<std::max_align_t> room(size.dls_size / sizeof(std::max_align_t) + 1);
  auto* found = reinterpret_cast<Dl_serinfo*>(room.data());
  if (dlinfo(program, RTLD_DI_SERINFOSIZE, found) != 0 ||
      dlinfo(program, RTLD_DI_SERINFO, found) != 0)
    return "";
  for (unsigned int i = 0; i < found->dls_cnt; ++i) {
    const fs::path library = fs::path(found->dls_serpath[i].dls_name) / kName;
    if (serves(library)) return library.string();
  }
  return "";
}

std::string find_library() {
  // The name in it is that of the library itself, so that it is no other's.
  if (const std::string named = variable("WARPMARK_NVRTC"); !named.empty() && serves(named))
    return fs::absolute(named).string();
  std::vector<fs::path> homes;
  if (const std::string home = variable("WARPMARK_CUDA_HOME"); !home.empty()) {
    if (std::string found = in_home(home); !found.empty()) return found;
  }
  if (std::string found = in_wheels(); !found.empty()) return found;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const std::string home = variable(name); !home.empty()) homes.emplace_back(home);
  }
  homes.emplace_back("/usr/local/cuda");
  homes.emplace_back("/usr/local/cuda-" WARPMARK_TEXT(WARPMARK_STANDS_FOR));
  // The toolkit that ./bootstrap fetched, installed beside this library or in a build folder.
  for (const char* up : {"..", "../..", "../../.."}) {
    for (const char* folder : {"cuda", "deps/cuda"})
      homes.push_back(fs::path(own_folder()) / up / folder);
  }
  for (const fs::path& home : homes) {
    if (std::string found = in_home(home); !found.empty()) return found;
  }
  return in_loaders_path();
}

void open_builtins_beside(const fs::path& library) {
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(library.parent_path(), code)) {
    if (entry.path().filename().string().starts_with("lib" WARPMARK_LIBRARY "-builtins.so."))
      dlopen(entry.path().c_str(), RTLD_NOW | RTLD_LOCAL);
  }
}

void* open_library() {
  const std::string& path = real_library();
  if (path.empty()) {
    std::fprintf(
        stderr,
        "%s (of warpmark-cpu): there is no other one (WARPMARK_NVRTC, WARPMARK_CUDA_HOME, "
        "CUDA_HOME, /usr/local/cuda): install it, or run ./bootstrap in Warpmark's source, "
        "which fetches NVRTC\n",
        kName);
    return nullptr;
  }
  open_builtins_beside(path);
  // Its calls of its own functions are not ours to answer: it is linked with -Bsymbolic. (DEEPBIND
  // would end a program with a sanitizer.)
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) std::fprintf(stderr, "%s (of warpmark-cpu): %s\n", kName, dlerror());
  return library;
}

}  // namespace

const std::string& real_library() {
  static const std::string path = resolved(find_library()).string();
  return path;
}

void* real_function(const char* name) {
  static void* const library = open_library();
  if (library == nullptr) return nullptr;
  void* function = dlsym(library, name);
  if (function == nullptr) {
    std::fprintf(stderr, "%s (of warpmark-cpu): '%s' has no %s\n", kName, real_library().c_str(),
                 name);
  }
  return function;
}

std::string own_folder() {
  Dl_info self{};
  static const char here = 0;
  if (dladdr(&here, &self) == 0 || self.dli_fname == nullptr) return ".";
  return resolved(self.dli_fname).parent_path().string();
}

}  // namespace warpmark::toolkit
