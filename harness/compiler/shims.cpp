#include "compiler/shims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "compiler/shim_texts.hpp"
#include "compiler/shims_std.hpp"

namespace warpmark {

namespace {

// NVRTC predeclares the math functions, printf, assert, malloc, free, memcpy, memset and size_t in
// the global namespace, but no macro constants, no fixed-width types and nothing in std. Sizes are
// LP64. Texts that are also used in place of nvcc's are in plugins/cpu/run/include. The others
// there have the host's types of 64 bits, and the device code of its headers.
//
// libcu++ of CUDA 12 defines some macros in other words than that of CUDA 13, which has ours, and
// does not look whether they are there: it comes first.

constexpr std::string_view kStddef = R"(#ifndef WARPMARK_SHIM_STDDEF
#define WARPMARK_SHIM_STDDEF
#if __has_include(<cuda/std/__cuda/cstddef_prelude.h>) || \
    __has_include(<cuda/std/detail/libcxx/include/__cuda/cstddef_prelude.h>)
#include <cuda/std/cstddef>
#endif
#ifndef NULL
#define NULL 0
#endif
#ifndef offsetof
#define offsetof(type, member) (::size_t) ((char*) &(((type*) 0)->member) - (char*) 0)
#endif
typedef decltype(nullptr) nullptr_t;
namespace std {
using ::size_t;
using ::ptrdiff_t;
using ::nullptr_t;
}
#endif
)";

constexpr std::string_view kStdint = R"(#ifndef WARPMARK_SHIM_STDINT
#define WARPMARK_SHIM_STDINT
#include <limits.h>
#if __has_include(<cuda/std/__cuda/cstdint_prelude.h>) || \
    __has_include(<cuda/std/detail/libcxx/include/__cuda/cstdint_prelude.h>)
#include <cuda/std/cstdint>
#endif
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef int8_t int_least8_t;
typedef int16_t int_least16_t;
typedef int32_t int_least32_t;
typedef int64_t int_least64_t;
typedef int8_t int_fast8_t;
typedef int16_t int_fast16_t;
typedef int32_t int_fast32_t;
typedef int64_t int_fast64_t;
typedef uint8_t uint_least8_t;
typedef uint16_t uint_least16_t;
typedef uint32_t uint_least32_t;
typedef uint64_t uint_least64_t;
typedef uint8_t uint_fast8_t;
typedef uint16_t uint_fast16_t;
typedef uint32_t uint_fast32_t;
typedef uint64_t uint_fast64_t;
typedef int64_t intptr_t;
typedef uint64_t uintptr_t;
typedef int64_t intmax_t;
typedef uint64_t uintmax_t;
#define INT8_MIN SCHAR_MIN
#define INT8_MAX SCHAR_MAX
#define UINT8_MAX UCHAR_MAX
#define INT16_MIN SHRT_MIN
#define INT16_MAX SHRT_MAX
#define UINT16_MAX USHRT_MAX
#define INT32_MIN INT_MIN
#define INT32_MAX INT_MAX
#define UINT32_MAX UINT_MAX
#define INT64_MIN LLONG_MIN
#define INT64_MAX LLONG_MAX
#define UINT64_MAX ULLONG_MAX
#define INT_LEAST8_MIN INT8_MIN
#define INT_LEAST8_MAX INT8_MAX
#define UINT_LEAST8_MAX UINT8_MAX
#define INT_LEAST16_MIN INT16_MIN
#define INT_LEAST16_MAX INT16_MAX
#define UINT_LEAST16_MAX UINT16_MAX
#define INT_LEAST32_MIN INT32_MIN
#define INT_LEAST32_MAX INT32_MAX
#define UINT_LEAST32_MAX UINT32_MAX
#define INT_LEAST64_MIN INT64_MIN
#define INT_LEAST64_MAX INT64_MAX
#define UINT_LEAST64_MAX UINT64_MAX
#ifndef INT_FAST8_MIN
#define INT_FAST8_MIN INT8_MIN
#define INT_FAST8_MAX INT8_MAX
#define UINT_FAST8_MAX UINT8_MAX
#define INT_FAST16_MIN INT16_MIN
#define INT_FAST16_MAX INT16_MAX
#define UINT_FAST16_MAX UINT16_MAX
#define INT_FAST32_MIN INT32_MIN
#define INT_FAST32_MAX INT32_MAX
#define UINT_FAST32_MAX UINT32_MAX
#define INT_FAST64_MIN INT64_MIN
#define INT_FAST64_MAX INT64_MAX
#define UINT_FAST64_MAX UINT64_MAX
#endif
#define INTPTR_MIN INT64_MIN
#define INTPTR_MAX INT64_MAX
#define UINTPTR_MAX UINT64_MAX
#define INTMAX_MIN INT64_MIN
#define INTMAX_MAX INT64_MAX
#define UINTMAX_MAX UINT64_MAX
#define SIZE_MAX UINT64_MAX
#define PTRDIFF_MIN INT64_MIN
#define PTRDIFF_MAX INT64_MAX
#ifndef INT8_C
#define INT8_C(X) ((::int_least8_t)(X))
#define INT16_C(X) ((::int_least16_t)(X))
#define INT32_C(X) ((::int_least32_t)(X))
#define INT64_C(X) ((::int_least64_t)(X))
#define INTMAX_C(X) ((::intmax_t)(X))
#define UINT8_C(X) ((::uint_least8_t)(X))
#define UINT16_C(X) ((::uint_least16_t)(X))
#define UINT32_C(X) ((::uint_least32_t)(X))
#define UINT64_C(X) ((::uint_least64_t)(X))
#define UINTMAX_C(X) ((::uintmax_t)(X))
#endif
namespace std {
using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t;
using ::int_least8_t; using ::int_least16_t; using ::int_least32_t; using ::int_least64_t;
using ::uint_least8_t; using ::uint_least16_t; using ::uint_least32_t; using ::uint_least64_t;
using ::int_fast8_t; using ::int_fast16_t; using ::int_fast32_t; using ::int_fast64_t;
using ::uint_fast8_t; using ::uint_fast16_t; using ::uint_fast32_t; using ::uint_fast64_t;
using ::intptr_t; using ::uintptr_t; using ::intmax_t; using ::uintmax_t;
}
#endif
)";

constexpr std::string_view kLimits = R"(#ifndef WARPMARK_SHIM_LIMITS
#define WARPMARK_SHIM_LIMITS
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN SCHAR_MIN
#define CHAR_MAX SCHAR_MAX
#define SHRT_MIN (-SHRT_MAX - 1)
#define SHRT_MAX 0x7fff
#define USHRT_MAX 0xffff
#define INT_MIN (-INT_MAX - 1)
#define INT_MAX 0x7fffffff
#define UINT_MAX 0xffffffff
#define LONG_MIN (-LONG_MAX - 1)
#define LONG_MAX LLONG_MAX
#define ULONG_MAX ULLONG_MAX
#define LLONG_MIN (-LLONG_MAX - 1)
#define LLONG_MAX 0x7fffffffffffffffLL
#define ULLONG_MAX 0xffffffffffffffffUL
#endif
)";

constexpr std::string_view kStdlib = R"(#ifndef WARPMARK_SHIM_STDLIB
#define WARPMARK_SHIM_STDLIB
#include <stddef.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
// A kernel has no process to end: both stop it as a failed assertion does.
__device__ inline void abort() { __trap(); }
__device__ inline void exit(int) { __trap(); }
namespace std {
using ::malloc; using ::free; using ::abs; using ::labs; using ::llabs; using ::abort; using ::exit;
}
#endif
)";

constexpr std::string_view kString = R"(#ifndef WARPMARK_SHIM_STRING
#define WARPMARK_SHIM_STRING
#include <stddef.h>
__device__ inline void* memmove(void* to, const void* from, size_t count) {
  unsigned char* t = static_cast<unsigned char*>(to);
  const unsigned char* f = static_cast<const unsigned char*>(from);
  if (t < f) {
    for (size_t i = 0; i < count; ++i) t[i] = f[i];
  } else {
    for (size_t i = count; i > 0; --i) t[i - 1] = f[i - 1];
  }
  return to;
}
__device__ inline int memcmp(const void* a, const void* b, size_t count) {
  const unsigned char* x = static_cast<const unsigned char*>(a);
  const unsigned char* y = static_cast<const unsigned char*>(b);
  for (size_t i = 0; i < count; ++i) {
    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
  }
  return 0;
}
__device__ inline size_t strlen(const char* text) {
  size_t length = 0;
  while (text[length] != 0) ++length;
  return length;
}
__device__ inline int strcmp(const char* a, const char* b) {
  for (; *a != 0 && *a == *b; ++a) ++b;
  const unsigned char x = static_cast<unsigned char>(*a);
  const unsigned char y = static_cast<unsigned char>(*b);
  return x == y ? 0 : x < y ? -1 : 1;
}
__device__ inline int strncmp(const char* a, const char* b, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const unsigned char x = static_cast<unsigned char>(a[i]);
    const unsigned char y = static_cast<unsigned char>(b[i]);
    if (x != y) return x < y ? -1 : 1;
    if (x == 0) return 0;
  }
  return 0;
}
__device__ inline char* strcpy(char* to, const char* from) {
  size_t i = 0;
  do {
    to[i] = from[i];
  } while (from[i++] != 0);
  return to;
}
namespace std {
using ::memcpy; using ::memset; using ::memmove; using ::memcmp; using ::strlen; using ::strcmp;
using ::strncmp; using ::strcpy;
}
#endif
)";

constexpr std::string_view kStdio = R"(#ifndef WARPMARK_SHIM_STDIO
#define WARPMARK_SHIM_STDIO
#include <stddef.h>
namespace std {
using ::printf;
}
#endif
)";

// assert is NVRTC's own; NDEBUG must be heeded at each inclusion, so there is no guard.
constexpr std::string_view kAssert = R"(#ifdef NDEBUG
#undef assert
#define assert(condition) ((void)0)
#endif
#ifndef static_assert
#define static_assert static_assert
#endif
)";

// Kernels can only use types of the driver API: the toolkit's header declares functions of the
// host, which NVRTC refuses.
constexpr std::string_view kCuda = R"(#ifndef WARPMARK_SHIM_CUDA
#define WARPMARK_SHIM_CUDA
#define CUDA_VERSION (__CUDACC_VER_MAJOR__ * 1000 + __CUDACC_VER_MINOR__ * 10)
typedef unsigned long long CUdeviceptr;
typedef int CUdevice;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
typedef struct CUctx_st* CUcontext;
typedef struct CUmod_st* CUmodule;
typedef struct CUfunc_st* CUfunction;
typedef struct CUstream_st* CUstream;
typedef struct CUevent_st* CUevent;
typedef struct alignas(64) CUtensorMap_st {
  unsigned long long opaque[16];
} CUtensorMap;
#endif
)";

// libcu++ of CUDA 12.8 includes it where `__linux__` is defined.
constexpr std::string_view kFeatures = "\n";

struct Shim {
  std::string_view name;
  std::string_view text;
};

constexpr std::array kShims{
    Shim{"assert.h", kAssert},    Shim{"cassert", kAssert},   Shim{"float.h", kFloat},
    Shim{"cfloat", kFloat},       Shim{"limits.h", kLimits},  Shim{"climits", kLimits},
    Shim{"math.h", kMath},        Shim{"cmath", kMath},       Shim{"stddef.h", kStddef},
    Shim{"cstddef", kStddef},     Shim{"stdint.h", kStdint},  Shim{"cstdint", kStdint},
    Shim{"inttypes.h", kStdint},  Shim{"cinttypes", kStdint}, Shim{"stdio.h", kStdio},
    Shim{"cstdio", kStdio},       Shim{"stdlib.h", kStdlib},  Shim{"cstdlib", kStdlib},
    Shim{"string.h", kString},    Shim{"cstring", kString},   Shim{"cuda.h", kCuda},
    Shim{"features.h", kFeatures}};

// Headers of libcu++ 12.4 include these of its own by such names in quotes, which NVRTC takes for
// ours.
constexpr std::array kNamesInLibcu = {"climits", "cmath", "cstddef", "cstdint", "cstdlib"};

std::string text_of(const Shim& shim) {
  std::string text(shim.text);
  if (std::ranges::find(kNamesInLibcu, shim.name) == kNamesInLibcu.end()) {
    return text;
  }
  constexpr std::string_view kFolder = "cuda/std/detail/libcxx/include/";
  return fmt::format(
      "#if defined(__cuda_std__) && __has_include(<{0}__cuda/climits_prelude.h>)\n"
      "#include <{0}{1}>\n#endif\n{2}",
      kFolder, shim.name, text);
}

const std::vector<std::pair<std::string, std::string>>& c_shims() {
  static const std::vector<std::pair<std::string, std::string>> kOfC = [] {
    std::vector<std::pair<std::string, std::string>> made;
    for (const Shim& shim : kShims) made.emplace_back(shim.name, text_of(shim));
    return made;
  }();
  return kOfC;
}

}  // namespace

std::optional<std::string_view> find_shim(std::string_view name) {
  for (const auto* shims : {&c_shims(), &std_shims()}) {
    for (const auto& [known, text] : *shims) {
      if (known == name) return text;
    }
  }
  return std::nullopt;
}

std::vector<std::string_view> shim_names() {
  std::vector<std::string_view> names;
  for (const auto* shims : {&c_shims(), &std_shims()}) {
    for (const auto& [name, text] : *shims) names.push_back(name);
  }
  return names;
}

}  // namespace warpmark
