// The stand-ins of warpmark-cpu for libraries that make machine code (plugins/toolkit): libnvrtc
// and libnvJitLink of the folder WARPMARK_CPU_STAND_INS are opened with the device. A program that
// opens either by its path (NVIDIA's Python packages, from their wheels) first asks whether one of
// that name is open, and then takes that.
#include <dlfcn.h>

#include <cstdlib>
#include <string>

namespace {

// Returns whether NVIDIA's NVRTC of this version is installed, which the stand-in needs to compile:
// a program asks for the latest version first, and must not get one that cannot compile.
bool serves(void* nvrtc) {
  const auto library = reinterpret_cast<const char* (*)()>(dlsym(nvrtc, "warpmark_nvrtc_library"));
  return library != nullptr && library() != nullptr;
}

// Not in cuInit: a program may open its libraries between loading the driver and that.
__attribute__((constructor)) void open_stand_ins() {
  const char* folder = std::getenv("WARPMARK_CPU_STAND_INS");
  if (folder == nullptr || *folder == '\0') return;
  for (const char* major : {"13", "12"}) {
    const std::string nvrtc = std::string(folder) + "/libnvrtc.so." + major;
    void* opened = dlopen(nvrtc.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr) continue;
    if (!serves(opened)) {
      dlclose(opened);
      continue;
    }
    dlopen((std::string(folder) + "/libnvJitLink.so." + major).c_str(), RTLD_NOW | RTLD_LOCAL);
    return;
  }
}

}  // namespace
