// Loads images, and links those of relocatable code.
#include "image.hpp"

namespace warpmark::cudart {
namespace {

// The wrapper that nvcc puts around a fatbin: __fatBinC_Wrapper_t of the toolkit's
// fatbinary_section.h, which only the package of nvcc has.
struct Wrapper {
  int magic;
  int version;
  const unsigned long long* data;
  void*
      filename_or_parts;  ///< of the version of linked code, its parts with a null behind the last
};
constexpr int kLinkedCode = 2;

// nvcc -rdc=true: the wrapper of the linked code also names the parts that it was linked from. The
// linked code is a GPU's; a device that executes PTX needs the parts.
CUresult link_parts(void* const* parts, CUlibrary& library) {
  CUlinkState link = nullptr;
  CUresult result = driver().cuLinkCreate(0, nullptr, nullptr, &link);
  if (result != CUDA_SUCCESS) return result;
  for (; result == CUDA_SUCCESS && *parts != nullptr; ++parts) {
    // The size of a fatbin is in its header: 16 bytes, of which the last eight count what follows.
    const auto* header = static_cast<const unsigned long long*>(*parts);
    result = driver().cuLinkAddData(link, CU_JIT_INPUT_FATBINARY, *parts, 16 + header[1],
                                    "relocatable code", 0, nullptr, nullptr);
  }
  void* linked = nullptr;
  std::size_t bytes = 0;
  if (result == CUDA_SUCCESS) result = driver().cuLinkComplete(link, &linked, &bytes);
  if (result == CUDA_SUCCESS) {
    result = driver().cuLibraryLoadData(&library, linked, nullptr, nullptr, 0, nullptr, nullptr, 0);
  }
  driver().cuLinkDestroy(link);
  return result;
}

}  // namespace

CUresult load_image(const void* wrapper, CUlibrary& library) {
  const auto* image = static_cast<const Wrapper*>(wrapper);
  if (driver().executes_ptx && image->version == kLinkedCode && image->filename_or_parts != nullptr)
    return link_parts(static_cast<void* const*>(image->filename_or_parts), library);
  return driver().cuLibraryLoadData(&library, wrapper, nullptr, nullptr, 0, nullptr, nullptr, 0);
}

}  // namespace warpmark::cudart
