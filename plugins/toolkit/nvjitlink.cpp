// libnvJitLink.so.12 or .13 of programs on the CPU device: inputs are linked to PTX text, which the
// program gets as the cubin.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "linker.hpp"

namespace {

using namespace warpmark::toolkit;

// Without a real library, of CUDA 13 and 12 the last whose PTX the device reads.
constexpr unsigned int kMinor = WARPMARK_STANDS_FOR == 13 ? 0 : 9;

int number(Result result) {
  return static_cast<int>(result);
}

// No exception leaves a C function.
template <typename Body>
int guarded(Linker* linker, Body body) {
  if (linker == nullptr) return number(Result::null_input);
  try {
    return number(body());
  } catch (const std::exception&) {
    return number(Result::internal);
  }
}

int give_size(Linker* linker, std::size_t* size, const std::string& text, bool there) {
  return guarded(linker, [&] {
    if (size == nullptr) return Result::null_input;
    if (!there) return Result::invalid_input;
    *size = text.empty() ? 0 : text.size() + 1;
    return Result::success;
  });
}

int give_text(Linker* linker, void* to, const std::string& text, bool there) {
  return guarded(linker, [&] {
    if (to == nullptr) return Result::null_input;
    if (!there) return Result::invalid_input;
    if (!text.empty()) std::memcpy(to, text.c_str(), text.size() + 1);
    return Result::success;
  });
}

const std::string& linked(const Linker* linker) {
  static const std::string none;
  return linker == nullptr ? none : linker->linked();
}
const std::string& errors(const Linker* linker) {
  static const std::string none;
  return linker == nullptr ? none : linker->errors();
}
const std::string& info(const Linker* linker) {
  static const std::string none;
  return linker == nullptr ? none : linker->info();
}
bool has_cubin(const Linker* linker) {
  return !linked(linker).empty() && !linker->gives_ptx();
}
bool has_ptx(const Linker* linker) {
  return !linked(linker).empty() && linker->gives_ptx();
}

}  // namespace

#pragma GCC diagnostic ignored "-Wmissing-declarations"  // nvJitLink.h has them, if there is one

extern "C" {

int nvJitLinkCreate(Linker** handle, std::uint32_t count, const char* const* options) {
  if (handle == nullptr || (count != 0 && options == nullptr)) return number(Result::null_input);
  // There is a handle also where an option is wrong: the log is asked for by it.
  *handle = new (std::nothrow) Linker;
  return guarded(*handle, [&] {
    return (*handle)->set_options(std::vector<std::string>(options, options + count));
  });
}

int nvJitLinkDestroy(Linker** handle) {
  if (handle == nullptr || *handle == nullptr) return number(Result::null_input);
  delete *handle;
  *handle = nullptr;
  return number(Result::success);
}

int nvJitLinkAddData(Linker* handle, InputType type, const void* data, std::size_t size,
                     const char* name) {
  return guarded(handle, [&] {
    if (data == nullptr) return Result::invalid_input;
    return handle->add(type, {static_cast<const char*>(data), size}, name == nullptr ? "" : name);
  });
}

int nvJitLinkAddFile(Linker* handle, InputType type, const char* path) {
  return guarded(
      handle, [&] { return path == nullptr ? Result::null_input : handle->add_file(type, path); });
}

int nvJitLinkComplete(Linker* handle) {
  return guarded(handle, [&] { return handle->complete(); });
}

int nvJitLinkGetLinkedCubinSize(Linker* handle, std::size_t* size) {
  if (handle != nullptr && !has_cubin(handle)) return number(Result::internal);
  return give_size(handle, size, linked(handle), true);
}
int nvJitLinkGetLinkedCubin(Linker* handle, void* cubin) {
  if (handle != nullptr && !has_cubin(handle)) return number(Result::internal);
  return give_text(handle, cubin, linked(handle), true);
}

int nvJitLinkGetLinkedPtxSize(Linker* handle, std::size_t* size) {
  return give_size(handle, size, linked(handle), has_ptx(handle));
}
int nvJitLinkGetLinkedPtx(Linker* handle, char* ptx) {
  return give_text(handle, ptx, linked(handle), has_ptx(handle));
}

// There is never LTO IR: no input of it was taken.
int nvJitLinkGetLinkedLTOIRSize(Linker* handle, std::size_t* size) {
  return give_size(handle, size, linked(handle), false);
}
int nvJitLinkGetLinkedLTOIR(Linker* handle, void* ir) {
  return give_text(handle, ir, linked(handle), false);
}

int nvJitLinkGetErrorLogSize(Linker* handle, std::size_t* size) {
  return give_size(handle, size, errors(handle), true);
}
int nvJitLinkGetErrorLog(Linker* handle, char* log) {
  return give_text(handle, log, errors(handle), true);
}
int nvJitLinkGetInfoLogSize(Linker* handle, std::size_t* size) {
  return give_size(handle, size, info(handle), true);
}
int nvJitLinkGetInfoLog(Linker* handle, char* log) {
  return give_text(handle, log, info(handle), true);
}

int nvJitLinkVersion(unsigned int* major, unsigned int* minor) {
  if (major == nullptr || minor == nullptr) return number(Result::null_input);
  if (lto_version(major, minor)) return number(Result::success);
  *major = WARPMARK_STANDS_FOR;
  *minor = kMinor;
  return number(Result::success);
}

#define NVJITLINK_ALIAS(name, minor) NVJITLINK_NAMED(name, WARPMARK_STANDS_FOR, minor)
#define NVJITLINK_NAMED(name, major, minor) NVJITLINK_NAMED_SO(name, major, minor)
#define NVJITLINK_NAMED_SO(name, major, minor)                    \
  decltype(nvJitLink##name) __nvJitLink##name##_##major##_##minor \
      __attribute__((alias("nvJitLink" #name)));
#define NVJITLINK_FUNCTION(name) \
  NVJITLINK_ALIAS(name, 0)       \
  NVJITLINK_ALIAS(name, 1)       \
  NVJITLINK_ALIAS(name, 2)       \
  NVJITLINK_ALIAS(name, 3)       \
  NVJITLINK_ALIAS(name, 4)       \
  NVJITLINK_ALIAS(name, 5)       \
  NVJITLINK_ALIAS(name, 6)       \
  NVJITLINK_ALIAS(name, 7)       \
  NVJITLINK_ALIAS(name, 8)       \
  NVJITLINK_ALIAS(name, 9)
#include "nvjitlink_functions.def"
#undef NVJITLINK_FUNCTION
}
