// libnvrtc.so.12 or .13 of programs on the CPU device: the real NVRTC compiles, and a program that
// asks for a cubin gets the PTX text of it, which the device executes.
//
// No function has a declaration of nvrtc.h: one library serves the programs of every CUDA of its
// version, and nvrtc.h of an older one lacks some.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

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

// The text that stands for a program's cubin. Without one (none was asked for, or it did not
// compile) `result` is the real answer, and `bytes` what the real cubin has.
struct Cubin {
  int result = kInternalError;
  std::size_t bytes = 0;
  std::string text;
};

Cubin cubin_of(void* program) {
  static const auto cubin_size = function_of<int (*)(void*, std::size_t*)>("nvrtcGetCUBINSize");
  static const auto ptx_size = function_of<int (*)(void*, std::size_t*)>("nvrtcGetPTXSize");
  static const auto ptx = function_of<int (*)(void*, char*)>("nvrtcGetPTX");
  Cubin cubin;
  if (cubin_size == nullptr || ptx_size == nullptr || ptx == nullptr) return cubin;
  cubin.result = cubin_size(program, &cubin.bytes);
  std::size_t bytes = 0;
  if (cubin.result != kSuccess || cubin.bytes == 0 || ptx_size(program, &bytes) != kSuccess ||
      bytes < 2)
    return cubin;
  cubin.text.resize(bytes);
  if (ptx(program, cubin.text.data()) != kSuccess) {
    cubin.text.clear();
    return cubin;
  }
  cubin.text.resize(bytes - 1);  // without the NUL
  cubin.text = with_readable_version(std::move(cubin.text));
  return cubin;
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

int nvrtcCompileProgram(void* program, int count, const char* const* options);
int nvrtcCompileProgram(void* program, int count, const char* const* options) {
  static const auto real =
      function_of<int (*)(void*, int, const char* const*)>("nvrtcCompileProgram");
  if (real == nullptr) return kInternalError;
  return real(program, count, options);
}

int nvrtcGetCUBINSize(void* program, std::size_t* size);
int nvrtcGetCUBINSize(void* program, std::size_t* size) {
  const Cubin cubin = size == nullptr ? Cubin() : cubin_of(program);
  if (cubin.text.empty()) {
    static const auto real = function_of<int (*)(void*, std::size_t*)>("nvrtcGetCUBINSize");
    return real == nullptr ? kInternalError : real(program, size);
  }
  *size = cubin.text.size() + 1;
  return kSuccess;
}

int nvrtcGetCUBIN(void* program, char* image);
int nvrtcGetCUBIN(void* program, char* image) {
  const Cubin cubin = image == nullptr ? Cubin() : cubin_of(program);
  if (cubin.text.empty()) {
    static const auto real = function_of<int (*)(void*, char*)>("nvrtcGetCUBIN");
    return real == nullptr ? kInternalError : real(program, image);
  }
  std::memcpy(image, cubin.text.c_str(), cubin.text.size() + 1);
  return kSuccess;
}

/// The real library's path, or null: what other parts of warpmark-cpu ask. It opens nothing.
const char* warpmark_nvrtc_library(void);
const char* warpmark_nvrtc_library(void) {
  return real_library().empty() ? nullptr : real_library().c_str();
}
}
