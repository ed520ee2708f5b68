// The exported functions: each starts what it needs, calls what implements it, and remembers an
// error. Compiled once for each version of the library, which WARPMARK_CUDART names.
#include <new>

#include "abi12.hpp"
#include "api.hpp"
#include "runtime.hpp"

#if !defined(__x86_64__)
#error "the entry points below are written for x86-64"
#endif

namespace warpmark::cudart {

const int kRuntimeVersion = WARPMARK_CUDART == 12 ? 12090 : 13000;

namespace {

enum class Need { plain, device, context };

cudaError_t provide(Need need) {
  if (need == Need::plain) return cudaSuccess;
  const cudaError_t result = start_driver();
  return result == cudaSuccess && need == Need::context ? need_context() : result;
}

/// An entry point with the type of the function that it calls.
template <auto function, Need need, bool per_thread, typename Type = decltype(function)>
struct Entry;

template <auto function, Need need, bool per_thread, typename Result, typename... Arguments>
struct Entry<function, need, per_thread, Result (*)(Arguments...)> {
  static Result call(Arguments... arguments) {
    const PerThreadDefault scope(per_thread);
    if constexpr (need == Need::plain) {
      return function(arguments...);
    } else {
      try {
        const cudaError_t result = provide(need);
        return remember(result != cudaSuccess ? result : function(arguments...));
      } catch (const std::bad_alloc&) {
        return remember(cudaErrorMemoryAllocation);
      }
    }
  }
};

// One for each name, so that each is said once.
cudaError_t refuse(const char* name) {
  say_once(name, "not supported; it returns cudaErrorNotSupported");
  return remember(cudaErrorNotSupported);
}

}  // namespace
}  // namespace warpmark::cudart

// An exported name, and a function that goes on to what the pointer names. No C++ name can have the
// type that the entry deduces and the C name at once.
#define ENTRY(symbol, entry)                                                            \
  extern "C" __attribute__((visibility("hidden"))) void* const warpmark_to_##symbol;    \
  void* const warpmark_to_##symbol = reinterpret_cast<void*>(entry);                    \
  asm(".pushsection .text\n.globl " #symbol "\n.type " #symbol ", @function\n" #symbol  \
      ":\nendbr64\njmp *warpmark_to_" #symbol "(%rip)\n.size " #symbol ", . - " #symbol \
      "\n"                                                                              \
      ".popsection");
#define CALL(function, need, per_thread) (&Entry<&api::function, Need::need, per_thread>::call)
#define AS(symbol, function, need) ENTRY(symbol, CALL(function, need, false))
#define AS_PTSZ(symbol, function, need) \
  AS(symbol, function, need)            \
  ENTRY(symbol##_ptsz, CALL(function, need, true))
#define PLAIN(name) AS(name, name, plain)
#define DEVICE(name) AS(name, name, device)
#define DEVICE_PTSZ(name) AS_PTSZ(name, name, device)
#define CONTEXT(name) AS(name, name, context)
#define CONTEXT_PTSZ(name) AS_PTSZ(name, name, context)
#define CONTEXT_PTDS(name) \
  CONTEXT(name)            \
  ENTRY(name##_ptds, CALL(name, context, true))
#define OWN(name) CONTEXT(name)
#define OWN_PTSZ(name) CONTEXT_PTSZ(name)
#define MISSING(name) \
  ENTRY(              \
      name, +[] { return refuse(#name); })
#define MISSING_PTSZ(name) \
  MISSING(name)            \
  MISSING(name##_ptsz)

#define FORWARD(need, name, function) AS(name, name, need)
#define FORWARD_PTSZ(need, name, function) AS_PTSZ(name, name, need)
#define VERSIONED(name, function)
#define COPY(name, body) \
  CONTEXT_PTDS(name)     \
  CONTEXT_PTSZ(name##Async)

namespace warpmark::cudart {
#include "forwards.def"
#include "functions.def"
#if WARPMARK_CUDART == 12
#include "functions12.def"
#else
#include "functions13.def"
#endif
}  // namespace warpmark::cudart
