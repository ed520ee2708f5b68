// libnvrtc.so.12 or .13 of programs on the CPU device: the real NVRTC compiles, and a program that
// asks for a cubin gets the PTX text of it, which the device executes.
//
// No function has a declaration of nvrtc.h: one library serves the programs of every CUDA of its
// version, and nvrtc.h of an older one lacks some.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "ptx_header.hpp"
#include "real_library.hpp"

#if !defined(__x86_64__)
#error "arguments are handed on as x86-64 has them, in registers"
#endif

namespace {

using namespace warpmark::toolkit;

// The arguments of any of NVRTC's functions, which has six at most, integers or pointers.
using Word = std::uintptr_t;
using Function = int (*)(Word, Word, Word, Word, Word, Word);

constexpr int kSuccess = 0, kInternalError = 11;  // nvrtcResult

template <typename T>
T function_of(const char* name) {
  return reinterpret_cast<T>(real_function(name));
}

// The text that stands for a program's cubin; "" if it has none: none was asked for, or it did not
// compile.
std::string cubin_of(void* program) {
  static const auto cubin_size = function_of<int (*)(void*, std::size_t*)>("nvrtcGetCUBINSize");
  static const auto ptx_size = function_of<int (*)(void*, std::size_t*)>("nvrtcGetPTXSize");
  static const auto ptx = function_of<int (*)(void*, char*)>("nvrtcGetPTX");
  if (cubin_size == nullptr || ptx_size == nullptr || ptx == nullptr) return "";
  std::size_t bytes = 0;
  if (cubin_size(program, &bytes) != kSuccess || bytes == 0) return "";
  if (ptx_size(program, &bytes) != kSuccess || bytes < 2) return "";
  std::string text(bytes, '\0');
  if (ptx(program, text.data()) != kSuccess) return "";
  text.resize(bytes - 1);  // without the NUL
  return with_readable_version(std::move(text));
}

}  // namespace

extern "C" {

#define NVRTC_FORWARD(name)                                           \
  int name(Word a, Word b, Word c, Word d, Word e, Word f);           \
  int name(Word a, Word b, Word c, Word d, Word e, Word f) {          \
    static const auto real = function_of<Function>(#name);            \
    return real == nullptr ? kInternalError : real(a, b, c, d, e, f); \
  }
#include "nvrtc_functions.def"
#undef NVRTC_FORWARD

const char* nvrtcGetErrorString(int result);
const char* nvrtcGetErrorString(int result) {
  static const auto real = function_of<const char* (*)(int)>("nvrtcGetErrorString");
  if (real != nullptr) return real(result);
  return result == kSuccess ? "NVRTC_SUCCESS" : "NVRTC_ERROR_INTERNAL_ERROR";
}

int nvrtcGetCUBINSize(void* program, std::size_t* size);
int nvrtcGetCUBINSize(void* program, std::size_t* size) {
  const std::string cubin = cubin_of(program);
  if (size == nullptr || cubin.empty()) {
    static const auto real = function_of<int (*)(void*, std::size_t*)>("nvrtcGetCUBINSize");
    return real == nullptr ? kInternalError : real(program, size);
  }
  *size = cubin.size() + 1;
  return kSuccess;
}

int nvrtcGetCUBIN(void* program, char* image);
int nvrtcGetCUBIN(void* program, char* image) {
  const std::string cubin = cubin_of(program);
  if (image == nullptr || cubin.empty()) {
    static const auto real = function_of<int (*)(void*, char*)>("nvrtcGetCUBIN");
    return real == nullptr ? kInternalError : real(program, image);
  }
  std::memcpy(image, cubin.c_str(), cubin.size() + 1);
  return kSuccess;
}

/// The real library's path, or null: what other parts of warpmark-cpu ask. It opens nothing.
const char* warpmark_nvrtc_library(void);
const char* warpmark_nvrtc_library(void) {
  return real_library().empty() ? nullptr : real_library().c_str();
}
}
